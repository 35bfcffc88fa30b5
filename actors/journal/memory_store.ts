/**
 * The journal's rows in memory, with transactions that can be taken back.
 * @module
 */

import { invariant } from "../kernel/invariant.ts";
import type { JsonValue } from "../kernel/json.ts";
import type { HistoryLine, Inbound, JournalCounts, Outbound, TurnRecord } from "./journal.ts";
import { INBOUND_STATES, type InboundStatus, OUTBOUND_STATES, tally } from "./rules.ts";
import type { Durability, JournalStore } from "./store.ts";

/** All that a journal holds, as plain data. */
export interface JournalRows {
  /** The last `seq` that was given; never given again. */
  readonly lastSeq: number;
  /** The last outbound `id` that was given. */
  readonly lastId: number;
  readonly inbounds: readonly Inbound[];
  readonly turns: readonly TurnRecord[];
  readonly lines: readonly HistoryLine[];
  readonly outbounds: readonly Outbound[];
}

/** A journal without rows. */
export const NO_ROWS: JournalRows = {
  lastSeq: 0,
  lastId: 0,
  inbounds: [],
  turns: [],
  lines: [],
  outbounds: [],
};

/** A {@link JournalStore} in memory. Rows are copied on their way in and never changed in place. */
export class MemoryStore implements JournalStore {
  readonly #inbounds = new Map<number, Inbound>();
  readonly #seqs = new Map<string, number>();
  /** Seqs of inbounds in state `accepted` or `running`. */
  readonly #unfinished = new Set<number>();
  readonly #turns = new Map<string, TurnRecord>();
  readonly #turnsOfSessions = new Map<string, string>();
  /** Lines by their place in the order in which they were added. */
  readonly #lines = new Map<number, HistoryLine>();
  readonly #linePlaces = new Map<string, number>();
  readonly #outbounds = new Map<string, Outbound>();
  /** Keys of outbounds in state `open` or `pending`. */
  readonly #unsent = new Set<string>();
  #lastSeq: number;
  #lastId: number;
  #lastPlace = 0;
  /** How to take back what the transaction did so far; undefined outside of one. */
  #undo: (() => void)[] | undefined;
  /** How to take back what was written since the last sync. */
  #unsynced: (() => void)[] = [];

  constructor(rows: JournalRows = NO_ROWS) {
    this.#lastSeq = rows.lastSeq;
    this.#lastId = rows.lastId;
    for (const inbound of rows.inbounds) this.#setInbound(inbound);
    for (const turn of rows.turns) this.putTurn(turn);
    for (const line of rows.lines) this.insertLine(line);
    for (const outbound of rows.outbounds) this.#setOutbound(outbound);
  }

