/**
 * The rules of the journal for inbounds and turns, free of storage: which state may follow which,
 * and what a row becomes.
 * @module
 */

import { invariant, unreachable } from "../kernel/invariant.ts";
import { SYSTEM_CHANNEL } from "./journal_rows.ts";
import type {
  Inbound,
  InboundChange,
  InboundState,
  LineKey,
  NewInbound,
  TurnChange,
  TurnRecord,
} from "./journal_rows.ts";

/** States of an inbound, in the order of its life. */
export const INBOUND_STATES: readonly InboundState[] = [
  "accepted",
  "running",
  "done",
  "failed",
  "stopped",
  "parked",
];

/** What the rules need to see of an inbound. */
export type InboundStatus = Pick<
  Inbound,
  "seq" | "sessionKey" | "state" | "turnId" | "turnLine" | "endedAtMs"
>;

/** The row of a message that was just taken in; its place in the order is the store's to give. */
export function newInbound(inbound: NewInbound, nowMs: number): Omit<Inbound, "seq"> {
  return {
    channel: inbound.channel,
    platformId: inbound.platformId,
    sessionKey: inbound.sessionKey,
    chatId: inbound.chatId,
    replyChannel: replyChannelOf(inbound),
    senderId: inbound.senderId,
    content: inbound.content,
    media: inbound.media,
    context: inbound.context,
    wantsStream: inbound.wantsStream,
    acceptedAtMs: nowMs,
    state: "accepted",
    turnId: null,
    turnLine: null,
    endedAtMs: null,
    channelState: null,
    draft: inbound.draft ?? null,
  };
}

function replyChannelOf({ channel, replyChannel }: NewInbound): string | null {
  if (replyChannel !== undefined) return replyChannel;
  return channel === SYSTEM_CHANNEL ? null : channel;
}

/** Whether an inbound has come to an end. */
export function hasEndedInbound(state: InboundState): boolean {
  return state !== "accepted" && state !== "running";
}

/**
 * What `change` makes of an inbound. An end stays: the same end again changes nothing.
 *
 * @throws {InvariantError} for any other way out of an end, or back to `accepted`
 */
export function nextInbound(
  inbound: InboundStatus,
  change: InboundChange,
  nowMs: number,
): InboundStatus {
  const { state } = change;
  if (hasEndedInbound(inbound.state)) {
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
  const turnLine = change.turnLine ?? inbound.turnLine;
  return { ...inbound, state, turnId, turnLine, endedAtMs: hasEndedInbound(state) ? nowMs : null };
}

/** Inbounds of one turn in the order in which they joined it. */
export function inTurnOrder(inbounds: readonly Inbound[]): readonly Inbound[] {
  const lineOf = ({ turnLine }: Inbound) => turnLine ?? -1; // before lines were known: as accepted
  return inbounds.toSorted((one, other) => lineOf(one) - lineOf(other) || one.seq - other.seq);
}

/** An inbound that a person gives another chance; undefined when it needs none. */
export function retriedInbound(inbound: InboundStatus): InboundStatus | undefined {
  const isStuck = inbound.state === "parked" || inbound.state === "failed";
  if (!isStuck) return undefined;
  return { ...inbound, state: "accepted", turnId: null, turnLine: null, endedAtMs: null };
}

/** An inbound that a person gives up; undefined when it has ended well, was stopped, or runs. */
export function droppedInbound(
  inbound: InboundStatus,
  nowMs: number,
): InboundStatus | undefined {
  const { state } = inbound;
  const isIdle = state === "parked" || state === "accepted" || state === "failed";
  return isIdle ? { ...inbound, state: "stopped", endedAtMs: nowMs } : undefined;
}

/**
 * The turn after a step that begins it (again) or goes on with it.
 *
 * @param turn the row there is, if there is one
 * @throws {InvariantError} when a turn that was not begun goes on or ends
 */
export function nextTurn(turn: TurnRecord | undefined, change: TurnChange): TurnRecord {
  const { turnId, sessionKey, soloSeq = null } = change;
  if (turn === undefined) {
    invariant(change.change === "begin", `turn "${turnId}" was begun before its ${change.change}`);
    return { turnId, sessionKey, attempts: 1, lines: 0, soloSeq };
  }
  invariant(turn.sessionKey === sessionKey, `turn "${turnId}" stays in its session`);
  switch (change.change) {
    case "begin":
      return { ...turn, attempts: turn.attempts + 1, soloSeq };
    case "advance":
      return turn.attempts === 0 ? turn : { ...turn, attempts: 0 };
    case "rest":
      return { ...turn, attempts: Math.max(0, turn.attempts - 1), soloSeq: null };
    case "progress":
    case "end":
      return turn;
    default:
      return unreachable(change.change);
  }
}

/**
 * An open turn with one more line. They follow each other without a gap, over all its attempts.
 *
 * @throws {InvariantError} when one is missing or comes twice
 */
export function longerTurn(turn: TurnRecord, { sessionKey, line }: LineKey): TurnRecord {
  const { turnId, lines } = turn;
  invariant(sessionKey === turn.sessionKey, `turn "${turnId}" stays in its session`);
  invariant(line === lines, `line ${lines} of turn "${turnId}" is next, not ${line}`);
  return { ...turn, lines: lines + 1 };
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
