/**
 * What vendors that speak chat completions refuse, in the words and statuses they use for it.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { type HttpReply, type RecordedRequest, refuse } from "../model_server.ts";

/** Looks at a request; an answer means that it is refused. */
export type Strictness = (request: RecordedRequest) => HttpReply | undefined;

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const wireCall = z.looseObject({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
  extra_content: json.optional(),
});
const wireMessage = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  tool_calls: z.array(wireCall).optional(),
  tool_call_id: z.string().optional(),
  reasoning_content: z.string().optional(),
});
const wireBody = z.looseObject({
  model: z.string(),
  messages: z.array(wireMessage),
  tools: z.array(z.object({
    function: z.object({ name: z.string(), parameters: json.optional() }),
  })).default([]),
  temperature: z.number().optional(),
  reasoning_effort: z.string().optional(),
});
type Body = z.infer<typeof wireBody>;

/** A vendor's rules over the parsed body. */
function strict(check: (body: Body) => HttpReply | undefined): Strictness {
  return ({ body }) => {
    const parsed = wireBody.safeParse(body);
    if (!parsed.success) return refuse(400, { message: z.prettifyError(parsed.error) });
    return misplacedResult(parsed.data) ?? check(parsed.data);
  };
}

/** All of them want each result behind its call, and nothing else between. */
function misplacedResult({ messages }: Body): HttpReply | undefined {
  let open: readonly string[] = [];
  for (const { role, tool_calls: calls, tool_call_id: id = "" } of messages) {
    if (role === "tool" && !open.includes(id)) {
      return refuse(400, { message: `No tool call found for result ${id}` });
    }
    if (role !== "tool" && open.length > 0) {
      return refuse(400, { message: `Tool calls without a result: ${open.join()}` });
    }
    open = role === "tool" ? open.filter((other) => other !== id) : (calls ?? []).map((c) => c.id);
  }
  return undefined;
}

/** OpenAI's chat completions. */
export const strictOpenAi: Strictness = strict((body) => {
  const long = idsOf(body).find((id) => id.length > 40);
  if (long !== undefined) {
    return refuse(400, {
      message: `Invalid id: string too long, ${long}`,
      code: "string_above_max",
    });
  }
  if (/^(?:gpt-5|o\d)/.test(body.model) && "max_tokens" in body) {
    return refuse(400, {
      message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    });
  }
  return extraFields(body, ["reasoning_content", "thinking_blocks", "name"], 400);
});

/** Mistral: strict about fields, ids and the order of roles. */
export const strictMistral: Strictness = strict((body) => {
  const odd = idsOf(body).find((id) => !/^[A-Za-z0-9]{9}$/.test(id));
  if (odd !== undefined) {
    return refuse(400, {
      message: `Tool call id was ${odd} but must be a-z, A-Z, 0-9, with a length of 9.`,
    });
  }
  if ("max_completion_tokens" in body) return forbidden("max_completion_tokens");
  const { messages } = body;
  const index = messages.findIndex(({ role }, at) =>
    role === "user" && messages[at - 1]?.role === "tool"
  );
  if (index >= 0) return refuse(400, { message: "Unexpected role 'user' after role 'tool'" });
  if (body.reasoning_effort !== undefined && !["none", "high"].includes(body.reasoning_effort)) {
    return forbidden("reasoning_effort");
  }
  return extraFields(body, ["reasoning_content", "extra_content"], 422);
});

/** Groq knows no reasoning of others. */
export const strictGroq: Strictness = strict((body) =>
  extraFields(body, ["reasoning_content", "extra_content", "thinking_blocks"], 400)
);

/** DeepSeek: thoughts come back, content is text. */
export const strictDeepSeek: Strictness = strict(({ model, messages }) => {
  if (messages.some(({ content }) => Array.isArray(content))) {
    return refuse(400, { message: "Failed to deserialize: expected a string for content" });
  }
  const asked = messages.filter(({ role }) => role === "assistant");
  if (/r1/.test(model) && asked.some(({ reasoning_content: thoughts }) => thoughts !== undefined)) {
    return refuse(400, { message: "reasoning_content in the input is not allowed" });
  }
  const lacks = asked.some(({ reasoning_content: thoughts }) => thoughts === undefined);
  if (/reasoner|v4/.test(model) && lacks) {
    return refuse(400, { message: "Missing `reasoning_content` field in the assistant message" });
  }
  return undefined;
});

