/**
 * The wire shape of Anthropic's answers: events of a stream, or a whole message. Lenient, as those
 * who copy the API are: what has an unknown type counts as absent.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const text = z.string().nullish().catch(null);
const count = z.number().nullish().catch(null);

/** Tokens so far; what is absent has not changed. */
export interface WireUsage {
  readonly input_tokens?: number | null | undefined;
  readonly output_tokens?: number | null | undefined;
  readonly cache_creation_input_tokens?: number | null | undefined;
  readonly cache_read_input_tokens?: number | null | undefined;
}

/** A block of content, or its beginning. */
export interface WireBlock {
  readonly type: string;
  readonly text?: string | null | undefined;
  readonly thinking?: string | null | undefined;
  readonly signature?: string | null | undefined;
  readonly data?: string | null | undefined;
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly input?: JsonObject | null | undefined;
}

/** A piece of a block. */
export interface WireDelta {
  readonly type?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly thinking?: string | null | undefined;
  readonly signature?: string | null | undefined;
  readonly partial_json?: string | null | undefined;
  readonly stop_reason?: string | null | undefined;
}

/** An event of a stream, or with type `message` and `content` a whole answer. */
export interface WireEvent {
  readonly type: string;
  readonly index?: number | null | undefined;
  readonly message?: { readonly usage?: WireUsage | null | undefined } | null | undefined;
  readonly content_block?: WireBlock | null | undefined;
  readonly delta?: WireDelta | null | undefined;
  readonly usage?: WireUsage | null | undefined;
  readonly content?: readonly WireBlock[] | null | undefined;
  readonly stop_reason?: string | null | undefined;
  readonly error?: unknown;
}

const usage: z.ZodType<WireUsage> = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
});
const block: z.ZodType<WireBlock> = z.object({
  type: z.string(),
  text,
  thinking: text,
  signature: text,
  data: text,
  id: text,
  name: text,
  input: json.nullish().catch(null),
});

/** The door for events and whole messages. */
export const wireEvent: z.ZodType<WireEvent> = z.object({
  type: z.string().catch(""),
  index: count,
  message: z.object({ usage: usage.nullish().catch(null) }).nullish().catch(null),
  content_block: block.nullish().catch(null),
  delta: z.object({
    type: text,
    text,
    thinking: text,
    signature: text,
    partial_json: text,
    stop_reason: text,
  }).nullish().catch(null),
  usage: usage.nullish().catch(null),
  content: z.array(block).nullish().catch(null),
  stop_reason: text,
  error: z.unknown().optional(),
});
