/**
 * What the servers behind the Responses API refuse, in their words.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { ENCRYPTED } from "../model/response_rendering.ts";
import { type HttpReply, type RecordedRequest, refuse } from "../model_server.ts";

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const wireItem = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  id: z.string().optional(),
  call_id: z.string().optional(),
  encrypted_content: z.string().optional(),
});
const wireBody = z.looseObject({
  model: z.string(),
  instructions: z.string().nullable(),
  input: z.array(wireItem).min(1),
  store: z.literal(false),
  tools: z.array(z.strictObject({
    type: z.literal("function"),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    description: z.string(),
    parameters: json,
    strict: z.boolean(),
  })).default([]),
});
type Body = z.infer<typeof wireBody>;

/** OpenAI and Azure. */
export function strictResponses({ body }: RecordedRequest): HttpReply | undefined {
  const parsed = wireBody.safeParse(body);
  if (!parsed.success) return invalid(z.prettifyError(parsed.error));
  if ("messages" in body && body.messages.length > 0) return invalid("Unknown parameter: messages");
  if (parsed.data.input.some(({ role }) => role === "system")) return invalid("System in input");
  if (/^(?:gpt-5|o\d)/.test(body.model) && "temperature" in body) {
    return invalid("Unsupported parameter: 'temperature' is not supported with this model.");
  }
  const fault = itemsOf(parsed.data);
  return fault === undefined ? undefined : invalid(fault);
}

/** The server of ChatGPT's plans: it sets limits itself and wants instructions. */
export function strictCodex(request: RecordedRequest): HttpReply | undefined {
  const { headers, body } = request;
  if (headers["chatgpt-account-id"] === undefined) return detail("account id is required");
  for (const field of ["max_output_tokens", "temperature"]) {
    if (field in body) return detail(`Unsupported parameter: ${field}`);
  }
  if (!body["instructions"]) return detail("Instructions are required");
  if (body.stream !== true) return detail("Stream must be set to true");
  if (JSON.stringify(body["input"]).includes('"id":')) return detail("Items are not persisted");
  return strictResponses(request);
}

function itemsOf({ input }: Body): string | undefined {
  const open = new Set<string>();
  for (const [at, item] of input.entries()) {
    if (item.type === "reasoning" && item.encrypted_content !== ENCRYPTED) {
      return "The encrypted content could not be verified (invalid_encrypted_content)";
    }
    if (item.type === "reasoning" && input[at + 1]?.role === "user") {
      return "Item of type 'reasoning' was provided without its required following item";
    }
    if (item.type === "function_call") {
      const id = item.call_id ?? "";
      if (!/^[\w-]{1,64}$/.test(id) || open.has(id)) return `Invalid call_id ${id}`;
      open.add(id);
    }
    if (item.type === "function_call_output" && !open.has(item.call_id ?? "")) {
      return `No tool call found for function call output with call_id ${item.call_id}`;
    }
  }
  return undefined;
}

function invalid(message: string): HttpReply {
  return refuse(400, { type: "invalid_request_error", message });
}

function detail(text: string): HttpReply {
  return { status: 400, body: { detail: text } };
}
