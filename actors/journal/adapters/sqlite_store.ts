/**
 * The journal's rows in SQLite.
 * @module
 */

import type { z } from "zod";
import type { JsonValue } from "../../kernel/json.ts";
import type { JournalCounts, OutboxWindow, PruneOptions } from "../journal.ts";
import type {
  Durability,
  HistoryLine,
  Inbound,
  KeptRecord,
  LineKey,
  Outbound,
  StepRecord,
  TurnRecord,
} from "../journal_rows.ts";
import { OUTBOUND_STATES } from "../outbound_rules.ts";
import { INBOUND_STATES, type InboundStatus, tally } from "../rules.ts";
import type { JournalStore, SessionAt } from "../store.ts";
import type { UsageQuery, UsageRow, UsageScope } from "../usage.ts";
import type { SqliteDatabase, SqlValue } from "./sqlite_database.ts";
import {
  countRow,
  freePagesRow,
  inboundRow,
  lineRow,
  memoryRow,
  noteKeyRow,
  noteRow,
  outboundRow,
  readRow,
  recordRow,
  seqRow,
  sessionAtRow,
  sessionRow,
  statusRow,
  turnRow,
  usageRow,
} from "./sqlite_rows.ts";
import { migrate } from "./sqlite_schema.ts";
import { LimitedStatements, prepareStatements, type Statements } from "./sqlite_statements.ts";
import { encodeNullable, encodeText } from "./sqlite_text.ts";

/** Free pages that stay in the file for what comes next: 1 MB, or 2 in a file from before. */
const FREE_PAGES_KEPT = 512;

/** A {@link JournalStore} in one SQLite file, which it owns. */
export class SqliteStore implements JournalStore {
  readonly #database: SqliteDatabase;
  readonly #sql: Statements;
  readonly #limited: LimitedStatements;

  /** Takes the database over and brings its tables up to date. */
  constructor(database: SqliteDatabase) {
    migrate(database);
    this.#database = database;
    this.#sql = prepareStatements(database);
    this.#limited = new LimitedStatements(database);
  }

  transaction(work: () => void, durability: Durability): Promise<void> | undefined {
    this.#database.transaction(work);
    return durability === "synced" ? this.#database.sync() : undefined;
  }

