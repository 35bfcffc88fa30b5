/**
 * The journal's rows in memory, with transactions that can be taken back.
 * @module
 */

import { invariant } from "../kernel/invariant.ts";
import { copyJson, type JsonValue } from "../kernel/json.ts";
import type { JournalCounts, OutboxWindow, PruneOptions } from "./journal.ts";
import type {
  Durability,
  HistoryLine,
  Inbound,
  KeptRecord,
  LineKey,
  Outbound,
  StepRecord,
  TurnRecord,
} from "./journal_rows.ts";
import { by, byEnd, byId, bySeq, isOldInbound, keyOf, statesOf, usageKey } from "./memory_order.ts";
import { MemoryLines } from "./memory_lines.ts";
import {
  copyInbound,
  copyOutbound,
  type JournalRows,
  NO_ROWS,
  type Note,
  type SeenKey,
} from "./memory_rows.ts";
import { Marks, Table, UndoLog } from "./memory_table.ts";
import { hasEndedOutbound, OUTBOUND_STATES } from "./outbound_rules.ts";
import { hasEndedInbound, INBOUND_STATES, type InboundStatus, tally } from "./rules.ts";
import type { JournalStore, SessionAt } from "./store.ts";
import { addUsage, type UsageQuery, type UsageRow, type UsageScope } from "./usage.ts";

export { type JournalRows, NO_ROWS } from "./memory_rows.ts";

/** A {@link JournalStore} in memory. Rows are copied on their way in and never changed in place. */
export class MemoryStore implements JournalStore {
  /** What the transaction did so far. */
  readonly #undo = new UndoLog();
  /** What was written since the last sync. */
  readonly #unsynced = new UndoLog();
  readonly #inbounds = new Table<number, Inbound>(this.#undo);
  readonly #seqs = new Table<string, number>(this.#undo);
  /** Seqs of inbounds in state `accepted` or `running`. */
  readonly #unfinished = new Marks<number>(this.#undo);
  readonly #seen = new Table<string, SeenKey>(this.#undo, ([, a], [, b]) => bySeq(a, b));
  /** By their sessions. */
  readonly #turns = new Table<string, TurnRecord>(this.#undo);
  readonly #lines = new MemoryLines(this.#undo);
  readonly #outbounds = new Table<string, Outbound>(this.#undo, ([, a], [, b]) => byId(a, b));
  /** Keys of outbounds that have not ended. */
  readonly #unsent = new Marks<string>(this.#undo);
  readonly #notes = new Table<string, Note>(this.#undo);
  readonly #usage = new Table<string, UsageRow>(this.#undo);
  readonly #records = new Table<number, KeptRecord>(this.#undo);
  #lastSeq: number;
  #lastId: number;
  #lastRecord = 0;
  #isInTransaction = false;

  constructor(rows: JournalRows = NO_ROWS) {
    this.#lastSeq = rows.lastSeq;
    this.#lastId = rows.lastId;
    for (const inbound of rows.inbounds) this.#setInbound(inbound);
    for (const seen of rows.seen) this.#seen.set(keyOf(seen.channel, seen.platformId), seen);
    for (const turn of rows.turns) this.putTurn(turn);
    for (const line of rows.lines) this.insertLine(line);
    for (const outbound of rows.outbounds) this.#setOutbound(outbound);
    for (const note of rows.notes) this.#notes.set(note.key, note);
    for (const row of rows.usage) this.#usage.set(usageKey(row), row);
    for (const record of rows.records) this.#records.set(record.place, record);
    this.#lastRecord = Math.max(0, ...rows.records.map(({ place }) => place));
    this.#undo.keep();
  }

  /** All rows, as they stand; of a table that did not change the very list of the last time. */
  rows(): JournalRows {
    return {
      lastSeq: this.#lastSeq,
      lastId: this.#lastId,
      inbounds: this.#inbounds.list(),
      turns: this.#turns.list(),
      lines: this.#lines.inOrder(),
      outbounds: this.#outbounds.list(),
      seen: this.#seen.list(),
      notes: this.#notes.list(),
      usage: this.#usage.list(),
      records: this.#records.list(),
    };
  }

