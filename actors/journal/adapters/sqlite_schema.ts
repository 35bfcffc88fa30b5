/**
 * The journal's tables, and how an older journal becomes one of today.
 * @module
 */

import { z } from "zod";
import { JournalError } from "../journal.ts";
import type { SqliteDatabase } from "./sqlite_database.ts";

/**
 * Each migration is a list of statements and runs once, in order; `user_version` is how many ran.
 * One that was released is never edited. Content stands last in its row, so that a change of
 * state need not read over it. The partial indexes hold unfinished rows only: what is done costs
 * nothing to those that look for work.
 */
const MIGRATIONS: readonly (readonly string[])[] = [[
  `create table inbounds (
    seq integer primary key autoincrement,
    session_key text not null,
    state text not null,
    turn_id text,
    channel_state text not null,
    channel text not null,
    platform_id text not null,
    chat_id text not null,
    sender_id text not null,
    wants_stream integer not null,
    accepted_at_ms integer not null,
    media text not null,
    context text not null,
    content text not null,
    unique (channel, platform_id)
  ) strict`,
  `create index inbounds_waiting on inbounds (session_key, seq) where state = 'accepted'`,
  `create index inbounds_running on inbounds (session_key, seq) where state = 'running'`,
  `create table turns (
    turn_id text primary key,
    session_key text not null unique,
    attempts integer not null,
    lines integer not null
  ) strict, without rowid`,
  `create table lines (
    place integer primary key,
    session_key text not null,
    turn_id text not null,
    line integer not null,
    inbound_seq integer,
    text text not null,
    unique (turn_id, line)
  ) strict`,
  `create index lines_of_session on lines (session_key, place)`,
  `create table outbounds (
    id integer primary key autoincrement,
    key text not null unique,
    state text not null,
    attempts integer not null,
    first_attempt_ms integer,
    next_attempt_ms integer not null,
    error text,
    receipt text not null,
    channel_state text not null,
    channel text not null,
    chat_id text not null,
    session_key text not null,
    is_plain integer not null,
    created_at_ms integer not null,
    media text not null,
    context text not null,
    settles text not null,
    preamble text not null,
    content text not null
  ) strict`,
  `create index outbounds_unsent on outbounds (channel, id) where state in ('open', 'pending')`,
  `create table counts (
    kind text not null,
    state text not null,
    rows integer not null,
    primary key (kind, state)
  ) strict, without rowid`,
  ...counting("inbounds"),
  ...counting("outbounds"),
], [
  "alter table inbounds add column draft text",
  `create index inbounds_drafts on inbounds (channel, seq)
    where state = 'accepted' and draft is not null`,
], [
  // Tables are made anew, so that what is short still stands before the content.
  `create table inbounds_3 (
    seq integer primary key autoincrement,
    session_key text not null,
    state text not null,
    turn_id text,
    ended_at_ms integer,
    channel_state text not null,
    channel text not null,
    platform_id text not null,
    chat_id text not null,
    reply_channel text,
    sender_id text not null,
    wants_stream integer not null,
    accepted_at_ms integer not null,
    draft text,
    media text not null,
    context text not null,
    content text not null,
    unique (channel, platform_id)
  ) strict`,
  `insert into inbounds_3 select seq, session_key, state, turn_id,
    case when state in ('accepted', 'running') then null else accepted_at_ms end,
    channel_state, channel, platform_id, chat_id, channel, sender_id, wants_stream,
    accepted_at_ms, draft, media, context, content from inbounds order by seq`,
  "drop table inbounds",
  "alter table inbounds_3 rename to inbounds",
  `create index inbounds_waiting on inbounds (session_key, seq) where state = 'accepted'`,
  `create index inbounds_drafts on inbounds (channel, seq)
    where state = 'accepted' and draft is not null`,
  `create index inbounds_running on inbounds (session_key, seq) where state = 'running'`,
  "create index inbounds_busy on inbounds (seq) where ended_at_ms is null",
  "create index inbounds_ended on inbounds (ended_at_ms) where ended_at_ms is not null",
  `create index inbounds_stuck on inbounds (seq) where state in ('failed', 'parked')`,
  ...counting("inbounds"),
  "alter table turns add column solo_seq integer",
  `create table outbounds_3 (
    id integer primary key autoincrement,
    key text not null unique,
    state text not null,
    attempts integer not null,
    first_attempt_ms integer,
    next_attempt_ms integer not null,
    doubt_since_ms integer,
    may_repeat integer not null,
    ended_at_ms integer,
    error text,
    receipt text not null,
    channel_state text not null,
    channel text not null,
    chat_id text not null,
    session_key text not null,
    is_plain integer not null,
    created_at_ms integer not null,
    media text not null,
    context text not null,
    settles text not null,
    preamble text not null,
    content text not null
  ) strict`,
  // An attempt that was begun and not recorded is in doubt; an old \`unknown\` stays what it is.
  `insert into outbounds_3 select id, key, state, attempts, first_attempt_ms, next_attempt_ms,
    case when state = 'pending' then first_attempt_ms end, 0,
    case when state in ('open', 'pending') then null else created_at_ms end,
    error, receipt, channel_state, channel, chat_id, session_key, is_plain, created_at_ms,
    media, context, settles, preamble, content from outbounds order by id`,
  "drop table outbounds",
  "alter table outbounds_3 rename to outbounds",
  "create index outbounds_unsent on outbounds (channel, id) where ended_at_ms is null",
  "create index outbounds_ended on outbounds (ended_at_ms) where ended_at_ms is not null",
  `create index outbounds_stuck on outbounds (id) where state in ('failed', 'unknown')`,
  ...counting("outbounds"),
  `create table seen (
    channel text not null,
    platform_id text not null,
    seq integer not null,
    ended_at_ms integer not null,
    primary key (channel, platform_id)
  ) strict, without rowid`,
  "create index seen_by_end on seen (ended_at_ms)",
  "create table notes (key text primary key, value text not null) strict, without rowid",
], [
  `create table usage (
    scope text not null,
    name text not null,
    provider text not null,
    model text not null,
    updated_at_ms integer not null,
    calls integer not null,
    estimated_calls integer not null,
    unpriced_calls integer not null,
    input_tokens integer not null,
    cached_tokens integer not null,
    cache_write_tokens integer not null,
    output_tokens integer not null,
    reasoning_tokens integer not null,
    cost_nanos integer not null,
    primary key (scope, name, provider, model)
  ) strict, without rowid`,
  "create index usage_by_age on usage (updated_at_ms)",
], [
  `create table records (
    place integer primary key autoincrement,
    session_key text not null,
    turn_id text not null,
    at_ms integer not null,
    text text not null
  ) strict`,
  "create index records_of_session on records (session_key, place)",
  "create index records_by_age on records (at_ms)",
], [
  "alter table inbounds add column turn_line integer",
], [
  // One tree a row where there were two or three: each page that a commit touches is written.
  "drop index inbounds_waiting",
  "drop index inbounds_running",
  `create index inbounds_open on inbounds (session_key, state, seq)
    where ended_at_ms is null`,
  `create table turns_7 (
    session_key text primary key,
    turn_id text not null,
    attempts integer not null,
    lines integer not null,
    solo_seq integer
  ) strict, without rowid`,
  `insert into turns_7 select session_key, turn_id, attempts, lines, solo_seq from turns`,
  "drop table turns",
  "alter table turns_7 rename to turns",
  `create table lines_7 (
    place integer primary key,
    session_key text not null,
    turn_id text not null,
    line integer not null,
    inbound_seq integer,
    text text not null,
    unique (session_key, turn_id, line)
  ) strict`,
  "insert into lines_7 select place, session_key, turn_id, line, inbound_seq, text from lines",
  "drop table lines",
  "alter table lines_7 rename to lines",
]];

