-- A journal of schema version 1, as the program of that time wrote it.
CREATE TABLE inbounds (
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
  ) strict;
CREATE TABLE turns (
    turn_id text primary key,
    session_key text not null unique,
    attempts integer not null,
    lines integer not null
  ) strict, without rowid;
CREATE TABLE lines (
    place integer primary key,
    session_key text not null,
    turn_id text not null,
    line integer not null,
    inbound_seq integer,
    text text not null,
    unique (turn_id, line)
  ) strict;
CREATE TABLE outbounds (
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
  ) strict;
CREATE TABLE counts (
    kind text not null,
    state text not null,
    rows integer not null,
    primary key (kind, state)
  ) strict, without rowid;
insert into inbounds values (1, 'feishu:oc_1', 'done', null, 'null', 'feishu', 'om_done', 'oc_1', 'ou_1', 1, 1700000000000, '[]', '{"message_id":"om_done"}', 'message om_done');
insert into inbounds values (2, 'feishu:oc_1', 'failed', null, 'null', 'feishu', 'om_failed', 'oc_1', 'ou_1', 1, 1700000001000, '[]', '{"message_id":"om_failed"}', 'message om_failed');
insert into inbounds values (3, 'feishu:oc_1', 'stopped', null, 'null', 'feishu', 'om_stopped', 'oc_1', 'ou_1', 1, 1700000002000, '[]', '{"message_id":"om_stopped"}', 'message om_stopped');
insert into inbounds values (4, 'feishu:oc_1', 'running', 't1', '{"reaction_id":"r1"}', 'feishu', 'om_running', 'oc_1', 'ou_1', 1, 1700000003000, '[]', '{"message_id":"om_running"}', 'message om_running');
insert into inbounds values (5, 'feishu:oc_1', 'accepted', null, 'null', 'feishu', 'om_waiting', 'oc_1', 'ou_1', 1, 1700000004000, '[]', '{"message_id":"om_waiting"}', 'message om_waiting');
insert into inbounds values (6, 'feishu:oc_2', 'accepted', null, 'null', 'feishu', '"om_nul\u0000"', 'oc_2', 'ou_1', 1, 1700000005000, '[]', '{"message_id":"om_nul\u0000"}', '"\"quoted\"\u0000"');
insert into turns values ('t1', 'feishu:oc_1', 2, 1);
insert into lines values (1, 'feishu:oc_1', 't1', 0, 4, '{}');
insert into outbounds values (1, 'open', 'open', 0, null, 1700000005000, null, '[]', 'null', 'feishu', 'oc_1', 'feishu:oc_1', 0, 1700000005000, '[]', '{}', '[]', '', 'answer open');
insert into outbounds values (2, 'untried', 'pending', 0, null, 1700000005000, null, '[]', 'null', 'feishu', 'oc_1', 'feishu:oc_1', 0, 1700000005000, '[]', '{}', '[]', '', 'answer untried');
insert into outbounds values (3, 'tried', 'pending', 0, 1700000005000, 1700000005000, null, '[]', '{"parts":["a"]}', 'feishu', 'oc_1', 'feishu:oc_1', 0, 1700000005000, '[]', '{}', '[]', '', 'answer tried');
insert into outbounds values (4, 'sent', 'sent', 1, null, 1700000005000, null, '["om_9"]', 'null', 'feishu', 'oc_1', 'feishu:oc_1', 0, 1700000005000, '[]', '{}', '[]', '', 'answer sent');
insert into outbounds values (5, 'failed', 'failed', 0, null, 1700000005000, 'no such chat', '[]', 'null', 'feishu', 'oc_1', 'feishu:oc_1', 0, 1700000005000, '[]', '{}', '[]', '', 'answer failed');
insert into outbounds values (6, 'unknown', 'unknown', 0, null, 1700000005000, null, '[]', 'null', 'feishu', 'oc_1', 'feishu:oc_1', 0, 1700000005000, '[]', '{}', '[]', '', 'answer unknown');
insert into counts values ('inbounds', 'accepted', 2);
insert into counts values ('inbounds', 'done', 1);
insert into counts values ('inbounds', 'failed', 1);
insert into counts values ('inbounds', 'running', 1);
insert into counts values ('inbounds', 'stopped', 1);
insert into counts values ('outbounds', 'failed', 1);
insert into counts values ('outbounds', 'open', 1);
insert into counts values ('outbounds', 'pending', 2);
insert into counts values ('outbounds', 'sent', 1);
insert into counts values ('outbounds', 'unknown', 1);
CREATE INDEX inbounds_waiting on inbounds (session_key, seq) where state = 'accepted';
CREATE INDEX inbounds_running on inbounds (session_key, seq) where state = 'running';
CREATE INDEX lines_of_session on lines (session_key, place);
CREATE INDEX outbounds_unsent on outbounds (channel, id) where state in ('open', 'pending');
CREATE TRIGGER inbounds_inserted after insert on inbounds begin insert into counts values ('inbounds', new.state, 1)
    on conflict do update set rows = rows + 1; end;
CREATE TRIGGER inbounds_deleted after delete on inbounds begin update counts set rows = rows - 1
    where kind = 'inbounds' and state = old.state; end;
CREATE TRIGGER inbounds_changed after update of state on inbounds
      when old.state is not new.state begin update counts set rows = rows - 1
    where kind = 'inbounds' and state = old.state; insert into counts values ('inbounds', new.state, 1)
    on conflict do update set rows = rows + 1; end;
CREATE TRIGGER outbounds_inserted after insert on outbounds begin insert into counts values ('outbounds', new.state, 1)
    on conflict do update set rows = rows + 1; end;
CREATE TRIGGER outbounds_deleted after delete on outbounds begin update counts set rows = rows - 1
    where kind = 'outbounds' and state = old.state; end;
CREATE TRIGGER outbounds_changed after update of state on outbounds
      when old.state is not new.state begin update counts set rows = rows - 1
    where kind = 'outbounds' and state = old.state; insert into counts values ('outbounds', new.state, 1)
    on conflict do update set rows = rows + 1; end;
pragma user_version = 1;
