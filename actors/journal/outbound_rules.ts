/**
 * The rules of the journal for outbounds, free of storage: which state may follow which, and what
 * a row becomes.
 * @module
 */

import { invariant } from "../kernel/invariant.ts";
import type { NewOutbound, Outbound, OutboundChange, OutboundState } from "./journal_rows.ts";

/** States of an outbound, in the order of its life. */
export const OUTBOUND_STATES: readonly OutboundState[] = [
  "open",
  "pending",
  "sent",
  "failed",
  "unknown",
];

/**
 * The row of a message for a chat that was just made, due at once. A complete one may go out in
 * the moment in which it is durable, so that a crash leaves its first attempt in doubt; whoever
 * does not try it at once takes the doubt back. This saves each answer a commit of its own.
 */
export function newOutbound(outbound: NewOutbound, nowMs: number): Omit<Outbound, "id"> {
  return {
    key: outbound.key,
    channel: outbound.channel,
    chatId: outbound.chatId,
    sessionKey: outbound.sessionKey,
    state: outbound.state,
    content: outbound.content,
    preamble: outbound.preamble,
    media: outbound.media,
    context: outbound.context,
    isPlain: outbound.isPlain,
    settles: outbound.settles,
    createdAtMs: nowMs,
    endedAtMs: null,
    attempts: 0,
    firstAttemptMs: null,
    nextAttemptMs: nowMs,
    doubtSinceMs: outbound.state === "pending" ? nowMs : null,
    mayRepeat: false,
    channelState: null,
    receipt: [],
    error: null,
  };
}

/**
 * What an `open` row becomes when its message is given again: the content is new; the id and what
 * its channel remembers stay.
 *
 * @throws {InvariantError} when the row is no longer open, or belongs to another chat
 */
export function reopenedOutbound(row: Outbound, outbound: NewOutbound, nowMs: number): Outbound {
  invariant(row.state === "open", `outbound "${row.key}" is open, not ${row.state}`);
  invariant(
    row.channel === outbound.channel && row.chatId === outbound.chatId,
    `outbound "${row.key}" stays in its chat`,
  );
  return {
    ...row,
    state: outbound.state,
    content: outbound.content,
    preamble: outbound.preamble,
    media: outbound.media,
    context: outbound.context,
    isPlain: outbound.isPlain,
    settles: outbound.settles,
    doubtSinceMs: outbound.state === "pending" ? nowMs : null,
  };
}

/** Whether an outbound has come to an end that nothing but a person changes. */
export function hasEndedOutbound({ state, doubtSinceMs }: OutboundStatus): boolean {
  return state === "sent" || state === "failed" || (state === "unknown" && doubtSinceMs === null);
}

/** What tells whether an outbound has ended. */
export type OutboundStatus = Pick<Outbound, "state" | "doubtSinceMs">;

/**
 * An outbound that a person gives another chance; undefined when it needs none. One that may have
 * arrived says that it may be a repetition.
 */
export function retriedOutbound(row: Outbound, nowMs: number): Outbound | undefined {
  if (row.state !== "failed" && row.state !== "unknown") return undefined;
  return {
    ...row,
    state: "pending",
    endedAtMs: null,
    attempts: 0,
    firstAttemptMs: null,
    nextAttemptMs: nowMs,
    doubtSinceMs: null,
    mayRepeat: row.mayRepeat || row.state === "unknown",
    error: null,
  };
}

/** An outbound that a person gives up; undefined when it has ended or still grows. */
export function droppedOutbound(row: Outbound, nowMs: number): Outbound | undefined {
  if (row.state !== "pending" && row.state !== "unknown") return undefined;
  const error = row.error ?? "given up on request";
  return { ...row, state: "failed", endedAtMs: nowMs, doubtSinceMs: null, error };
}

/**
 * Where an outbound may go. An open stream is completed (`pending`) before it is sent; `unknown`
 * ends the blind attempts, until a look-up at the platform tells more.
 */
const OUTBOUND_WAYS: Readonly<Record<OutboundState, readonly OutboundState[]>> = {
  open: ["open", "pending", "failed", "unknown"],
  pending: ["pending", "sent", "failed", "unknown"],
  sent: ["sent"],
  failed: ["failed"],
  unknown: ["unknown", "pending", "sent", "failed"],
};

/**
 * What `change` makes of an outbound.
 *
 * @throws {InvariantError} for a way that is not allowed, for new content of a row that ended,
 * and for numbers that are no integers
 */
export function nextOutbound(row: Outbound, change: OutboundChange, nowMs: number): Outbound {
  const state = change.state ?? row.state;
  invariant(
    OUTBOUND_WAYS[row.state].includes(state),
    `outbound "${row.key}" does not go from ${row.state} to ${state}`,
  );
  const hasEnded = row.state !== "open" && row.state !== "pending";
  const isRewritten = change.content !== undefined || change.preamble !== undefined ||
    change.settles !== undefined;
  invariant(!hasEnded || !isRewritten, `outbound "${row.key}" has ended and keeps its content`);
  const { attempts, firstAttemptMs, nextAttemptMs, doubtSinceMs } = change;
  for (const value of [attempts, firstAttemptMs, nextAttemptMs, doubtSinceMs ?? undefined]) {
    invariant(value === undefined || Number.isSafeInteger(value), "counts and times are integers");
  }
  const doubt = nextDoubt(row, state, change);
  const isOver = hasEndedOutbound({ state, doubtSinceMs: doubt });
  return {
    ...row,
    state,
    endedAtMs: isOver ? row.endedAtMs ?? nowMs : null,
    content: change.content ?? row.content,
    preamble: change.preamble ?? row.preamble,
    settles: change.settles ?? row.settles,
    attempts: attempts ?? row.attempts,
    firstAttemptMs: firstAttemptMs ?? row.firstAttemptMs,
    nextAttemptMs: nextAttemptMs ?? row.nextAttemptMs,
    doubtSinceMs: doubt,
    mayRepeat: change.mayRepeat ?? row.mayRepeat,
    channelState: change.channelState === undefined ? row.channelState : change.channelState,
    receipt: change.receipt ?? row.receipt,
    error: change.error === undefined ? row.error : change.error,
  };
}

/** What is sent or failed leaves no doubt; an open row that is completed may be tried at once. */
function nextDoubt(row: Outbound, state: OutboundState, change: OutboundChange): number | null {
  if (state === "sent" || state === "failed") return null;
  return change.doubtSinceMs === undefined ? row.doubtSinceMs : change.doubtSinceMs;
}
