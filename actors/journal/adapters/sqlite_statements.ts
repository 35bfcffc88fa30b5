/**
 * Every statement that the journal runs against SQLite, prepared once.
 * @module
 */

import type { SqliteDatabase, SqliteStatement, SqlValue } from "./sqlite_database.ts";

const STATUS = `seq, session_key as sessionKey, state, turn_id as turnId,
  turn_line as turnLine, ended_at_ms as endedAtMs`;

const INBOUND = `${STATUS}, channel_state as channelState, channel, platform_id as platformId,
  chat_id as chatId, reply_channel as replyChannel, sender_id as senderId,
  wants_stream as wantsStream, accepted_at_ms as acceptedAtMs, media, context, content, draft`;

const TURN = "turn_id as turnId, session_key as sessionKey, attempts, lines, solo_seq as soloSeq";

const OUTBOUND = `id, key, state, attempts, first_attempt_ms as firstAttemptMs,
  next_attempt_ms as nextAttemptMs, doubt_since_ms as doubtSinceMs, may_repeat as mayRepeat,
  ended_at_ms as endedAtMs, error, receipt, channel_state as channelState, channel,
  chat_id as chatId, session_key as sessionKey, is_plain as isPlain, created_at_ms as createdAtMs,
  media, context, settles, preamble, content`;

const USAGE = `scope, name, provider, model, updated_at_ms as updatedAtMs, calls,
  estimated_calls as estimatedCalls, unpriced_calls as unpricedCalls,
  input_tokens as inputTokens, cached_tokens as cachedTokens,
  cache_write_tokens as cacheWriteTokens, output_tokens as outputTokens,
  reasoning_tokens as reasoningTokens, cost_nanos as costNanos`;

/** What each statement is called. */
export type StatementName =
  | "insertInbound"
  | "inboundSeq"
  | "seenSeq"
  | "inboundBySeq"
  | "inboundStatus"
  | "inboundMemory"
  | "updateInbound"
  | "rememberInbound"
  | "inbound"
  | "completeInbound"
  | "waitingDrafts"
  | "waitingInbounds"
  | "runningInbounds"
  | "firstRunning"
  | "turn"
  | "putTurn"
  | "deleteTurn"
  | "insertLine"
  | "lines"
  | "deleteLine"
  | "insertOutbound"
  | "updateOutbound"
  | "outbound"
  | "outboundById"
  | "unsentOutbounds"
  | "unsentOfChat"
  | "note"
  | "noteKeys"
  | "putNote"
  | "deleteNote"
  | "usage"
  | "addUsage"
  | "forgetUsage"
  | "insertRecord"
  | "records"
  | "forgetRecords"
  | "pruneRecords"
  | "keptSessions"
  | "busySessions"
  | "stuckInbounds"
  | "stuckOutbounds"
  | "oldInbounds"
  | "keepSeen"
  | "deleteInbound"
  | "pruneOutbounds"
  | "pruneSeen"
  | "pruneUsage"
  | "freePages"
  | "releasePages"
  | "counts";

/**
 * SQL by name. The conditions on `state` repeat those of the partial indexes, word for word:
 * SQLite uses such an index only then.
 */
