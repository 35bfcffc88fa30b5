/**
 * What Anthropic's Messages API refuses, in its words.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { SIGNATURE } from "../model/message_rendering.ts";
import { type HttpReply, type RecordedRequest, refuse } from "../model_server.ts";

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const wireBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  tool_use_id: z.string().optional(),
  signature: z.string().optional(),
  input: json.optional(),
  content: z.unknown().optional(),
  source: json.optional(),
});
type Block = z.infer<typeof wireBlock>;
const wireBody = z.looseObject({
  model: z.string(),
  max_tokens: z.number().min(1),
  system: z.array(wireBlock).default([]),
  messages: z.array(z.strictObject({
    role: z.enum(["user", "assistant"]),
    content: z.union([
      z.string().min(1).transform((text): readonly Block[] => [{ type: "text", text }]),
      z.array(wireBlock).min(1),
    ]),
  })).min(1),
  tools: z.array(z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
    description: z.string().min(1).optional(),
    input_schema: z.looseObject({ type: z.literal("object") }),
    cache_control: json.optional(),
  })).default([]),
  temperature: z.number().optional(),
  thinking: z.looseObject({ type: z.string(), budget_tokens: z.number().optional() }).optional(),
});
type Body = z.infer<typeof wireBody>;

/** Refuses what the API refuses. */
export function strictAnthropic({ headers, body }: RecordedRequest): HttpReply | undefined {
  if (headers["anthropic-version"] !== "2023-06-01") {
    return invalid("anthropic-version is required");
  }
  const parsed = wireBody.safeParse(body);
  if (!parsed.success) return invalid(z.prettifyError(parsed.error));
  const checks = [rolesOf, blocksOf, idsOf, pairsOf, marksOf, thinkingOf, schemasOf];
  for (const check of checks) {
    const fault = check(parsed.data);
    if (fault !== undefined) return invalid(fault);
  }
  return undefined;
}

function invalid(message: string): HttpReply {
  return refuse(400, { type: "invalid_request_error", message });
}

function rolesOf({ messages }: Body): string | undefined {
  const twice = messages.findIndex(({ role }, at) => messages[at - 1]?.role === role);
  if (twice >= 0) return `messages.${twice}: roles must alternate`;
  return messages.at(-1)?.role === "user" ? undefined : "messages: no prefill for this model";
}

function blocksOf({ messages }: Body): string | undefined {
  for (const block of allBlocks(messages)) {
    if (block.type === "text" && (block.text ?? "").trim() === "") {
      return "text content blocks must be non-empty";
    }
    if (block.type === "image_url") {
      return "image_url: Input tag does not match any of the expected";
    }
    if (block.type === "image" && !isImage(block.source)) return "image: invalid source";
  }
  return undefined;
}

function isImage(source: JsonObject | undefined): boolean {
  return source?.["type"] === "url" ||
    /^image\/(?:png|jpeg|gif|webp)$/.test(String(source?.["media_type"]));
}

function idsOf({ messages }: Body): string | undefined {
  const seen = new Set<string>();
  for (const { type, id = "" } of allBlocks(messages)) {
    if (type !== "tool_use") continue;
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) return `tool_use.id: String should match pattern, got ${id}`;
    if (seen.has(id)) return "`tool_use` ids must be unique";
    seen.add(id);
  }
  return undefined;
}

function pairsOf({ messages }: Body): string | undefined {
  for (const [at, { role, content }] of messages.entries()) {
    const uses = content.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const results = content.filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id: id }) => id);
    const next = messages[at + 1]?.content.filter(({ type }) => type === "tool_result") ?? [];
    const answered = new Set(next.map(({ tool_use_id: id }) => id));
    if (uses.some((id) => !answered.has(id))) {
      return "`tool_use` ids were found without `tool_result` blocks immediately after";
    }
    const before = new Set(messages[at - 1]?.content.map(({ id }) => id));
    if (role === "user" && results.some((id) => !before.has(id))) {
      return "unexpected `tool_use_id` found in `tool_result` blocks";
    }
    const lastResult = content.findLastIndex(({ type }) => type === "tool_result");
    if (content.slice(0, lastResult + 1).some(({ type }) => type !== "tool_result")) {
      return "`tool_result` blocks must come first";
    }
  }
  return undefined;
}

function marksOf({ system, messages, tools }: Body): string | undefined {
  const marked = [...system, ...allBlocks(messages)].filter((block) => "cache_control" in block);
  if (marked.some(({ type, text }) => type === "text" && text === "")) {
    return "cache_control cannot be set for empty text blocks";
  }
  if (marked.some(({ type }) => type.includes("thinking"))) {
    return "thinking.cache_control: Extra inputs are not permitted";
  }
  const count = marked.length + tools.filter((tool) => tool.cache_control !== undefined).length;
  return count > 4 ? "A maximum of 4 blocks with cache_control may be provided" : undefined;
}

function thinkingOf({ thinking, temperature, max_tokens, messages, model }: Body) {
  if (/claude-(?:opus-4-[789]|sonnet-5)/.test(model)) {
    if (temperature !== undefined) return "temperature is not supported by this model";
    if (thinking?.type === "enabled") return "thinking.type: only adaptive is supported";
  }
  for (const block of allBlocks(messages)) {
    if (block.type === "thinking" && block.signature !== SIGNATURE) {
      return "Invalid `signature` in `thinking` block";
    }
  }
  if (thinking?.type !== "enabled") return undefined;
  if ((thinking.budget_tokens ?? 0) >= max_tokens) return "max_tokens must be above budget_tokens";
  if (temperature !== 1) return "temperature may only be set to 1 when thinking is enabled";
  const last = messages.findLast(({ role }) => role === "assistant")?.content ?? [];
  const hasUse = last.some(({ type }) => type === "tool_use");
  if (hasUse && !last[0]?.type.includes("thinking")) {
    return "Expected `thinking` or `redacted_thinking`, but found `tool_use`";
  }
  return undefined;
}

function schemasOf({ tools }: Body): string | undefined {
  const odd = tools.find(({ input_schema: schema }) =>
    "anyOf" in schema || "oneOf" in schema || "allOf" in schema
  );
  return odd && "input_schema does not support oneOf, allOf, or anyOf at the top level";
}

function allBlocks(messages: Body["messages"]): readonly Block[] {
  return messages.flatMap(({ content }) => content);
}
