/**
 * What the steps of a turn are made of: what they are told, and the rows that they write.
 * @module
 */

import type { AssistantMessage, ToolCall, UserMessage } from "../../providers/provider.ts";
import type {
  Inbound,
  InboundChange,
  NewOutbound,
  Outbound,
  Settlement,
  Step,
} from "../journal/journal.ts";
import { invariant } from "../kernel/invariant.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { LineDraft, LogStep } from "./session_log.ts";

/** An inbound and the line that records it. */
export interface Joining {
  readonly inbound: Inbound;
  readonly message: UserMessage;
  /** Further fields of its line. */
  readonly extras: JsonObject;
  /** When it was read, in epoch milliseconds: what its line, and the model, are told as its time. */
  readonly readAtMs: number;
}

/** An answer, and how it leaves the inbounds it answers. */
export interface GivenAnswer {
  readonly outcome: "done" | "failed";
  /** The line to store; null stores none. */
  readonly message: AssistantMessage | null;
  /** What is sent; "" only settles. */
  readonly content: string;
  readonly preamble: string;
}

/** What is known of a turn when it was interrupted. */
export interface TurnRemains {
  /** Lines it has written. */
  readonly lines: number;
  /** Its inbounds without an answer, in order. */
  readonly inbounds: readonly Inbound[];
  readonly openCalls: readonly ToolCall[];
  /** Answers it gave. */
  readonly answers: number;
  readonly openRow: Outbound | undefined;
}

/** What ends a turn from outside, to be committed with whatever ends it. */
export interface Closing {
  readonly step: Omit<LogStep, "outbounds">;
  readonly drafts: readonly LineDraft[];
}

/** How a turn pauses. */
export interface Pausing {
  /** What closes the answer that was growing, or is said by itself; null where all was said. */
  readonly content: string | null;
  readonly preamble: string;
  readonly notes: NonNullable<Step["notes"]>;
}

/** How an inbound is parked. */
export interface Parking {
  /** The lines that go with it: that which records it, where it is known, and what came of it. */
  readonly lineIds: readonly string[];
  /** Stands in the history. */
  readonly note: string;
  /** Told to its sender. */
  readonly notice: string;
}

/** How an answer is sent. */
export type AnswerFields = Pick<
  NewOutbound,
  "key" | "sessionKey" | "state" | "content" | "preamble" | "settles"
>;

/** The row of an answer to `inbounds`; none where replies go nowhere. */
export function answerRows(inbounds: readonly Inbound[], fields: AnswerFields): NewOutbound[] {
  const [inbound] = inbounds;
  invariant(inbound !== undefined, "an answer answers an inbound");
  const { replyChannel: channel, chatId, context } = inbound;
  if (channel === null) return [];
  return [{ channel, chatId, context, media: [], isPlain: false, ...fields }];
}

/** How the inbounds end in the journal. */
export function changes(
  inbounds: readonly Inbound[],
  state: "done" | "failed" | "stopped",
): InboundChange[] {
  return inbounds.map(({ seq }) => ({ seq, state }));
}

/** How the inbounds end at their platform; what came from inside has none. */
export function settlements(
  inbounds: readonly Inbound[],
  outcome: Settlement["outcome"],
): Settlement[] {
  return inbounds.filter(({ channel, replyChannel }) => channel === replyChannel)
    .map(({ platformId }) => ({ platformId, outcome }));
}