  insertInbound(inbound: Omit<Inbound, "seq">): number {
    return this.#sql.insertInbound.run(
      encodeText(inbound.sessionKey),
      inbound.state,
      encodeNullable(inbound.turnId),
      inbound.endedAtMs,
      JSON.stringify(inbound.channelState),
      encodeText(inbound.channel),
      encodeText(inbound.platformId),
      encodeText(inbound.chatId),
      encodeNullable(inbound.replyChannel),
      encodeText(inbound.senderId),
      inbound.wantsStream ? 1 : 0,
      inbound.acceptedAtMs,
      JSON.stringify(inbound.media),
      JSON.stringify(inbound.context),
      encodeText(inbound.content),
      inbound.draft === null ? null : JSON.stringify(inbound.draft),
    ).rowId;
  }

  inboundSeq(channel: string, platformId: string): number | undefined {
    const key = [encodeText(channel), encodeText(platformId)];
    const row = this.#sql.inboundSeq.get(...key) ?? this.#sql.seenSeq.get(...key);
    return readOptional(seqRow, row)?.seq;
  }

  inboundBySeq(seq: number): Inbound | undefined {
    return readOptional(inboundRow, this.#sql.inboundBySeq.get(seq));
  }

  inboundStatus(seq: number): InboundStatus | undefined {
    return readOptional(statusRow, this.#sql.inboundStatus.get(seq));
  }

  inboundMemory(channel: string, platformId: string): JsonValue {
    const row = this.#sql.inboundMemory.get(encodeText(channel), encodeText(platformId));
    return readOptional(memoryRow, row)?.channelState ?? null;
  }

  updateInbound({ seq, state, turnId, turnLine, endedAtMs }: InboundStatus): void {
    this.#sql.updateInbound.run(state, encodeNullable(turnId), turnLine, endedAtMs, seq);
  }

  rememberInbound(seq: number, channelState: JsonValue): void {
    this.#sql.rememberInbound.run(JSON.stringify(channelState), seq);
  }

  inbound(channel: string, platformId: string): Inbound | undefined {
    const row = this.#sql.inbound.get(encodeText(channel), encodeText(platformId));
    return readOptional(inboundRow, row);
  }

  completeInbound(seq: number, { content, media }: Pick<Inbound, "content" | "media">): void {
    this.#sql.completeInbound.run(encodeText(content), JSON.stringify(media), seq);
  }

  waitingDrafts(channel: string, afterSeq: number, limit: number): Inbound[] {
    const rows = this.#limited.all("waitingDrafts", limit, encodeText(channel), afterSeq);
    return readAll(inboundRow, rows);
  }

  waitingInbounds(sessionKey: string, afterSeq: number, limit: number): Inbound[] {
    const rows = this.#limited.all("waitingInbounds", limit, encodeText(sessionKey), afterSeq);
    return readAll(inboundRow, rows);
  }

  runningInbounds(sessionKey: string, turnId: string): Inbound[] {
    const rows = this.#sql.runningInbounds.all(encodeText(sessionKey), encodeText(turnId));
    return readAll(inboundRow, rows);
  }

  hasRunning(sessionKey: string, turnId: string): boolean {
    const row = this.#sql.firstRunning.get(encodeText(sessionKey), encodeText(turnId));
    return row !== undefined;
  }

  turn(sessionKey: string): TurnRecord | undefined {
    return readOptional(turnRow, this.#sql.turn.get(encodeText(sessionKey)));
  }

  putTurn({ turnId, sessionKey, attempts, lines, soloSeq }: TurnRecord): void {
    this.#sql.putTurn.run(encodeText(turnId), encodeText(sessionKey), attempts, lines, soloSeq);
  }

  deleteTurn(sessionKey: string): void {
    this.#sql.deleteTurn.run(encodeText(sessionKey));
  }

  insertLine({ sessionKey, turnId, line, inboundSeq, text }: HistoryLine): boolean {
    const { changes } = this.#sql.insertLine.run(
      encodeText(sessionKey),
      encodeText(turnId),
      line,
      inboundSeq,
      encodeText(text),
    );
    return changes > 0;
  }

  lines(sessionKey: string): HistoryLine[] {
    return readAll(lineRow, this.#sql.lines.all(encodeText(sessionKey)));
  }

  deleteLine({ sessionKey, turnId, line }: LineKey): void {
    this.#sql.deleteLine.run(encodeText(sessionKey), encodeText(turnId), line);
  }

  insertOutbound(outbound: Omit<Outbound, "id">): number {
    return this.#sql.insertOutbound.run(
      ...changingColumns(outbound),
      encodeText(outbound.key),
      encodeText(outbound.channel),
      encodeText(outbound.chatId),
      encodeText(outbound.sessionKey),
      outbound.createdAtMs,
    ).rowId;
  }

  outbound(key: string): Outbound | undefined {
    return readOptional(outboundRow, this.#sql.outbound.get(encodeText(key)));
  }

  updateOutbound(outbound: Outbound): void {
    this.#sql.updateOutbound.run(...changingColumns(outbound), encodeText(outbound.key));
  }

  outboundById(id: number): Outbound | undefined {
    return readOptional(outboundRow, this.#sql.outboundById.get(id));
  }

  unsentOutbounds(
    { channel, afterId, limit, chatId, withoutChats = [] }: OutboxWindow,
  ): Outbound[] {
    const from = [encodeText(channel), afterId] as const;
    const without = JSON.stringify(withoutChats.map(encodeText));
    const rows = chatId === undefined
      ? this.#limited.all("unsentOutbounds", limit, ...from, without)
      : this.#limited.all("unsentOfChat", limit, ...from, encodeText(chatId));
    return readAll(outboundRow, rows);
  }

  note(key: string): JsonValue {
    return readOptional(noteRow, this.#sql.note.get(encodeText(key)))?.value ?? null;
  }

  noteKeys(prefix: `${string}:`): string[] {
    // Keys that are written as JSON stand behind a quotation mark.
    return [prefix, `"${prefix}`].flatMap((start) =>
      readAll(noteKeyRow, this.#sql.noteKeys.all(start, `${start.slice(0, -1)};`))
    ).filter((key) => key.startsWith(prefix));
  }

  putNote(key: string, value: JsonValue): void {
    if (value === null) this.#sql.deleteNote.run(encodeText(key));
    else this.#sql.putNote.run(encodeText(key), JSON.stringify(value));
  }

  usage({ scope, from, to }: UsageQuery): UsageRow[] {
    return readAll(usageRow, this.#sql.usage.all(scope, encodeText(from), encodeText(to)));
  }

  addUsage(row: UsageRow): void {
    this.#sql.addUsage.run(
      row.scope,
      encodeText(row.name),
      encodeText(row.provider),
      encodeText(row.model),
      row.updatedAtMs,
      row.calls,
      row.estimatedCalls,
      row.unpricedCalls,
      row.inputTokens,
      row.cachedTokens,
      row.cacheWriteTokens,
      row.outputTokens,
      row.reasoningTokens,
      row.costNanos,
    );
  }

  forgetUsage(scope: UsageScope, name: string): void {
    this.#sql.forgetUsage.run(scope, encodeText(name));
  }

  insertRecord({ sessionKey, turnId, atMs, text }: StepRecord): void {
    this.#sql.insertRecord.run(encodeText(sessionKey), encodeText(turnId), atMs, encodeText(text));
  }

  records(sessionKey: string, afterPlace: number, limit: number): KeptRecord[] {
    const rows = this.#limited.all("records", limit, encodeText(sessionKey), afterPlace);
    return readAll(recordRow, rows);
  }

  forgetRecords(sessionKey: string): void {
    this.#sql.forgetRecords.run(encodeText(sessionKey));
  }

  keptSessions(afterKey: string, limit: number): string[] {
    return readAll(sessionRow, this.#sql.keptSessions.all(encodeText(afterKey), limit));
  }

  busySessions(afterSeq: number, limit: number): SessionAt[] {
    return readAll(sessionAtRow, this.#limited.all("busySessions", limit, afterSeq));
  }

  stuckInbounds(limit: number): Inbound[] {
    return readAll(inboundRow, this.#limited.all("stuckInbounds", limit));
  }

  stuckOutbounds(limit: number): Outbound[] {
    return readAll(outboundRow, this.#limited.all("stuckOutbounds", limit));
  }

  prune(options: PruneOptions): boolean {
    const { finishedBeforeMs, forgottenBeforeMs, usageBeforeMs = 0, rowsMax } = options;
    const old = readAll(
      seqRow,
      this.#sql.oldInbounds.all(finishedBeforeMs, forgottenBeforeMs, rowsMax),
    );
    for (const { seq } of old) {
      this.#sql.keepSeen.run(seq);
      this.#sql.deleteInbound.run(seq);
    }
    const outbounds = this.#sql.pruneOutbounds.run(finishedBeforeMs, rowsMax).changes;
    const seen = this.#sql.pruneSeen.run(forgottenBeforeMs, rowsMax).changes;
    const usage = this.#sql.pruneUsage.run(usageBeforeMs, rowsMax).changes;
    const records = this.#sql.pruneRecords.run(finishedBeforeMs, rowsMax).changes;
    return [old.length, outbounds, seen, usage, records].includes(rowsMax);
  }

  release(): boolean {
    const free = () => readRow(freePagesRow, this.#sql.freePages.get()).freelist_count;
    const before = free();
    if (before <= FREE_PAGES_KEPT) return false;
    this.#sql.releasePages.all();
    const after = free();
    return after > FREE_PAGES_KEPT && after < before;
  }

  counts(): JournalCounts {
    const rows = readAll(countRow, this.#sql.counts.all());
    return {
      inbounds: tally(INBOUND_STATES, rows.filter(({ kind }) => kind === "inbounds")),
      outbounds: tally(OUTBOUND_STATES, rows.filter(({ kind }) => kind === "outbounds")),
    };
  }

  close(): void {
    this.#database[Symbol.dispose]();
  }
}

/** What may change in an outbound, in the order in which the statements name it. */
function changingColumns(outbound: Omit<Outbound, "id">): SqlValue[] {
  return [
    outbound.state,
    outbound.attempts,
    outbound.firstAttemptMs,
    outbound.nextAttemptMs,
    outbound.doubtSinceMs,
    outbound.mayRepeat ? 1 : 0,
    outbound.endedAtMs,
    encodeNullable(outbound.error),
    JSON.stringify(outbound.receipt),
    JSON.stringify(outbound.channelState),
    outbound.isPlain ? 1 : 0,
    JSON.stringify(outbound.media),
    JSON.stringify(outbound.context),
    JSON.stringify(outbound.settles),
    encodeText(outbound.preamble),
    encodeText(outbound.content),
  ];
}

function readOptional<T>(schema: z.ZodType<T>, row: unknown): T | undefined {
  return row === undefined ? undefined : readRow(schema, row);
}

function readAll<T>(schema: z.ZodType<T>, rows: readonly unknown[]): T[] {
  return rows.map((row) => readRow(schema, row));
}