/** Moonshot: switch or effort, its own ids, plain schemas. */
export const strictMoonshot: Strictness = strict((body) => {
  if ("thinking" in body && body.reasoning_effort !== undefined) {
    return refuse(400, { message: "thinking and reasoning_effort cannot be used together" });
  }
  if (/k2\.[56]/.test(body.model) && body.temperature !== 1) {
    return refuse(400, { message: "invalid temperature: only 1 is allowed for this model" });
  }
  for (const { function: { name, parameters = {} } } of body.tools) {
    if (/^\d/.test(name)) return refuse(400, { message: `function name ${name} is invalid` });
    if ("anyOf" in parameters) return refuse(400, { message: "root anyOf is not supported" });
  }
  return undefined;
});

/** MiniMax says no under a good status. */
export const strictMiniMax: Strictness = strict(({ tools }) => {
  const bare = tools.find(({ function: { parameters } }) => parameters?.["type"] !== "object");
  if (bare === undefined) return undefined;
  const base_resp = { status_code: 2013, status_msg: "invalid params, function parameters" };
  return { status: 200, body: { base_resp } };
});

/** DashScope has words of its own for efforts. */
export const strictDashScope: Strictness = strict(({ reasoning_effort: effort }) =>
  effort === "minimal" ? refuse(400, { message: "invalid reasoning_effort" }) : undefined
);

/** Zhipu wants somebody to have asked something. */
export const strictZhipu: Strictness = strict(({ messages }) =>
  messages.some(({ role }) => role === "user" || role === "tool")
    ? undefined
    : refuse(400, { code: "1214", message: "messages 参数非法。请检查文档。" })
);

const GEMINI_KEYWORDS = new Set(
  ("type format title description nullable enum items minItems maxItems properties required " +
    "anyOf minimum maximum").split(" "),
);

/** Gemini: its own subset of JSON Schema, and its signature on the first call of each step. */
export const strictGemini: Strictness = strict(({ messages, tools }) => {
  for (const { function: { parameters = {} } } of tools) {
    const unknown = unknownKeyword(parameters);
    if (unknown !== undefined) return geminiRefusal(`Unknown name "${unknown}"`);
  }
  for (const { tool_calls: calls } of messages) {
    const google = calls?.[0]?.extra_content?.["google"];
    if (calls?.length && !JSON.stringify(google ?? "").includes("thought_signature")) {
      return geminiRefusal("Function call is missing a thought_signature");
    }
  }
  return undefined;
});

/** Its errors stand in a list. */
function geminiRefusal(message: string): HttpReply {
  const error = { code: 400, message, status: "INVALID_ARGUMENT" };
  return { status: 400, body: JSON.stringify([{ error }]) };
}

function unknownKeyword(schema: JsonObject): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    if (!GEMINI_KEYWORDS.has(keyword)) return keyword;
    const below = keyword === "properties"
      ? Object.values(json.parse(value))
      : keyword === "items"
      ? [value]
      : keyword === "anyOf"
      ? z.array(z.json()).parse(value)
      : [];
    for (const inner of below) {
      const unknown = unknownKeyword(json.parse(inner));
      if (unknown !== undefined) return unknown;
    }
  }
  return undefined;
}

function idsOf({ messages }: Body): readonly string[] {
  return messages.flatMap(({ tool_calls: calls = [], tool_call_id: id }) => [
    ...calls.map((call) => call.id),
    ...(id === undefined ? [] : [id]),
  ]);
}

function extraFields(
  { messages }: Body,
  fields: readonly string[],
  status: number,
): HttpReply | undefined {
  const text = JSON.stringify(messages.map(({ content: _, ...message }) => message));
  // Functions have names.
  const found = fields.find((field) =>
    field === "name" ? messages.some((message) => "name" in message) : text.includes(`"${field}"`)
  );
  if (found === undefined) return undefined;
  return status === 422
    ? forbidden(found)
    : refuse(status, { message: `property '${found}' is unsupported` });
}

function forbidden(field: string): HttpReply {
  const detail = [{ type: "extra_forbidden", loc: ["body", field], msg: "Extra inputs" }];
  return { status: 422, body: { object: "error", message: { detail } } };
}
