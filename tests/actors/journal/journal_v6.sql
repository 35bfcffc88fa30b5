-- A journal of schema version 6, as the program of that time wrote it.
CREATE TABLE turns (
    turn_id text primary key,
    session_key text not null unique,
    attempts integer not null,
    lines integer not null
  , solo_seq integer) strict, without rowid;
CREATE TABLE lines (
    place integer primary key,
    session_key text not null,
    turn_id text not null,
    line integer not null,
    inbound_seq integer,
    text text not null,
    unique (turn_id, line)
  ) strict;
CREATE TABLE counts (
    kind text not null,
    state text not null,
    rows integer not null,
    primary key (kind, state)
  ) strict, without rowid;
CREATE TABLE "inbounds" (
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
    content text not null, turn_line integer,
    unique (channel, platform_id)
  ) strict;
CREATE TABLE "outbounds" (
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
  ) strict;
CREATE TABLE seen (
    channel text not null,
    platform_id text not null,
    seq integer not null,
    ended_at_ms integer not null,
    primary key (channel, platform_id)
  ) strict, without rowid;
CREATE TABLE notes (key text primary key, value text not null) strict, without rowid;
INSERT INTO turns VALUES('t1','feishu:oc_1',2,1,NULL);
INSERT INTO lines VALUES(1,'feishu:oc_1','t1',0,4,'{}');
INSERT INTO counts VALUES('inbounds','accepted',3);
INSERT INTO counts VALUES('inbounds','done',1);
INSERT INTO counts VALUES('inbounds','failed',1);
INSERT INTO counts VALUES('inbounds','running',1);
INSERT INTO counts VALUES('inbounds','stopped',1);
INSERT INTO counts VALUES('outbounds','failed',1);
INSERT INTO counts VALUES('outbounds','open',1);
INSERT INTO counts VALUES('outbounds','pending',2);
INSERT INTO counts VALUES('outbounds','sent',1);
INSERT INTO counts VALUES('outbounds','unknown',1);
INSERT INTO inbounds VALUES(1,'feishu:oc_1','done',NULL,1700000000000,'null','feishu','om_done','oc_1','feishu','ou_1',1,1700000000000,NULL,'[]','{"message_id":"om_done"}','message om_done',NULL);
INSERT INTO inbounds VALUES(2,'feishu:oc_1','failed',NULL,1700000001000,'null','feishu','om_failed','oc_1','feishu','ou_1',1,1700000001000,NULL,'[]','{"message_id":"om_failed"}','message om_failed',NULL);
INSERT INTO inbounds VALUES(3,'feishu:oc_1','stopped',NULL,1700000002000,'null','feishu','om_stopped','oc_1','feishu','ou_1',1,1700000002000,NULL,'[]','{"message_id":"om_stopped"}','message om_stopped',NULL);
INSERT INTO inbounds VALUES(4,'feishu:oc_1','running','t1',NULL,'{"reaction_id":"r1"}','feishu','om_running','oc_1','feishu','ou_1',1,1700000003000,NULL,'[]','{"message_id":"om_running"}','message om_running',0);
INSERT INTO inbounds VALUES(5,'feishu:oc_1','accepted',NULL,NULL,'null','feishu','om_waiting','oc_1','feishu','ou_1',1,1700000004000,NULL,'[]','{"message_id":"om_waiting"}','message om_waiting',NULL);
INSERT INTO inbounds VALUES(6,'feishu:oc_2','accepted',NULL,NULL,'null','feishu','"om_nul\u0000"','oc_2','feishu','ou_1',1,1700000005000,NULL,'[]','{"message_id":"om_nul\u0000"}','"\"quoted\"\u0000"',NULL);
INSERT INTO inbounds VALUES(7,'feishu:oc_1','accepted',NULL,NULL,'null','feishu','om_draft','oc_1','feishu','ou_1',1,1700000005000,'{"kind":"audio"}','[]','{"message_id":"om_draft"}','message om_draft',NULL);
INSERT INTO outbounds VALUES(1,'open','open',0,NULL,1700000005000,NULL,0,NULL,NULL,'[]','null','feishu','oc_1','feishu:oc_1',0,1700000005000,'[]','{}','[]','','answer open');
INSERT INTO outbounds VALUES(2,'untried','pending',0,NULL,1700000005000,NULL,0,NULL,NULL,'[]','null','feishu','oc_1','feishu:oc_1',0,1700000005000,'[]','{}','[]','','answer untried');
INSERT INTO outbounds VALUES(3,'tried','pending',0,1700000005000,1700000005000,1700000005000,0,NULL,NULL,'[]','{"parts":["a"]}','feishu','oc_1','feishu:oc_1',0,1700000005000,'[]','{}','[]','','answer tried');
INSERT INTO outbounds VALUES(4,'sent','sent',1,NULL,1700000005000,NULL,0,1700000005000,NULL,'["om_9"]','null','feishu','oc_1','feishu:oc_1',0,1700000005000,'[]','{}','[]','','answer sent');
INSERT INTO outbounds VALUES(5,'failed','failed',0,NULL,1700000005000,NULL,0,1700000005000,'no such chat','[]','null','feishu','oc_1','feishu:oc_1',0,1700000005000,'[]','{}','[]','','answer failed');
INSERT INTO outbounds VALUES(6,'unknown','unknown',0,NULL,1700000005000,NULL,0,1700000005000,NULL,'[]','null','feishu','oc_1','feishu:oc_1',0,1700000005000,'[]','{}','[]','','answer unknown');
CREATE INDEX lines_of_session on lines (session_key, place);
CREATE INDEX inbounds_waiting on inbounds (session_key, seq) where state = 'accepted';
CREATE INDEX inbounds_drafts on inbounds (channel, seq)
    where state = 'accepted' and draft is not null;
