/**
 * Reads what {@link RecordedStep} and its texts are in the journal.
 * @module
 */

import { z } from "zod";
import type { RequestedCall, Usage } from "../../../providers/provider.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { RECALL_KINDS, type RecallHit } from "../../memory/recall/protocol.ts";
import type { DocumentText } from "../attached_documents.ts";
import {
  type RecordedAsk,
  type RecordedInbound,
  type RecordedOutcome,
  type RecordedRead,
  type RecordedRun,
  type RecordedSettings,
  type RecordedStep,
  type RecordedTools,
  STEP_KINDS,
} from "./recorded_step.ts";

const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json());

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const imageBlock = z.object({
  type: z.literal("image_url"),
  image_url: z.object({ url: z.string() }),
  _meta: z.object({ path: z.string() }).exactOptional(),
});

const content = z.union([
  z.string(),
  z.array(z.union([textBlock, imageBlock])).readonly(),
]);

const inbound: z.ZodType<RecordedInbound> = z.object({
  channel: z.string(),
  platformId: z.string(),
  chatId: z.string(),
  replyChannel: z.string().nullable(),
  senderId: z.string(),
  content: z.string(),
  media: z.array(z.string()),
  context: jsonObject,
  wantsStream: z.boolean(),
});

const hit: z.ZodType<RecallHit> = z.object({
  text: z.string(),
  kind: z.enum(RECALL_KINDS),
  path: z.string(),
  line: z.number(),
  sessionKey: z.string().nullable(),
  role: z.enum(["user", "assistant", ""]),
  atMs: z.number().nullable(),
  isForeign: z.boolean(),
});

const documentText: z.ZodType<DocumentText> = z.discriminatedUnion("state", [
  z.object({ state: z.literal("text"), text: z.string() }),
  z.object({ state: z.literal("unreadable"), reason: z.string() }),
]);

const read: z.ZodType<RecordedRead> = z.object({
  inbound,
  readAtMs: z.number(),
  scope: z.string().nullable(),
  isOwners: z.boolean(),
  images: z.array(
    z.tuple([z.string(), z.object({ mime: z.string(), mark: z.string() }).nullable()]),
  ),
  documents: z.array(z.tuple([z.string(), documentText])),
});

const call: z.ZodType<RequestedCall> = z.object({
  call: z.object({
    id: z.string(),
    type: z.literal("function"),
    function: z.object({ name: z.string(), arguments: z.string() }),
    extra_content: jsonObject.exactOptional(),
  }),
  parsed: z.discriminatedUnion("state", [
    z.object({ state: z.literal("ok"), value: jsonObject }),
    z.object({ state: z.literal("invalid"), problem: z.string() }),
  ]),
});

const usage: z.ZodType<Usage> = z.object({
  promptTokens: z.number(),
  completionTokens: z.number(),
  totalTokens: z.number(),
  cachedTokens: z.number().exactOptional(),
  cacheWriteTokens: z.number().exactOptional(),
  reasoningTokens: z.number().exactOptional(),
});

const outcome: z.ZodType<RecordedOutcome> = z.discriminatedUnion("state", [
  z.object({
    state: z.literal("answered"),
    response: z.object({
      content: z.string().nullable(),
      calls: z.array(call),
      finishReason: z.enum([
        ...["stop", "tool_calls", "length", "content_filter", "refusal", "other"] as const,
      ]),
      usage: usage.nullable(),
      reasoning: z.string().nullable(),
      thinkingBlocks: z.array(jsonObject),
    }),
    by: z.object({ provider: z.string(), model: z.string() }).nullable(),
  }),
  z.object({
    state: z.literal("failed"),
    message: z.string(),
    code: z.enum([
      "provider_unconfigured",
      "provider_auth",
      "provider_quota",
      "provider_rate_limited",
      "provider_overloaded",
      "provider_timeout",
      "provider_connection",
      "provider_bad_request",
      "provider_context_too_long",
      "provider_content_filter",
      "provider_empty",
      "provider_web_page",
      "provider_aborted",
    ]),
    recovery: z.enum(["retry", "restart", "give_up"]),
    userText: z.string(),
  }),
  z.object({ state: z.literal("cut") }),
]);

const ask: z.ZodType<RecordedAsk> = z.object({
  request: z.string(),
  system: z.string(),
  tools: z.string(),
  outcome,
});

const ran: z.ZodType<RecordedRun> = z.object({
  id: z.string(),
  tool: z.string(),
  args: jsonObject,
  content: content,
  isError: z.boolean(),
  file: z.string().exactOptional(),
  sent: z.array(z.object({
    channel: z.string(),
    chatId: z.string(),
    content: z.string(),
    media: z.array(z.string()),
  })),
});

/** Reads a step. */
export const recordedStep: z.ZodType<RecordedStep> = z.object({
  kind: z.enum(STEP_KINDS),
  woke: z.literal(true).exactOptional(),
  settings: z.string().exactOptional(),
  metadata: z.string().exactOptional(),
  replayable: z.number().exactOptional(),
  reads: z.array(read).exactOptional(),
  reminded: z.array(z.tuple([z.string(), z.array(hit)])).exactOptional(),
  asks: z.array(ask).exactOptional(),
  ran: ran.exactOptional(),
  tookMs: z.number().exactOptional(),
  isLate: z.literal(true).exactOptional(),
  close: z.object({ state: z.enum(["failed", "stopped"]), note: z.string() }).exactOptional(),
  aside: z.object({ name: z.string(), note: z.string(), ids: z.array(z.string()) }).exactOptional(),
});

/** Reads settings. */
export const recordedSettings: z.ZodType<RecordedSettings> = z.object({
  settings: z.object({
    model: z.string(),
    temperature: z.number(),
    tokensMax: z.number(),
    contextWindowTokens: z.number(),
    contextBlockLimit: z.number().nullable(),
    reasoningEffort: z.string().nullable(),
    toolIterationsMax: z.number(),
    toolResultCharsMax: z.number(),
    timezone: z.string(),
    workspace: z.string(),
    version: z.string(),
    idleMs: z.number(),
    joinsPerStepMax: z.number(),
    joinsPerTurnMax: z.number(),
  }),
  heartbeat: z.object({ sessionKey: z.string(), recentMax: z.number() }).nullable(),
});

/** Reads tools. */
export const recordedTools: z.ZodType<RecordedTools> = z.object({
  definitions: z.array(
    z.object({ name: z.string(), description: z.string(), parameters: jsonObject }),
  ),
  shared: z.array(z.string()),
});

/** A conversation's metadata. */
export const recordedMetadata: z.ZodType<JsonObject> = jsonObject;
