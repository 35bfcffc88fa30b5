/**
 * What a call writes: the rules of the journal, applied to a storage inside a transaction.
 * @module
 */

import { invariant } from "../kernel/invariant.ts";
import type {
  Accepted,
  HistoryLine,
  Inbound,
  InboundChange,
  InboundCompletion,
  NewInbound,
  NewOutbound,
  Outbound,
  OutboundChange,
  Step,
  TurnChange,
  TurnRecord,
} from "./journal_rows.ts";
import { newOutbound, nextOutbound, reopenedOutbound } from "./outbound_rules.ts";
import { longerTurn, newInbound, nextInbound, nextTurn } from "./rules.ts";
import type { JournalStore } from "./store.ts";
import { usageRows } from "./usage.ts";

/** Takes a message in, unless its platform id is known. */
export function acceptInbound(store: JournalStore, inbound: NewInbound, nowMs: number): Accepted {
  const known = store.inboundSeq(inbound.channel, inbound.platformId);
  if (known !== undefined) return { state: "duplicate", seq: known };
  const row = newInbound(inbound, nowMs);
  return { state: "accepted", inbound: { ...row, seq: store.insertInbound(row) } };
}

/** Completes a draft that still waits; null when there is none. */
export function completeInbound(
  store: JournalStore,
  { channel, platformId, content, media }: InboundCompletion,
): Inbound | null {
  const draft = store.inbound(channel, platformId);
  if (draft === undefined || draft.draft === null || draft.state !== "accepted") return null;
  store.completeInbound(draft.seq, { content, media });
  return { ...draft, content, media, draft: null };
}

/** Stops an inbound that still waits; false when it does not. */
export function withdrawInbound(store: JournalStore, seq: number, nowMs: number): boolean {
  const inbound = store.inboundStatus(seq);
  if (inbound?.state !== "accepted") return false;
  store.updateInbound(nextInbound(inbound, { seq, state: "stopped" }, nowMs));
  return true;
}

/**
 * Writes a step: the turn begins or goes on, its lines, the inbounds, the outbounds; last of all
 * the turn ends. Gives the outbound rows it made, in order.
 *
 * @throws {InvariantError} when the step is not possible from the rows there are
 */
export function applyStep(store: JournalStore, step: Step, nowMs: number): readonly Outbound[] {
  const turns = new StepTurns(store);
  if (step.turn !== undefined) changeTurn(turns, step.turn);
  if (step.lines !== undefined) addLines(turns, step.lines);
  turns.keep();
  for (const change of step.inbounds ?? []) changeInbound(turns, change, nowMs);
  for (const change of step.outboundChanges ?? []) changeOutbound(store, change, nowMs);
  const made = (step.outbounds ?? []).map((outbound) => putOutbound(store, outbound, nowMs));
  for (const { channel, platformId, channelState } of step.inboundMemory ?? []) {
    const seq = store.inboundSeq(channel, platformId);
    // A message that was never taken in, or is long gone, has nothing to be remembered for.
    if (seq !== undefined) store.rememberInbound(seq, channelState);
  }
  for (const { key, value } of step.notes ?? []) store.putNote(key, value);
  countUsage(store, step, nowMs);
  if (step.recordsReset !== undefined) store.forgetRecords(step.recordsReset);
  for (const record of step.records ?? []) {
    if (record.turnId === "") store.forgetRecords(record.sessionKey);
    store.insertRecord(record);
  }
  if (step.turn?.change === "end") endTurn(store, step.turn);
  return made;
}

/** The open turns of one step: each is read once, and written once. */
class StepTurns {
  readonly store: JournalStore;
  readonly #turns = new Map<string, TurnRecord>();
  readonly #changed = new Set<TurnRecord>();

  constructor(store: JournalStore) {
    this.store = store;
  }

  /** A turn, if it is open in that session. */
  get(turnId: string, sessionKey: string): TurnRecord | undefined {
    const known = this.#turns.get(turnId);
    if (known !== undefined) return known;
    const open = this.store.turn(sessionKey);
    if (open?.turnId !== turnId) return undefined; // it may be open in another one
    this.#turns.set(turnId, open);
    return open;
  }

  change(from: TurnRecord | undefined, to: TurnRecord): void {
    if (from !== undefined) this.#changed.delete(from);
    this.#changed.add(to);
    this.#turns.set(to.turnId, to);
  }

  /** Writes what has changed. */
  keep(): void {
    for (const turn of this.#changed) this.store.putTurn(turn);
    this.#changed.clear();
  }
}

function changeTurn(turns: StepTurns, change: TurnChange): void {
  const turn = turns.get(change.turnId, change.sessionKey);
  const next = nextTurn(turn, change);
  if (next === turn) return;
  if (turn === undefined) {
    const { store } = turns;
    const open = store.turn(change.sessionKey);
    invariant(open === undefined, `session "${change.sessionKey}" has one open turn at a time`);
    store.forgetUsage("turn", change.sessionKey);
  }
  turns.change(turn, next);
}

function countUsage(store: JournalStore, { usage = [], usageReset }: Step, nowMs: number): void {
  if (usageReset !== undefined) {
    store.forgetUsage("session", usageReset);
    store.forgetUsage("turn", usageReset);
  }
  for (const row of usage.flatMap((entry) => usageRows(entry, nowMs))) store.addUsage(row);
}

/** Ends a turn. What still runs in it would never be found again. */
function endTurn(store: JournalStore, { turnId, sessionKey }: TurnChange): void {
  invariant(
    !store.hasRunning(sessionKey, turnId),
    `no inbound still runs when turn "${turnId}" ends`,
  );
  store.deleteTurn(sessionKey);
}

function addLines(turns: StepTurns, lines: readonly HistoryLine[]): void {
  for (const line of lines) {
    const turn = turns.get(line.turnId, line.sessionKey);
    if (turn !== undefined) turns.change(turn, longerTurn(turn, line));
    const where = `line ${line.line} of turn "${line.turnId}"`;
    invariant(Number.isSafeInteger(line.line) && line.line >= 0, `${where} has a number`);
    invariant(turns.store.insertLine(line), `${where} is written once`);
  }
}

function changeInbound(turns: StepTurns, change: InboundChange, nowMs: number): void {
  const { store } = turns;
  const inbound = store.inboundStatus(change.seq);
  invariant(inbound !== undefined, `inbound ${change.seq} is in the journal`);
  const next = nextInbound(inbound, change, nowMs);
  if (next.state === "running" && next.turnId !== null) {
    const turn = turns.get(next.turnId, inbound.sessionKey);
    invariant(
      turn?.sessionKey === inbound.sessionKey,
      `inbound ${change.seq} runs in an open turn of its session`,
    );
  }
  if (next !== inbound) store.updateInbound(next);
}

function changeOutbound(store: JournalStore, change: OutboundChange, nowMs: number): void {
  const row = store.outbound(change.key);
  invariant(row !== undefined, `outbound "${change.key}" is in the journal`);
  store.updateOutbound(nextOutbound(row, change, nowMs));
}

function putOutbound(store: JournalStore, outbound: NewOutbound, nowMs: number): Outbound {
  const row = store.outbound(outbound.key);
  if (row === undefined) {
    const made = newOutbound(outbound, nowMs);
    return { ...made, id: store.insertOutbound(made) };
  }
  const reopened = reopenedOutbound(row, outbound, nowMs);
  store.updateOutbound(reopened);
  return reopened;
}
