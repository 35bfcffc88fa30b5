/**
 * Every statement that the journal runs against SQLite, prepared once.
 * @module
 */

import type { SqliteDatabase, SqliteStatement } from "./sqlite_database.ts";

const STATUS = "seq, session_key as sessionKey, state, turn_id as turnId";

const INBOUND = `${STATUS}, channel_state as channelState, channel, platform_id as platformId,
  chat_id as chatId, sender_id as senderId, wants_stream as wantsStream,
  accepted_at_ms as acceptedAtMs, media, context, content, draft`;

const TURN = "turn_id as turnId, session_key as sessionKey, attempts, lines";

const OUTBOUND = `id, key, state, attempts, first_attempt_ms as firstAttemptMs,
  next_attempt_ms as nextAttemptMs, error, receipt, channel_state as channelState, channel,
  chat_id as chatId, session_key as sessionKey, is_plain as isPlain, created_at_ms as createdAtMs,
  media, context, settles, preamble, content`;

/** What each statement is called. */
export type StatementName =
  | "insertInbound"
  | "inboundSeq"
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
  | "turnOfSession"
  | "putTurn"
  | "deleteTurn"
  | "insertLine"
  | "lines"
  | "deleteLine"
  | "insertOutbound"
  | "updateOutbound"
  | "outbound"
  | "unsentOutbounds"
  | "unfinishedSessions"
  | "counts";

/**
 * SQL by name. The conditions on `state` repeat those of the partial indexes, word for word:
 * SQLite uses such an index only then.
 */
export const SQL: Readonly<Record<StatementName, string>> = {
  insertInbound: `insert into inbounds (session_key, state, turn_id, channel_state, channel,
    platform_id, chat_id, sender_id, wants_stream, accepted_at_ms, media, context, content, draft)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  inboundSeq: "select seq from inbounds where channel = ? and platform_id = ?",
  inboundStatus: `select ${STATUS} from inbounds where seq = ?`,
  inboundMemory: `select channel_state as channelState from inbounds
    where channel = ? and platform_id = ?`,
  updateInbound: "update inbounds set state = ?, turn_id = ? where seq = ?",
  rememberInbound: "update inbounds set channel_state = ? where seq = ?",
  inbound: `select ${INBOUND} from inbounds where channel = ? and platform_id = ?`,
  completeInbound: "update inbounds set content = ?, media = ?, draft = null where seq = ?",
  waitingDrafts: `select ${INBOUND} from inbounds
    where state = 'accepted' and draft is not null and channel = ? and seq > ?
    order by seq limit ?`,
  waitingInbounds: `select ${INBOUND} from inbounds
    where state = 'accepted' and session_key = ? and seq > ? order by seq limit ?`,
  runningInbounds: `select ${INBOUND} from inbounds
    where state = 'running' and session_key = ? and turn_id = ? order by seq`,
  firstRunning: `select seq from inbounds
    where state = 'running' and session_key = ? and turn_id = ? limit 1`,

  turn: `select ${TURN} from turns where turn_id = ?`,
  turnOfSession: `select ${TURN} from turns where session_key = ?`,
  putTurn: `insert into turns (turn_id, session_key, attempts, lines) values (?, ?, ?, ?)
    on conflict (turn_id) do update set attempts = excluded.attempts, lines = excluded.lines`,
  deleteTurn: "delete from turns where turn_id = ?",

  insertLine: `insert into lines (session_key, turn_id, line, inbound_seq, text)
    values (?, ?, ?, ?, ?) on conflict (turn_id, line) do nothing`,
  lines: `select session_key as sessionKey, turn_id as turnId, line, inbound_seq as inboundSeq, text
    from lines where session_key = ? order by place`,
  deleteLine: "delete from lines where turn_id = ? and line = ?",

  insertOutbound: `insert into outbounds (state, attempts, first_attempt_ms, next_attempt_ms, error,
    receipt, channel_state, is_plain, media, context, settles, preamble, content,
    key, channel, chat_id, session_key, created_at_ms)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateOutbound: `update outbounds set state = ?, attempts = ?, first_attempt_ms = ?,
    next_attempt_ms = ?, error = ?, receipt = ?, channel_state = ?, is_plain = ?, media = ?,
    context = ?, settles = ?, preamble = ?, content = ? where key = ?`,
  outbound: `select ${OUTBOUND} from outbounds where key = ?`,
  unsentOutbounds: `select ${OUTBOUND} from outbounds
    where state in ('open', 'pending') and channel = ? and id > ? order by id limit ?`,

  unfinishedSessions: `
    select session_key as sessionKey, min(seq) as oldest from inbounds
      where state = 'accepted' group by session_key
    union all
    select session_key, min(seq) from inbounds where state = 'running' group by session_key
    union all
    select session_key, 0 from turns
    union all
    select distinct session_key, 0 from lines`,
  counts: "select kind, state, rows from counts",
};

/** The journal's statements by name. */
export type Statements = Readonly<Record<StatementName, SqliteStatement>>;

/** Prepares them all; the tables must be there. */
export function prepareStatements(database: SqliteDatabase): Statements {
  const prepared = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(prepared) as Statements;
}
