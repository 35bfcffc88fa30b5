/**
 * The journal's rows in SQLite.
 * @module
 */

import type { z } from "zod";
import type { JsonValue } from "../../kernel/json.ts";
import type { HistoryLine, Inbound, JournalCounts, Outbound, TurnRecord } from "../journal.ts";
import { INBOUND_STATES, type InboundStatus, OUTBOUND_STATES, tally } from "../rules.ts";
import type { Durability, JournalStore } from "../store.ts";
import type { SqliteDatabase, SqlValue } from "./sqlite_database.ts";
import {
  countRow,
  inboundRow,
  lineRow,
  memoryRow,
  outboundRow,
  readRow,
  seqRow,
  sessionRow,
  statusRow,
  turnRow,
} from "./sqlite_rows.ts";
import { migrate } from "./sqlite_schema.ts";
import { prepareStatements, type Statements } from "./sqlite_statements.ts";
import { encodeNullable, encodeText } from "./sqlite_text.ts";

/** A {@link JournalStore} in one SQLite file, which it owns. */
export class SqliteStore implements JournalStore {
  readonly #database: SqliteDatabase;
  readonly #sql: Statements;

  /** Takes the database over and brings its tables up to date. */
  constructor(database: SqliteDatabase) {
    migrate(database);
    this.#database = database;
    this.#sql = prepareStatements(database);
  }

  transaction(work: () => void, durability: Durability): void {
    this.#database.transaction(work, durability);
  }

  insertInbound(inbound: Omit<Inbound, "seq">): number {
    return this.#sql.insertInbound.run(
      encodeText(inbound.sessionKey),
      inbound.state,
      encodeNullable(inbound.turnId),
      JSON.stringify(inbound.channelState),
      encodeText(inbound.channel),
      encodeText(inbound.platformId),
      encodeText(inbound.chatId),
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
    const row = this.#sql.inboundSeq.get(encodeText(channel), encodeText(platformId));
    return readOptional(seqRow, row)?.seq;
  }

  inboundStatus(seq: number): InboundStatus | undefined {
    return readOptional(statusRow, this.#sql.inboundStatus.get(seq));
  }

  inboundMemory(channel: string, platformId: string): JsonValue {
    const row = this.#sql.inboundMemory.get(encodeText(channel), encodeText(platformId));
    return readOptional(memoryRow, row)?.channelState ?? null;
  }

  updateInbound({ seq, state, turnId }: InboundStatus): void {
    this.#sql.updateInbound.run(state, encodeNullable(turnId), seq);
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
    return readAll(inboundRow, this.#sql.waitingDrafts.all(encodeText(channel), afterSeq, limit));
  }

  waitingInbounds(sessionKey: string, afterSeq: number, limit: number): Inbound[] {
    const rows = this.#sql.waitingInbounds.all(encodeText(sessionKey), afterSeq, limit);
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

  turn(turnId: string): TurnRecord | undefined {
    return readOptional(turnRow, this.#sql.turn.get(encodeText(turnId)));
  }

  turnOfSession(sessionKey: string): TurnRecord | undefined {
    return readOptional(turnRow, this.#sql.turnOfSession.get(encodeText(sessionKey)));
  }

  putTurn({ turnId, sessionKey, attempts, lines }: TurnRecord): void {
    this.#sql.putTurn.run(encodeText(turnId), encodeText(sessionKey), attempts, lines);
  }

  deleteTurn(turnId: string): void {
    this.#sql.deleteTurn.run(encodeText(turnId));
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

  deleteLine(turnId: string, line: number): void {
    this.#sql.deleteLine.run(encodeText(turnId), line);
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

  unsentOutbounds(channel: string, afterId: number, limit: number): Outbound[] {
    return readAll(
      outboundRow,
      this.#sql.unsentOutbounds.all(encodeText(channel), afterId, limit),
    );
  }

  unfinishedSessions(): Map<string, number> {
    const sessions = new Map<string, number>();
    for (const row of this.#sql.unfinishedSessions.all()) {
      const { sessionKey, oldest } = readRow(sessionRow, row);
      const known = sessions.get(sessionKey) ?? 0;
      // 0 stands for none: any inbound there is wins over it.
      const isOlder = known === 0 || (oldest !== 0 && oldest < known);
      if (isOlder) sessions.set(sessionKey, oldest);
    }
    return sessions;
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
