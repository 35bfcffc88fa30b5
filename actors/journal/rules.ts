/**
 * The rules of the journal, free of storage: which state may follow which, and what a row becomes.
 * @module
 */

import { invariant } from "../kernel/invariant.ts";
import type {
  HistoryLine,
  Inbound,
  InboundChange,
  InboundState,
  NewInbound,
  NewOutbound,
  Outbound,
  OutboundChange,
  OutboundState,
  TurnChange,
  TurnRecord,
} from "./journal.ts";

/** States of an inbound, in the order of its life. */
export const INBOUND_STATES: readonly InboundState[] = [
  "accepted",
  "running",
  "done",
  "failed",
  "stopped",
  "parked",
];

/** States of an outbound, in the order of its life. */
export const OUTBOUND_STATES: readonly OutboundState[] = [
  "open",
  "pending",
  "sent",
  "failed",
  "unknown",
];

/** What the rules need to see of an inbound. */
export type InboundStatus = Pick<Inbound, "seq" | "sessionKey" | "state" | "turnId">;

/** The row of a message that was just taken in; its place in the order is the store's to give. */
export function newInbound(inbound: NewInbound, nowMs: number): Omit<Inbound, "seq"> {
  return {
    channel: inbound.channel,
    platformId: inbound.platformId,
    sessionKey: inbound.sessionKey,
    chatId: inbound.chatId,
    senderId: inbound.senderId,
    content: inbound.content,
    media: inbound.media,
    context: inbound.context,
    wantsStream: inbound.wantsStream,
    acceptedAtMs: nowMs,
    state: "accepted",
    turnId: null,
    channelState: null,
    draft: inbound.draft ?? null,
  };
}

/**
 * What `change` makes of an inbound. An end stays: the same end again changes nothing.
 *
 * @throws {InvariantError} for any other way out of an end, or back to `accepted`
 */
export function nextInbound(inbound: InboundStatus, change: InboundChange): InboundStatus {
  const { state } = change;
  if (inbound.state !== "accepted" && inbound.state !== "running") {
    invariant(
      state === inbound.state,
      `inbound ${inbound.seq} stays ${inbound.state}, not ${state}`,
    );
    return inbound;
  }
  invariant(
    state !== "accepted" || inbound.state === "accepted",
    `inbound ${inbound.seq} does not go from running back to accepted`,
  );
  const turnId = change.turnId ?? inbound.turnId;
  invariant(state !== "running" || turnId !== null, `inbound ${inbound.seq} runs in a turn`);
  return { ...inbound, state, turnId };
}

/** The row of a message for a chat that was just made, due at once. */
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
    attempts: 0,
    firstAttemptMs: null,
    nextAttemptMs: nowMs,
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
export function reopenedOutbound(row: Outbound, outbound: NewOutbound): Outbound {
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
  };
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
export function nextOutbound(row: Outbound, change: OutboundChange): Outbound {
  const state = change.state ?? row.state;
  invariant(
    OUTBOUND_WAYS[row.state].includes(state),
    `outbound "${row.key}" does not go from ${row.state} to ${state}`,
  );
  const hasEnded = row.state !== "open" && row.state !== "pending";
  const isRewritten = change.content !== undefined || change.preamble !== undefined ||
    change.settles !== undefined;
  invariant(!hasEnded || !isRewritten, `outbound "${row.key}" has ended and keeps its content`);
  for (const value of [change.attempts, change.firstAttemptMs, change.nextAttemptMs]) {
    invariant(value === undefined || Number.isSafeInteger(value), "counts and times are integers");
  }
  return {
    ...row,
    state,
    content: change.content ?? row.content,
    preamble: change.preamble ?? row.preamble,
    settles: change.settles ?? row.settles,
    attempts: change.attempts ?? row.attempts,
    firstAttemptMs: change.firstAttemptMs ?? row.firstAttemptMs,
    nextAttemptMs: change.nextAttemptMs ?? row.nextAttemptMs,
    channelState: change.channelState === undefined ? row.channelState : change.channelState,
    receipt: change.receipt ?? row.receipt,
    error: change.error === undefined ? row.error : change.error,
  };
}

/**
 * The turn after a step that begins it (again) or goes on with it.
 *
 * @param turn the row there is, if there is one
 * @throws {InvariantError} when a turn that was not begun goes on or ends
 */
export function nextTurn(turn: TurnRecord | undefined, change: TurnChange): TurnRecord {
  const { turnId, sessionKey } = change;
  if (turn === undefined) {
    invariant(change.change === "begin", `turn "${turnId}" was begun before its ${change.change}`);
    return { turnId, sessionKey, attempts: 1, lines: 0 };
  }
  invariant(turn.sessionKey === sessionKey, `turn "${turnId}" stays in its session`);
  return change.change === "begin" ? { ...turn, attempts: turn.attempts + 1 } : turn;
}

/**
 * An open turn with more lines. They follow each other without a gap, over all its attempts.
 *
 * @throws {InvariantError} when one is missing or comes twice
 */
export function longerTurn(turn: TurnRecord, added: readonly HistoryLine[]): TurnRecord {
  let { lines } = turn;
  for (const { sessionKey, line } of added) {
    invariant(sessionKey === turn.sessionKey, `turn "${turn.turnId}" stays in its session`);
    invariant(line === lines, `line ${lines} of turn "${turn.turnId}" is next, not ${line}`);
    lines++;
  }
  return { ...turn, lines };
}

/** How many rows are in each state, from counts of some states. */
export function tally<S extends string>(
  states: readonly S[],
  counted: Iterable<{ readonly state: string; readonly rows: number }>,
): Record<S, number> {
  const totals = new Map<string, number>();
  for (const { state, rows } of counted) totals.set(state, (totals.get(state) ?? 0) + rows);
  return Object.fromEntries(states.map((state) => [state, totals.get(state) ?? 0])) as Record<
    S,
    number
  >;
}
