/**
 * What the journal keeps of a turn's steps: what came in from outside, so that the turn can be run
 * again without the world.
 * @module
 */

import type {
  Answerer,
  ChatResponse,
  ContentBlock,
  ProviderErrorDetail,
  ToolDefinition,
} from "../../../providers/provider.ts";
import type { Inbound } from "../../journal/journal.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { RecallHit } from "../../memory/recall/protocol.ts";
import type { ToolMessageOut } from "../../tools/tool.ts";
import type { DocumentText } from "../attached_documents.ts";
import type { SessionSettings } from "../ports.ts";

/**
 * Which step it was. `aside` takes lines out of what the model is shown, and `close` ends a turn
 * from outside; the others are named like the methods of `TurnSteps`.
 */
export const STEP_KINDS = [
  "begin",
  "again",
  "alone",
  "rest",
  "pause",
  "tools",
  "result",
  "join",
  "answer",
  "park",
  "close",
  "aside",
] as const;

/** One of {@link STEP_KINDS}. */
export type StepKind = typeof STEP_KINDS[number];

/** The part of an inbound that a turn sees. */
export type RecordedInbound = Pick<
  Inbound,
  | "channel"
  | "platformId"
  | "chatId"
  | "replyChannel"
  | "senderId"
  | "content"
  | "media"
  | "context"
  | "wantsStream"
>;

/** A message that was read, with what was read of its files. */
export interface RecordedRead {
  readonly inbound: RecordedInbound;
  /** When, in epoch milliseconds. */
  readonly readAtMs: number;
  /** Name of the memory that it belongs to; null is everybody's. */
  readonly scope: string | null;
  readonly isOwners: boolean;
  /** By their paths; null for what is no image. */
  readonly images: readonly (readonly [string, RecordedImage | null])[];
  readonly documents: readonly (readonly [string, DocumentText])[];
}

/** An image, whose data is not kept. */
export interface RecordedImage {
  readonly mime: string;
  readonly mark: string;
}

/** How a call of the model ended. */
export type RecordedOutcome =
  | {
    readonly state: "answered";
    readonly response: ChatResponse;
    readonly by: Answerer | null;
  }
  | (
    & { readonly state: "failed"; readonly message: string }
    & Pick<ProviderErrorDetail, "code" | "recovery" | "userText">
  )
  /** It came to no end: the turn ended from outside, or its time was over. */
  | { readonly state: "cut" };

/** One call of the model. Texts are named by their digests. */
export interface RecordedAsk {
  /** Digest of all that was asked. */
  readonly request: string;
  readonly system: string;
  readonly tools: string;
  readonly outcome: RecordedOutcome;
}

/** One call of a tool. */
export interface RecordedRun {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Images by their marks. */
  readonly content: string | readonly ContentBlock[];
  readonly isError: boolean;
  /** Name of the file that holds all of a long result. */
  readonly file?: string;
  /** What it sent to chats. */
  readonly sent: readonly ToolMessageOut[];
}

/** What a step took in; what does not concern it is absent. */
export interface RecordedStep {
  readonly kind: StepKind;
  /** The first of its life: the session forgot what it knew while it was awake. */
  readonly woke?: true;
  /** Of a turn that begins, or goes on: digest of its settings. */
  readonly settings?: string;
  /** Digest of the conversation's metadata as the turn found it. */
  readonly metadata?: string;
  /** How many messages were not summed up. */
  readonly replayable?: number;
  readonly reads?: readonly RecordedRead[];
  /** What messages brought to mind, by their platform ids: nothing, too. */
  readonly reminded?: readonly (readonly [string, readonly RecallHit[]])[];
  readonly asks?: readonly RecordedAsk[];
  readonly ran?: RecordedRun;
  /** How long the round of tools took that ended before it. */
  readonly tookMs?: number;
  /** Of an answer: nobody waited for the turn, and its time was over, whatever the model said. */
  readonly isLate?: true;
  /** How the turn was ended, and the line that says so. */
  readonly close?: { readonly state: "failed" | "stopped"; readonly note: string };
  /** Name of the line, what it says, and which it takes out. */
  readonly aside?: {
    readonly name: string;
    readonly note: string;
    readonly ids: readonly string[];
  };
}

/** Settings of a turn. */
export interface RecordedSettings {
  readonly settings: SessionSettings;
  /** Where the heartbeat's tasks are done, and how much is seen there; null without one. */
  readonly heartbeat: { readonly sessionKey: string; readonly recentMax: number } | null;
}

/** The tools that a request offered, and which of them run side by side. */
export interface RecordedTools {
  readonly definitions: readonly ToolDefinition[];
  readonly shared: readonly string[];
}