/** Triggers that keep `counts` true for a table with states, whoever changes its rows. */
function counting(table: "inbounds" | "outbounds"): string[] {
  const more = `insert into counts values ('${table}', new.state, 1)
    on conflict do update set rows = rows + 1;`;
  const fewer = `update counts set rows = rows - 1
    where kind = '${table}' and state = old.state;`;
  return [
    `create trigger ${table}_inserted after insert on ${table} begin ${more} end`,
    `create trigger ${table}_deleted after delete on ${table} begin ${fewer} end`,
    `create trigger ${table}_changed after update of state on ${table}
      when old.state is not new.state begin ${fewer} ${more} end`,
  ];
}

/** Which version the tables of today are. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/**
 * Brings the tables up to date.
 *
 * @throws {JournalError} `journal_newer` when a later version of the program has been here
 */
export function migrate(database: SqliteDatabase): void {
  const { user_version: version } = z.object({ user_version: z.int() })
    .parse(database.prepare("pragma user_version").get());
  if (version > MIGRATIONS.length) {
    const known = `version ${version}, and this program knows versions up to ${MIGRATIONS.length}`;
    throw new JournalError(
      "journal_newer",
      `Cannot use journal "${database.path}": a newer program wrote it (${known})`,
    );
  }
  if (version === MIGRATIONS.length) return;
  database.transaction(() => {
    for (const statement of MIGRATIONS.slice(version).flat()) database.prepare(statement).run();
    database.prepare(`pragma user_version = ${MIGRATIONS.length}`).run();
  });
}