CREATE INDEX inbounds_running on inbounds (session_key, seq) where state = 'running';
CREATE INDEX inbounds_busy on inbounds (seq) where ended_at_ms is null;
CREATE INDEX inbounds_ended on inbounds (ended_at_ms) where ended_at_ms is not null;
CREATE INDEX inbounds_stuck on inbounds (seq) where state in ('failed', 'parked');
CREATE TRIGGER inbounds_inserted after insert on inbounds begin insert into counts values ('inbounds', new.state, 1)
    on conflict do update set rows = rows + 1; end;
CREATE TRIGGER inbounds_deleted after delete on inbounds begin update counts set rows = rows - 1
    where kind = 'inbounds' and state = old.state; end;
CREATE TRIGGER inbounds_changed after update of state on inbounds
      when old.state is not new.state begin update counts set rows = rows - 1
    where kind = 'inbounds' and state = old.state; insert into counts values ('inbounds', new.state, 1)
    on conflict do update set rows = rows + 1; end;
CREATE INDEX outbounds_unsent on outbounds (channel, id) where ended_at_ms is null;
CREATE INDEX outbounds_ended on outbounds (ended_at_ms) where ended_at_ms is not null;
CREATE INDEX outbounds_stuck on outbounds (id) where state in ('failed', 'unknown');
CREATE TRIGGER outbounds_inserted after insert on outbounds begin insert into counts values ('outbounds', new.state, 1)
    on conflict do update set rows = rows + 1; end;
CREATE TRIGGER outbounds_deleted after delete on outbounds begin update counts set rows = rows - 1
    where kind = 'outbounds' and state = old.state; end;
CREATE TRIGGER outbounds_changed after update of state on outbounds
      when old.state is not new.state begin update counts set rows = rows - 1
    where kind = 'outbounds' and state = old.state; insert into counts values ('outbounds', new.state, 1)
    on conflict do update set rows = rows + 1; end;
CREATE INDEX seen_by_end on seen (ended_at_ms);
CREATE TABLE usage (
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
  ) strict, without rowid;
CREATE INDEX usage_by_age on usage (updated_at_ms);
CREATE TABLE records (
    place integer primary key autoincrement,
    session_key text not null,
    turn_id text not null,
    at_ms integer not null,
    text text not null
  ) strict;
INSERT INTO records VALUES(1,'feishu:oc_1','t1',1700000003000,'{"kind":"begin"}');
CREATE INDEX records_of_session on records (session_key, place);
CREATE INDEX records_by_age on records (at_ms);
pragma user_version = 6;