  /** All rows, as they stand. */
  rows(): JournalRows {
    return {
      lastSeq: this.#lastSeq,
      lastId: this.#lastId,
      inbounds: [...this.#inbounds.values()].sort((a, b) => a.seq - b.seq),
      turns: [...this.#turns.values()],
      lines: [...this.#lines].sort(([a], [b]) => a - b).map(([, line]) => line),
      outbounds: [...this.#outbounds.values()].sort((a, b) => a.id - b.id),
    };
  }

  transaction(work: () => void, durability: Durability): void {
    invariant(this.#undo === undefined, "transactions do not nest");
    const undo: (() => void)[] = [];
    this.#undo = undo;
    try {
      work();
    } catch (error) {
      takeBack(undo);
      throw error;
    } finally {
      this.#undo = undefined;
    }
    if (durability === "synced") this.#unsynced = [];
    else this.#unsynced.push(...undo);
  }

  /** Takes back all that was not synced, as a power cut may. */
  loseUnsynced(): void {
    takeBack(this.#unsynced);
    this.#unsynced = [];
  }

  insertInbound(inbound: Omit<Inbound, "seq">): number {
    const seq = this.#lastSeq + 1;
    this.#lastSeq = seq;
    this.#undo?.push(() => this.#lastSeq = seq - 1);
    this.#setInbound({ ...structuredClone(inbound), seq });
    return seq;
  }

  inboundSeq(channel: string, platformId: string): number | undefined {
    return this.#seqs.get(JSON.stringify([channel, platformId]));
  }

  inboundStatus(seq: number): InboundStatus | undefined {
    return this.#inbounds.get(seq);
  }

  inboundMemory(channel: string, platformId: string): JsonValue {
    const seq = this.inboundSeq(channel, platformId);
    return seq === undefined ? null : this.#inbounds.get(seq)?.channelState ?? null;
  }

  updateInbound({ seq, state, turnId }: InboundStatus): void {
    this.#setInbound({ ...this.#knownInbound(seq), state, turnId });
  }

  rememberInbound(seq: number, channelState: JsonValue): void {
    this.#setInbound({ ...this.#knownInbound(seq), ...structuredClone({ channelState }) });
  }

  inbound(channel: string, platformId: string): Inbound | undefined {
    const seq = this.inboundSeq(channel, platformId);
    return seq === undefined ? undefined : this.#inbounds.get(seq);
  }

  completeInbound(seq: number, completed: Pick<Inbound, "content" | "media">): void {
    const { content, media } = structuredClone(completed);
    this.#setInbound({ ...this.#knownInbound(seq), content, media, draft: null });
  }

  waitingDrafts(channel: string, afterSeq: number, limit: number): Inbound[] {
    return this.#unfinishedInbounds()
      .filter((it) => it.state === "accepted" && it.draft !== null && it.channel === channel)
      .filter((it) => it.seq > afterSeq)
      .slice(0, limit);
  }

  waitingInbounds(sessionKey: string, afterSeq: number, limit: number): Inbound[] {
    return this.#unfinishedInbounds()
      .filter((it) => it.state === "accepted" && it.sessionKey === sessionKey && it.seq > afterSeq)
      .slice(0, limit);
  }

  runningInbounds(sessionKey: string, turnId: string): Inbound[] {
    return this.#unfinishedInbounds().filter((it) =>
      it.state === "running" && it.sessionKey === sessionKey && it.turnId === turnId
    );
  }

  hasRunning(sessionKey: string, turnId: string): boolean {
    return this.runningInbounds(sessionKey, turnId).length > 0;
  }

  turn(turnId: string): TurnRecord | undefined {
    return this.#turns.get(turnId);
  }

  turnOfSession(sessionKey: string): TurnRecord | undefined {
    const turnId = this.#turnsOfSessions.get(sessionKey);
    return turnId === undefined ? undefined : this.#turns.get(turnId);
  }

  putTurn(turn: TurnRecord): void {
    this.#set(this.#turns, turn.turnId, turn);
    this.#set(this.#turnsOfSessions, turn.sessionKey, turn.turnId);
  }

  deleteTurn(turnId: string): void {
    const turn = this.#turns.get(turnId);
    if (turn === undefined) return;
    this.#set(this.#turns, turnId, undefined);
    this.#set(this.#turnsOfSessions, turn.sessionKey, undefined);
  }

  insertLine(line: HistoryLine): boolean {
    const key = JSON.stringify([line.turnId, line.line]);
    if (this.#linePlaces.has(key)) return false;
    const place = ++this.#lastPlace;
    this.#set(this.#linePlaces, key, place);
    this.#set(this.#lines, place, { ...line });
    return true;
  }

  lines(sessionKey: string): HistoryLine[] {
    return [...this.#lines]
      .filter(([, line]) => line.sessionKey === sessionKey)
      .sort(([a], [b]) => a - b)
      .map(([, line]) => line);
  }

  deleteLine(turnId: string, line: number): void {
    const key = JSON.stringify([turnId, line]);
    const place = this.#linePlaces.get(key);
    if (place === undefined) return;
    this.#set(this.#linePlaces, key, undefined);
    this.#set(this.#lines, place, undefined);
  }

  insertOutbound(outbound: Omit<Outbound, "id">): number {
    const id = this.#lastId + 1;
    this.#lastId = id;
    this.#undo?.push(() => this.#lastId = id - 1);
    this.#setOutbound({ ...structuredClone(outbound), id });
    return id;
  }

  outbound(key: string): Outbound | undefined {
    return this.#outbounds.get(key);
  }

  updateOutbound(outbound: Outbound): void {
    this.#setOutbound(structuredClone(outbound));
  }

  unsentOutbounds(channel: string, afterId: number, limit: number): Outbound[] {
    return [...this.#unsent]
      .flatMap((key) => this.#outbounds.get(key) ?? [])
      .filter((outbound) => outbound.channel === channel && outbound.id > afterId)
      .sort((a, b) => a.id - b.id)
      .slice(0, limit);
  }

  unfinishedSessions(): Map<string, number> {
    const sessions = new Map<string, number>();
    for (const { sessionKey, seq } of this.#unfinishedInbounds()) {
      if (!sessions.has(sessionKey)) sessions.set(sessionKey, seq);
    }
    for (const { sessionKey } of [...this.#lines.values(), ...this.#turns.values()]) {
      if (!sessions.has(sessionKey)) sessions.set(sessionKey, 0);
    }
    return sessions;
  }

  counts(): JournalCounts {
    return {
      inbounds: tally(INBOUND_STATES, statesOf(this.#inbounds)),
      outbounds: tally(OUTBOUND_STATES, statesOf(this.#outbounds)),
    };
  }

  close(): void {
    // Memory needs no closing; the rows stay readable for whoever inspects them.
  }

  #knownInbound(seq: number): Inbound {
    const inbound = this.#inbounds.get(seq);
    invariant(inbound !== undefined, `inbound ${seq} is in the journal`);
    return inbound;
  }

  #unfinishedInbounds(): Inbound[] {
    return [...this.#unfinished]
      .flatMap((seq) => this.#inbounds.get(seq) ?? [])
      .sort((a, b) => a.seq - b.seq);
  }

  #setInbound(inbound: Inbound): void {
    const { seq, channel, platformId, state } = inbound;
    this.#set(this.#inbounds, seq, inbound);
    this.#set(this.#seqs, JSON.stringify([channel, platformId]), seq);
    this.#mark(this.#unfinished, seq, state === "accepted" || state === "running");
  }

  #setOutbound(outbound: Outbound): void {
    const { key, state } = outbound;
    this.#set(this.#outbounds, key, outbound);
    this.#mark(this.#unsent, key, state === "open" || state === "pending");
  }

  /** Sets a value, or deletes it, and notes how to take that back. */
  #set<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
    const former = map.get(key);
    put(map, key, value);
    this.#undo?.push(() => put(map, key, former));
  }

  /** Makes `value` a member of the set, or not, and notes how to take that back. */
  #mark<V>(set: Set<V>, value: V, isMember: boolean): void {
    const wasMember = set.has(value);
    if (wasMember === isMember) return;
    toggle(set, value, isMember);
    this.#undo?.push(() => toggle(set, value, wasMember));
  }
}

function takeBack(steps: readonly (() => void)[]): void {
  for (const step of steps.toReversed()) step();
}

function put<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

function toggle<V>(set: Set<V>, value: V, isMember: boolean): void {
  if (isMember) set.add(value);
  else set.delete(value);
}

/** Each row as a count of one. */
function statesOf(
  rows: ReadonlyMap<unknown, { readonly state: string }>,
): { readonly state: string; readonly rows: number }[] {
  return [...rows.values()].map(({ state }) => ({ state, rows: 1 }));
}
