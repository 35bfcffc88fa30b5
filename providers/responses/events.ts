/**
 * The wire shape of the Responses API: events of a stream, or a whole response. Lenient: what has
 * an unknown type counts as absent.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const text = z.string().nullish().catch(null);
const count = z.number().nullish().catch(null);

/** A part of a message or of a summary. */
export interface WirePart {
  readonly type?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly refusal?: string | null | undefined;
}

/** A message, a call, or reasoning. */
export interface WireItem {
  readonly type: string;
  readonly id?: string | null | undefined;
  readonly call_id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly arguments?: string | JsonObject | null | undefined;
  readonly content?: readonly WirePart[] | null | undefined;
  readonly summary?: readonly WirePart[] | null | undefined;
  /** All of it, for reasoning that has to come back as it was. */
  readonly whole: JsonObject;
}

/** Tokens of a call. */
export interface WireUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_tokens_details?: { readonly cached_tokens?: number | null | undefined } | null;
  readonly output_tokens_details?:
    | { readonly reasoning_tokens?: number | null | undefined }
    | null;
}

/** A response, at its beginning or its end. */
export interface WireResponse {
  readonly status?: string | null | undefined;
  readonly output?: readonly WireItem[] | null | undefined;
  readonly usage?: WireUsage | null | undefined;
  readonly incomplete_details?: { readonly reason?: string | null | undefined } | null | undefined;
  readonly error?: unknown;
}

/** An event of a stream. */
export interface WireEvent {
  readonly type: string;
  readonly output_index?: number | null | undefined;
  readonly item_id?: string | null | undefined;
  readonly item?: WireItem | null | undefined;
  readonly delta?: string | null | undefined;
  readonly arguments?: string | null | undefined;
  readonly response?: WireResponse | null | undefined;
  readonly error?: unknown;
  readonly message?: string | null | undefined;
  readonly code?: string | null | undefined;
}

const parts = z.array(z.object({ type: text, text, refusal: text })).nullish().catch(null);
const itemFields = z.object({
  type: z.string(),
  id: text,
  call_id: text,
  name: text,
  arguments: z.union([z.string(), json]).nullish().catch(null),
  content: parts,
  summary: parts,
});
const item: z.ZodType<WireItem> = json.transform((whole, context): WireItem => {
  const { data } = itemFields.safeParse(whole);
  if (data !== undefined) return { ...data, whole };
  context.addIssue("no item");
  return z.NEVER;
});
const usage: z.ZodType<WireUsage> = z.object({
  input_tokens: z.number().catch(0),
  output_tokens: z.number().catch(0),
  total_tokens: z.number().catch(0),
  input_tokens_details: z.object({ cached_tokens: count }).nullable().catch(null),
  output_tokens_details: z.object({ reasoning_tokens: count }).nullable().catch(null),
});

/** The door for responses. */
export const wireResponse: z.ZodType<WireResponse> = z.object({
  status: text,
  output: z.array(item).nullish().catch(null),
  usage: usage.nullish().catch(null),
  incomplete_details: z.object({ reason: text }).nullish().catch(null),
  error: z.unknown().optional(),
});

/** The door for events. */
export const wireEvent: z.ZodType<WireEvent> = z.object({
  type: z.string().catch(""),
  output_index: count,
  item_id: text,
  item: item.nullish().catch(null),
  delta: text,
  arguments: text,
  response: wireResponse.nullish().catch(null),
  error: z.unknown().optional(),
  message: text,
  code: text,
});