  transaction(work: () => void, durability: Durability): undefined {
    invariant(!this.#isInTransaction, "transactions do not nest");
    this.#isInTransaction = true;
    try {
      work();
    } catch (error) {
      this.#undo.takeBack();
      throw error;
    } finally {
      this.#isInTransaction = false;
    }
    this.#undo.keep(this.#unsynced);
    if (durability === "synced") this.#unsynced.keep();
  }

  /** Takes back all that was not synced, as a power cut may. */
  loseUnsynced(): void {
    this.#unsynced.takeBack();
    this.#undo.keep();
  }

  insertInbound(inbound: Omit<Inbound, "seq">): number {
    const seq = this.#lastSeq + 1;
    this.#lastSeq = seq;
    this.#undo.note(() => this.#lastSeq = seq - 1);
    this.#setInbound(copyInbound({ ...inbound, seq }));
    return seq;
  }

  inboundSeq(channel: string, platformId: string): number | undefined {
    const key = keyOf(channel, platformId);
    return this.#seqs.get(key) ?? this.#seen.get(key)?.seq;
  }

  inboundBySeq(seq: number): Inbound | undefined {
    return this.#inbounds.get(seq);
  }

  inboundStatus(seq: number): InboundStatus | undefined {
    return this.#inbounds.get(seq);
  }

  inboundMemory(channel: string, platformId: string): JsonValue {
    const seq = this.#seqs.get(keyOf(channel, platformId));
    return seq === undefined ? null : this.#inbounds.get(seq)?.channelState ?? null;
  }

  updateInbound({ seq, state, turnId, turnLine, endedAtMs }: InboundStatus): void {
    this.#setInbound({ ...this.#knownInbound(seq), state, turnId, turnLine, endedAtMs });
  }

  rememberInbound(seq: number, channelState: JsonValue): void {
    const inbound = this.#inbounds.get(seq);
    if (inbound === undefined) return;
    this.#setInbound({ ...inbound, channelState: copyJson(channelState) });
  }

  inbound(channel: string, platformId: string): Inbound | undefined {
    const seq = this.#seqs.get(keyOf(channel, platformId));
    return seq === undefined ? undefined : this.#inbounds.get(seq);
  }

  completeInbound(seq: number, completed: Pick<Inbound, "content" | "media">): void {
    const { content, media } = completed;
    this.#setInbound({ ...this.#knownInbound(seq), content, media: [...media], draft: null });
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

  turn(sessionKey: string): TurnRecord | undefined {
    return this.#turns.get(sessionKey);
  }

  putTurn(turn: TurnRecord): void {
    this.#turns.set(turn.sessionKey, turn);
  }

  deleteTurn(sessionKey: string): void {
    this.#turns.set(sessionKey, undefined);
  }

  insertLine(line: HistoryLine): boolean {
    return this.#lines.insert(line);
  }

  lines(sessionKey: string): HistoryLine[] {
    return this.#lines.inOrder().filter((line) => line.sessionKey === sessionKey);
  }

  deleteLine(line: LineKey): void {
    this.#lines.delete(line);
  }

  insertOutbound(outbound: Omit<Outbound, "id">): number {
    const id = this.#lastId + 1;
    this.#lastId = id;
    this.#undo.note(() => this.#lastId = id - 1);
    this.#setOutbound(copyOutbound({ ...outbound, id }));
    return id;
  }

  outbound(key: string): Outbound | undefined {
    return this.#outbounds.get(key);
  }

  outboundById(id: number): Outbound | undefined {
    return this.#outbounds.values().find((outbound) => outbound.id === id);
  }

  updateOutbound(outbound: Outbound): void {
    this.#setOutbound(copyOutbound(outbound));
  }

  unsentOutbounds(
    { channel, afterId, limit, chatId, withoutChats = [] }: OutboxWindow,
  ): Outbound[] {
    return this.#unsent.keys()
      .flatMap((key) => this.#outbounds.get(key) ?? [])
      .filter((outbound) => outbound.channel === channel && outbound.id > afterId)
      .filter((outbound) => chatId === undefined || outbound.chatId === chatId)
      .filter((outbound) => !withoutChats.includes(outbound.chatId))
      .sort(byId)
      .slice(0, limit);
  }

  note(key: string): JsonValue {
    return this.#notes.get(key)?.value ?? null;
  }

  noteKeys(prefix: string): string[] {
    return this.#notes.values().map(({ key }) => key).filter((key) => key.startsWith(prefix));
  }

  putNote(key: string, value: JsonValue): void {
    this.#notes.set(key, value === null ? undefined : { key, value: copyJson(value) });
  }

  usage({ scope, from, to }: UsageQuery): UsageRow[] {
    return this.#usage.list()
      .filter((row) => row.scope === scope && row.name >= from && row.name <= to);
  }

  addUsage(row: UsageRow): void {
    const key = usageKey(row);
    const before = this.#usage.get(key);
    this.#usage.set(key, before === undefined ? { ...row } : { ...row, ...addUsage(before, row) });
  }

  forgetUsage(scope: UsageScope, name: string): void {
    for (const [key, row] of this.#usage.entries()) {
      if (row.scope === scope && row.name === name) this.#usage.set(key, undefined);
    }
  }

  insertRecord(record: StepRecord): void {
    const place = ++this.#lastRecord;
    this.#records.set(place, { ...record, place });
  }

  records(sessionKey: string, afterPlace: number, limit: number): KeptRecord[] {
    return this.#records.list()
      .filter((record) => record.sessionKey === sessionKey && record.place > afterPlace)
      .slice(0, limit);
  }

  forgetRecords(sessionKey: string): void {
    for (const [place, record] of this.#records.entries()) {
      if (record.sessionKey === sessionKey) this.#records.set(place, undefined);
    }
  }

  keptSessions(afterKey: string, limit: number): string[] {
    const keys = [...this.#lines.inOrder(), ...this.#turns.values()].map((row) => row.sessionKey);
    return [...new Set(keys)].filter((key) => key > afterKey).sort().slice(0, limit);
  }

  busySessions(afterSeq: number, limit: number): SessionAt[] {
    return this.#unfinishedInbounds().filter(({ seq }) => seq > afterSeq).slice(0, limit)
      .map(({ seq, sessionKey }) => ({ seq, sessionKey }));
  }

  stuckInbounds(limit: number): Inbound[] {
    return this.#inbounds.values()
      .filter(({ state }) => state === "failed" || state === "parked")
      .sort((a, b) => bySeq(b, a))
      .slice(0, limit);
  }

  stuckOutbounds(limit: number): Outbound[] {
    return this.#outbounds.values()
      .filter((row) => row.state !== "sent" && hasEndedOutbound(row))
      .sort((a, b) => byId(b, a))
      .slice(0, limit);
  }

  prune(options: PruneOptions): boolean {
    const { rowsMax } = options;
    const inbounds = this.#inbounds.values().filter((row) => isOldInbound(row, options))
      .sort(bySeq).sort(byEnd).slice(0, rowsMax);
    const outbounds = this.#outbounds.values()
      .filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs < options.finishedBeforeMs)
      .filter(({ sessionKey }) => this.turn(sessionKey) === undefined)
      .sort(byId).sort(byEnd).slice(0, rowsMax);
    for (const inbound of inbounds) this.#forgetContent(inbound);
    for (const { key } of outbounds) this.#outbounds.set(key, undefined);
    const seen = this.#seen.values()
      .filter(({ endedAtMs }) => endedAtMs < options.forgottenBeforeMs)
      .sort(by(({ channel, platformId }) => keyOf(channel, platformId)))
      .sort(byEnd).slice(0, rowsMax);
    for (const { channel, platformId } of seen) {
      this.#seen.set(keyOf(channel, platformId), undefined);
    }
    const usage = this.#usage.entries()
      .filter(([, { updatedAtMs }]) => updatedAtMs < (options.usageBeforeMs ?? 0))
      .slice(0, rowsMax);
    for (const [key] of usage) this.#usage.set(key, undefined);
    const records = this.#records.list()
      .filter(({ atMs }) => atMs < options.finishedBeforeMs)
      .slice(0, rowsMax);
    for (const { place } of records) this.#records.set(place, undefined);
    return [inbounds, outbounds, seen, usage, records].some(({ length }) => length === rowsMax);
  }

  release(): boolean {
    return false;
  }

  counts(): JournalCounts {
    return {
      inbounds: tally(INBOUND_STATES, statesOf(this.#inbounds.values())),
      outbounds: tally(OUTBOUND_STATES, statesOf(this.#outbounds.values())),
    };
  }

  close(): void {
    // Memory needs no closing; the rows stay readable for whoever inspects them.
  }

  #forgetContent({ seq, channel, platformId, endedAtMs }: Inbound): void {
    const key = keyOf(channel, platformId);
    this.#inbounds.set(seq, undefined);
    this.#seqs.set(key, undefined);
    this.#seen.set(key, { channel, platformId, seq, endedAtMs: endedAtMs ?? 0 });
  }

  #knownInbound(seq: number): Inbound {
    const inbound = this.#inbounds.get(seq);
    invariant(inbound !== undefined, `inbound ${seq} is in the journal`);
    return inbound;
  }

  #unfinishedInbounds(): Inbound[] {
    return this.#unfinished.keys().flatMap((seq) => this.#inbounds.get(seq) ?? []).sort(bySeq);
  }

  #setInbound(inbound: Inbound): void {
    const { seq, channel, platformId, state } = inbound;
    this.#inbounds.set(seq, inbound);
    this.#seqs.set(keyOf(channel, platformId), seq);
    this.#unfinished.set(seq, !hasEndedInbound(state));
  }

  #setOutbound(outbound: Outbound): void {
    this.#outbounds.set(outbound.key, outbound);
    this.#unsent.set(outbound.key, !hasEndedOutbound(outbound));
  }
}