export const SQL: Readonly<Record<StatementName, string>> = {
  insertInbound: `insert into inbounds (session_key, state, turn_id, ended_at_ms, channel_state,
    channel, platform_id, chat_id, reply_channel, sender_id, wants_stream, accepted_at_ms, media,
    context, content, draft) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  inboundSeq: "select seq from inbounds where channel = ? and platform_id = ?",
  seenSeq: "select seq from seen where channel = ? and platform_id = ?",
  inboundBySeq: `select ${INBOUND} from inbounds where seq = ?`,
  inboundStatus: `select ${STATUS} from inbounds where seq = ?`,
  inboundMemory: `select channel_state as channelState from inbounds
    where channel = ? and platform_id = ?`,
  updateInbound: `update inbounds set state = ?, turn_id = ?, turn_line = ?, ended_at_ms = ?
    where seq = ?`,
  rememberInbound: "update inbounds set channel_state = ? where seq = ?",
  inbound: `select ${INBOUND} from inbounds where channel = ? and platform_id = ?`,
  completeInbound: "update inbounds set content = ?, media = ?, draft = null where seq = ?",
  waitingDrafts: `select ${INBOUND} from inbounds
    where state = 'accepted' and draft is not null and channel = ? and seq > ?
    order by seq limit ?`,
  waitingInbounds: `select ${INBOUND} from inbounds
    where ended_at_ms is null and session_key = ? and state = 'accepted' and seq > ?
    order by seq limit ?`,
  runningInbounds: `select ${INBOUND} from inbounds
    where ended_at_ms is null and session_key = ? and state = 'running' and turn_id = ?
    order by seq`,
  firstRunning: `select seq from inbounds
    where ended_at_ms is null and session_key = ? and state = 'running' and turn_id = ? limit 1`,

  turn: `select ${TURN} from turns where session_key = ?`,
  putTurn: `insert into turns (turn_id, session_key, attempts, lines, solo_seq)
    values (?, ?, ?, ?, ?) on conflict (session_key) do update set turn_id = excluded.turn_id,
    attempts = excluded.attempts, lines = excluded.lines, solo_seq = excluded.solo_seq`,
  deleteTurn: "delete from turns where session_key = ?",

  insertLine: `insert into lines (session_key, turn_id, line, inbound_seq, text)
    values (?, ?, ?, ?, ?) on conflict (session_key, turn_id, line) do nothing`,
  lines: `select session_key as sessionKey, turn_id as turnId, line, inbound_seq as inboundSeq, text
    from lines where session_key = ? order by place`,
  deleteLine: "delete from lines where session_key = ? and turn_id = ? and line = ?",

  insertOutbound: `insert into outbounds (state, attempts, first_attempt_ms, next_attempt_ms,
    doubt_since_ms, may_repeat, ended_at_ms, error, receipt, channel_state, is_plain, media,
    context, settles, preamble, content, key, channel, chat_id, session_key, created_at_ms)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateOutbound: `update outbounds set state = ?, attempts = ?, first_attempt_ms = ?,
    next_attempt_ms = ?, doubt_since_ms = ?, may_repeat = ?, ended_at_ms = ?, error = ?,
    receipt = ?, channel_state = ?, is_plain = ?, media = ?, context = ?, settles = ?,
    preamble = ?, content = ? where key = ?`,
  outbound: `select ${OUTBOUND} from outbounds where key = ?`,
  outboundById: `select ${OUTBOUND} from outbounds where id = ?`,
  unsentOutbounds: `select ${OUTBOUND} from outbounds
    where ended_at_ms is null and channel = ? and id > ?
    and chat_id not in (select value from json_each(?)) order by id limit ?`,
  unsentOfChat: `select ${OUTBOUND} from outbounds
    where ended_at_ms is null and channel = ? and id > ? and chat_id = ? order by id limit ?`,

  note: "select value from notes where key = ?",
  noteKeys: "select key from notes where key >= ? and key < ?",
  putNote: `insert into notes (key, value) values (?, ?)
    on conflict (key) do update set value = excluded.value`,
  deleteNote: "delete from notes where key = ?",

  usage: `select ${USAGE} from usage where scope = ? and name >= ? and name <= ?
    order by name, provider, model`,
  addUsage: `insert into usage (scope, name, provider, model, updated_at_ms, calls,
    estimated_calls, unpriced_calls, input_tokens, cached_tokens, cache_write_tokens,
    output_tokens, reasoning_tokens, cost_nanos)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (scope, name, provider, model) do update set
    updated_at_ms = excluded.updated_at_ms, calls = calls + excluded.calls,
    estimated_calls = estimated_calls + excluded.estimated_calls,
    unpriced_calls = unpriced_calls + excluded.unpriced_calls,
    input_tokens = input_tokens + excluded.input_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    cost_nanos = cost_nanos + excluded.cost_nanos`,
  forgetUsage: "delete from usage where scope = ? and name = ?",

  insertRecord: "insert into records (session_key, turn_id, at_ms, text) values (?, ?, ?, ?)",
  records: `select place, session_key as sessionKey, turn_id as turnId, at_ms as atMs, text
    from records where session_key = ? and place > ? order by place limit ?`,
  forgetRecords: "delete from records where session_key = ?",
  pruneRecords: `delete from records where place in (
    select place from records where at_ms < ? order by at_ms limit ?)`,

  keptSessions: `select session_key as sessionKey from turns where session_key > ?1
    union select session_key from lines where session_key > ?1 order by 1 limit ?2`,
  busySessions: `select seq, session_key as sessionKey from inbounds
    where ended_at_ms is null and seq > ? order by seq limit ?`,
  stuckInbounds: `select ${INBOUND} from inbounds
    where state in ('failed', 'parked') order by seq desc limit ?`,
  stuckOutbounds: `select ${OUTBOUND} from outbounds
    where state in ('failed', 'unknown') and ended_at_ms is not null order by id desc limit ?`,

  oldInbounds: `select seq from inbounds where ended_at_ms < ?1
    and (state <> 'parked' or ended_at_ms < ?2) order by ended_at_ms limit ?3`,
  keepSeen: `insert into seen (channel, platform_id, seq, ended_at_ms)
    select channel, platform_id, seq, ended_at_ms from inbounds where seq = ?`,
  deleteInbound: "delete from inbounds where seq = ?",
  pruneOutbounds: `delete from outbounds where id in (select id from outbounds
    where ended_at_ms < ? and not exists (
      select 1 from turns where turns.session_key = outbounds.session_key
    ) order by ended_at_ms limit ?)`,
  pruneSeen: `delete from seen where (channel, platform_id) in (
    select channel, platform_id from seen where ended_at_ms < ? order by ended_at_ms limit ?)`,
  pruneUsage: `delete from usage where (scope, name, provider, model) in (
    select scope, name, provider, model from usage where updated_at_ms < ?
    order by updated_at_ms limit ?)`,
  freePages: "pragma freelist_count",
  releasePages: "pragma incremental_vacuum(128)",
  counts: "select kind, state, rows from counts",
};

/** The journal's statements by name. */
export type Statements = Readonly<Record<StatementName, SqliteStatement>>;

/** Prepares them all; the tables must be there. */
export function prepareStatements(database: SqliteDatabase): Statements {
  const prepared = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(prepared) as Statements;
}

/** Above it a window has no limit. */
const LIMIT_MAX = 2 ** 20;

/**
 * Statements that end with `limit ?`, with the limit written out: SQLite plans a statement anew, at
 * ten times the cost of a small read, whenever its limit is bound.
 */
export class LimitedStatements {
  readonly #database: SqliteDatabase;
  readonly #prepared = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** The first rows, unchecked; limits are rounded up, so that there are few of them. */
  all(name: StatementName, limit: number, ...values: readonly SqlValue[]): unknown[] {
    if (limit <= 0) return [];
    const rounded = limit > LIMIT_MAX ? -1 : 2 ** Math.ceil(Math.log2(limit));
    const key = `${name} ${rounded}`;
    const statement = this.#prepared.get(key) ??
      this.#database.prepare(SQL[name].replace(/limit \?$/, `limit ${rounded}`));
    this.#prepared.set(key, statement);
    const rows = statement.all(...values);
    return rows.length > limit ? rows.slice(0, limit) : rows;
  }
}
