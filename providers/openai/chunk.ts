/**
 * The wire shape of an answer: chunks of a stream, and whole completions, which differ only in
 * having `message` where a chunk has `delta`. Lenient, as servers are: what has an unknown type
 * counts as absent.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const text = z.string().nullish().catch(null);
const count = z.number().nullish().catch(null);

/** A delta of a call. */
export interface WireCallDelta {
  readonly index?: number | null | undefined;
  readonly id?: string | null | undefined;
  readonly function?: WireFunction | null | undefined;
  readonly extra_content?: JsonObject | null | undefined;
}

/** The name and a piece of the arguments; some servers send these as an object. */
export interface WireFunction {
  readonly name?: string | null | undefined;
  readonly arguments?: string | JsonObject | null | undefined;
}

/** What a model said, or a piece of it. */
export interface WireDelta {
  readonly content?: unknown;
  readonly reasoning_content?: string | null | undefined;
  readonly reasoning?: string | null | undefined;
  readonly refusal?: string | null | undefined;
  readonly tool_calls?: readonly WireCallDelta[] | null | undefined;
  readonly function_call?: WireFunction | null | undefined;
}

/** One of the answers. */
export interface WireChoice {
  readonly index?: number | null | undefined;
  readonly delta?: WireDelta | null | undefined;
  readonly message?: WireDelta | null | undefined;
  readonly finish_reason?: string | null | undefined;
  readonly usage?: unknown;
  readonly error?: unknown;
}

/** A chunk or a whole completion. */
export interface WireChunk {
  readonly choices?: readonly WireChoice[] | null | undefined;
  readonly usage?: unknown;
  readonly error?: unknown;
  /** MiniMax's way to say that it failed. */
  readonly base_resp?:
    | {
      readonly status_code: number;
      readonly status_msg?: string | null | undefined;
    }
    | null
    | undefined;
  readonly content?: unknown;
  readonly output_text?: unknown;
  readonly reasoning_content?: string | null | undefined;
  readonly finish_reason?: string | null | undefined;
}

const wireFunction: z.ZodType<WireFunction> = z.object({
  name: text,
  arguments: z.union([z.string(), json]).nullish().catch(null),
});
const wireDelta: z.ZodType<WireDelta> = z.object({
  content: z.unknown().optional(),
  reasoning_content: text,
  reasoning: text,
  refusal: text,
  tool_calls: z.array(z.object({
    index: count,
    id: text,
    function: wireFunction.nullish().catch(null),
    extra_content: json.nullish().catch(null),
  })).nullish().catch(null),
  function_call: wireFunction.nullish().catch(null),
});

/** The door for chunks and completions. */
export const wireChunk: z.ZodType<WireChunk> = z.object({
  choices: z.array(z.object({
    index: count,
    delta: wireDelta.nullish().catch(null),
    message: wireDelta.nullish().catch(null),
    finish_reason: text,
    usage: z.unknown().optional(),
    error: z.unknown().optional(),
  })).nullish().catch(null),
  usage: z.unknown().optional(),
  error: z.unknown().optional(),
  base_resp: z.object({ status_code: z.number(), status_msg: text }).nullish().catch(null),
  content: z.unknown().optional(),
  output_text: z.unknown().optional(),
  reasoning_content: text,
  finish_reason: text,
});

/** Tokens of a call, as vendors report them. */
export const wireUsage: z.ZodType<{
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null | undefined } | null;
  readonly completion_tokens_details?:
    | { readonly reasoning_tokens?: number | null | undefined }
    | null;
  readonly cached_tokens?: number | null | undefined;
  readonly prompt_cache_hit_tokens?: number | null | undefined;
}> = z.object({
  prompt_tokens: z.number().catch(0),
  completion_tokens: z.number().catch(0),
  total_tokens: z.number().catch(0),
  prompt_tokens_details: z.object({ cached_tokens: count }).nullable().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullable().catch(null),
  cached_tokens: count,
  prompt_cache_hit_tokens: count,
});

const contentItem = z.union([
  z.string(),
  z.object({ type: z.string().catch(""), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.unknown().optional() }),
]);

/** Content as text and as thinking; vendors send strings, or lists of blocks. */
export function splitContent(
  content: unknown,
): { readonly text: string; readonly thinking: string } {
  if (typeof content === "string") return { text: content, thinking: "" };
  if (!Array.isArray(content)) return { text: "", thinking: "" };
  let text = "";
  let thinking = "";
  for (const part of content) {
    const item = contentItem.safeParse(part).data;
    if (typeof item === "string") text += item;
    else if (item !== undefined && "text" in item) text += item.text;
    else if (item !== undefined) thinking += splitContent(item.thinking).text;
  }
  return { text, thinking };
}
