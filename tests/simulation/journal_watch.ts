/**
 * What became durable, commit by commit: seen from outside, by comparing the journal's rows.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { HistoryLine, Inbound, Outbound, TurnRecord } from "../../actors/journal/journal.ts";
import { type JournalRows, NO_ROWS } from "../../actors/journal/memory_store.ts";
import { endsTurn, parseCommand } from "../../actors/session/command_table.ts";
import { pendingNote, readPending } from "../../actors/session/archived_chunk.ts";
import { SET_ASIDE } from "../../actors/session/session_file.ts";
import { parseMessageLine } from "../../actors/session/session_file.ts";
import { lineIdOf } from "../../actors/session/session_store.ts";
import type { Retention } from "../../actors/gateway/journal_keeper.ts";
import type { ChatMessage } from "../../providers/provider.ts";
import type { EventLog } from "./event_log.ts";
import { marksIn, textOf, topicsIn } from "./marks.ts";

const DAY_MS = 24 * 3_600_000;

/** Messages that begin a turn, or join it, in one step at most. */
export const JOINS_PER_STEP_MAX = 3;

/** The way of an inbound. */
export interface SeenInbound {
  row: Inbound;
  /** The commit that ended it. */
  endedAt: number | undefined;
  /** Epoch milliseconds. */
  endedAtMs: number | undefined;
}

/** The way of an outbound. */
export interface SeenOutbound {
  row: Outbound;
  /** The commit that made it. */
  readonly madeAt: number;
  /** The commit from which on it was to be sent. */
  pendingAt: number | undefined;
}

/** A line of a history, and the commit that made it durable. */
export interface StoryLine {
  readonly lineId: string;
  readonly line: HistoryLine;
  /** The message in it; null where there is none. */
  readonly message: ChatMessage | null;
  /** Marks of what a person says in it. */
  readonly marks: readonly string[];
  /** What is told in it, by a person or from inside. */
  readonly topics: readonly string[];
  /** Ids of the lines that it sets aside. */
  readonly setsAside: readonly string[];
}

/** What a watch takes from its world. */
export interface JournalWatchOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  /** How long finished rows stay; for ever without. */
  readonly retention: Retention | undefined;
}

/** Remembers all that was ever durable, also what the journal has forgotten since. */
export class JournalWatch {
  readonly inbounds: Map<number, SeenInbound> = new Map();
  readonly outbounds: Map<string, SeenOutbound> = new Map();
  /** Platform ids of the messages that have come to an end. */
  readonly endedIds: Set<string> = new Set();
  /** Sentences about what must not become durable. */
  readonly breaches: string[] = [];
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #stories = new Map<string, StoryLine[]>();
  #lines: StoryLine[] = [];
  readonly #seenLines = new Set<string>();
  readonly #turns = new Map<string, string>();
  /** Sessions whose `/new` is done, and whose file was not begun anew since. */
  readonly #mustBegin = new Map<string, number>();
  #commits = 0;
  #hasLateResult = false;
  #rows = NO_ROWS;
  /** The rows of the last commit, whatever a crash has undone since. */
  #seenRows = NO_ROWS;

  constructor({ log, clock, retention }: JournalWatchOptions) {
    this.#log = log;
    this.#clock = clock;
    this.#keptMs = retention === undefined ? Infinity : retention.finishedDays * DAY_MS;
  }

  /** With the last commit something joined a turn behind words that were accepted after it. */
  get hasLateResult(): boolean {
    return this.#hasLateResult;
  }

  /** How many commits there were. */
  get commits(): number {
    return this.#commits;
  }

  /** The history of a session since it was last begun anew, as it was committed. */
  story(sessionKey: string): readonly StoryLine[] {
    return this.#stories.get(sessionKey) ?? [];
  }

  /** The part of it that the model may see: without what was parked, or waits for its turn alone. */
  shownStory(sessionKey: string): readonly StoryLine[] {
    const story = this.story(sessionKey);
    const hidden = new Set(story.flatMap(({ setsAside }) => setsAside));
    const solo = this.#rows.turns.find((turn) => turn.sessionKey === sessionKey)?.soloSeq ?? null;
    return story.filter(({ lineId, line: { inboundSeq } }) => {
      if (hidden.has(lineId)) return false;
      const waitsAside = solo !== null && inboundSeq !== null && inboundSeq !== solo &&
        this.inbounds.get(inboundSeq)?.row.state === "running";
      return !waitsAside;
    });
  }

  /** What those messages in a story tell that its session works on: none of them has an answer yet. */
  topicsAtWork(story: readonly StoryLine[]): readonly string[] {
    return story.flatMap(({ line: { inboundSeq }, topics }) => {
      const inbound = inboundSeq === null ? undefined : this.inbounds.get(inboundSeq);
      return inbound?.row.state === "running" ? topics : [];
    });
  }

  /** All lines that were ever committed, also of histories that began anew since. */
  allLines(): readonly StoryLine[] {
    return this.#lines;
  }

  /** Keys of all sessions with a history. */
  get sessionKeys(): readonly string[] {
    return [...this.#stories.keys()];
  }

  /** Its `/new` is done, but its file was not begun anew yet: that comes before anything is added. */
  mustBeginAnew(sessionKey: string): boolean {
    return this.#mustBegin.has(sessionKey);
  }

  /** A session's file was begun anew. */
  forgetStory(sessionKey: string): void {
    this.#mustBegin.delete(sessionKey);
    this.#stories.set(sessionKey, []);
  }

  /** A crash undid what was not synced, so that it never was; `rows` is what is left. */
  undo(rows: JournalRows): void {
    const lines = new Set(rows.lines.map(lineIdOf));
    for (const line of this.#rows.lines) if (!lines.has(lineIdOf(line))) this.#lineLost(line);
    const keys = new Set(rows.outbounds.map(({ key }) => key));
    for (const { key } of this.#rows.outbounds) if (!keys.has(key)) this.outbounds.delete(key);
    this.#rows = rows;
  }

  /** Looks at the rows after a commit, or after a crash. */
  observe(rows: JournalRows): void {
    const { inbounds, turns, lines, outbounds, notes } = rows;
    const seen = this.#seenRows; // a list that is the same has nothing new in it
    this.#forgotten(rows);
    this.#rows = rows;
    this.#seenRows = rows;
    this.#commits++;
    this.#hasLateResult = false;
    if (inbounds !== seen.inbounds) this.#inbounds(inbounds);
    if (turns !== seen.turns) this.#openTurns(turns);
    if (lines !== seen.lines) { for (const line of lines) this.#line(line); }
    if (outbounds !== seen.outbounds) { for (const row of outbounds) this.#outbound(row); }
    if (notes !== seen.notes) this.#summedUp(rows, seen);
  }

  /** A turn stays word by word while it is open: it may have to go on from there. */
  #summedUp({ turns, notes }: JournalRows, seen: JournalRows): void {
    for (const { turnId, sessionKey } of turns) {
      const note = notes.find(({ key }) => key === pendingNote(sessionKey));
      if (note === undefined || seen.notes.includes(note)) continue;
      const pending = readPending(note.value);
      const chunk = this.story(sessionKey).slice(pending?.from ?? 0, pending?.to ?? 0);
      if (!chunk.some(({ line }) => line.turnId === turnId)) continue;
      this.breaches.push(`turn ${turnId} is summed up while it goes on`);
    }
  }

  /** Only what has ended long enough ago may be gone. */
  #forgotten({ inbounds, outbounds }: JournalRows): void {
    const gone = [
      ...goneOf(this.#rows.inbounds, inbounds, ({ seq }) => seq),
      ...goneOf(this.#rows.outbounds, outbounds, ({ key }) => key),
    ];
    for (const { state, endedAtMs, ...row } of gone) {
      const what = "seq" in row ? `inbound ${row.seq}` : `outbound ${row.key}`;
      this.#log.add("journal", `${what} is forgotten`);
      const isOld = this.#clock.now() - (endedAtMs ?? Infinity) >= this.#keptMs;
      if (!isOld) this.breaches.push(`${what} (${state}) was forgotten too early`);
    }
  }

  #inbounds(rows: readonly Inbound[]): void {
    const begun = rows.filter((row) => this.#inbound(row) && row.state === "running");
    for (const [turnId, joining] of Map.groupBy(begun, (row) => row.turnId)) {
      if (joining.length > JOINS_PER_STEP_MAX) {
        this.breaches.push(`${joining.length} messages join turn ${turnId} at once`);
      }
    }
    for (const row of begun) this.#begun(row, rows);
    this.#hasLateResult = begun.some((row) => isLate(row, rows));
  }

  /** What a command does to all before it must be done before anything after it begins. */
  #begun({ seq, sessionKey }: Inbound, rows: readonly Inbound[]): void {
    const overtaken = rows.find((row) =>
      row.sessionKey === sessionKey && row.seq < seq && row.state === "accepted" &&
      endsAllBefore(row.content)
    );
    if (overtaken === undefined) return;
    this.breaches.push(`inbound ${seq} overtook ${overtaken.seq} (${overtaken.content})`);
  }

  /** Whether its state is new. */
  #inbound(row: Inbound): boolean {
    const seen = this.inbounds.get(row.seq);
    if (seen?.row === row) return false;
    const isOver = row.state !== "accepted" && row.state !== "running";
    const hasJustEnded = isOver && seen?.endedAt === undefined;
    if (hasJustEnded) this.endedIds.add(row.platformId);
    this.inbounds.set(row.seq, {
      row,
      endedAt: hasJustEnded ? this.#commits : seen?.endedAt,
      endedAtMs: hasJustEnded ? this.#clock.now() : seen?.endedAtMs,
    });
    if (seen?.row.state === row.state) return false;
    const what = seen === undefined ? ` ${row.sessionKey} ${JSON.stringify(row.content)}` : "";
    this.#log.add("journal", `inbound ${row.seq} ${row.platformId} ${row.state}${what}`);
    if (row.state === "done" && parseCommand(row.content)?.name === "new") this.#begunAnew(row);
    return true;
  }

  /** Whether it does is seen at its next line. */
  #begunAnew({ seq, sessionKey }: Inbound): void {
    if (this.story(sessionKey).length > 0) this.#mustBegin.set(sessionKey, seq);
  }

  #openTurns(turns: readonly TurnRecord[]): void {
    for (const turn of turns) this.#turn(turn.turnId, `attempt ${turn.attempts}`);
    const open = new Set(turns.map(({ turnId }) => turnId));
    for (const turnId of [...this.#turns.keys()]) if (!open.has(turnId)) this.#turnEnded(turnId);
  }

  #turn(turnId: string, what: string): void {
    if (this.#turns.get(turnId) === what) return;
    this.#turns.set(turnId, what);
    this.#log.add("journal", `turn ${turnId} ${what}`);
  }

  #turnEnded(turnId: string): void {
    this.#turns.delete(turnId);
    this.#log.add("journal", `turn ${turnId} ended`);
  }

  #line(line: HistoryLine): void {
    const lineId = lineIdOf(line);
    if (this.#seenLines.has(lineId)) return;
    this.#seenLines.add(lineId);
    const seq = this.#mustBegin.get(line.sessionKey);
    if (seq !== undefined) {
      this.breaches.push(`inbound ${seq} is done, but ${line.sessionKey} did not begin anew`);
    }
    const story = this.#stories.get(line.sessionKey) ?? [];
    this.#stories.set(line.sessionKey, story);
    const told = { lineId, line, ...readLine(line.text) };
    story.push(told);
    this.#lines.push(told);
    this.#log.add("journal", `line ${lineId} ${line.text.slice(0, 160)}`);
  }

  #lineLost(line: HistoryLine): void {
    const lineId = lineIdOf(line);
    this.#log.add("journal", `line ${lineId} was lost`);
    this.#seenLines.delete(lineId);
    const others = (lines: readonly StoryLine[]) => lines.filter((it) => it.lineId !== lineId);
    this.#lines = others(this.#lines);
    this.#stories.set(line.sessionKey, others(this.story(line.sessionKey)));
  }

  #outbound(row: Outbound): void {
    const seen = this.outbounds.get(row.key);
    if (seen?.row === row) return;
    const pendingAt = seen?.pendingAt ?? (row.state === "open" ? undefined : this.#commits);
    this.outbounds.set(row.key, { row, madeAt: seen?.madeAt ?? this.#commits, pendingAt });
    const { key, state, attempts, doubtSinceMs, mayRepeat } = row;
    if (seen !== undefined && isSame(seen.row, row)) return;
    const doubt = `${doubtSinceMs === null ? "" : " in doubt"}${mayRepeat ? " may repeat" : ""}`;
    const what = state === "pending" ? ` ${JSON.stringify(row.content.slice(0, 60))}` : "";
    this.#log.add("journal", `outbound ${key} ${state} (${attempts})${doubt}${what}`);
  }
}

/** A subagent's result joins a turn whose own words are younger than its row. */
function isLate({ turnId, turnLine, seq }: Inbound, rows: readonly Inbound[]): boolean {
  return rows.some((other) =>
    other.turnId === turnId && other.state === "running" && other.seq > seq &&
    (other.turnLine ?? 0) < (turnLine ?? 0)
  );
}

function endsAllBefore(content: string): boolean {
  const command = parseCommand(content);
  return command !== null && endsTurn(command.name);
}

/** The rows of a list that are in the next one no more. */
function goneOf<T>(
  before: readonly T[],
  after: readonly T[],
  idOf: (row: T) => number | string,
): readonly T[] {
  if (before === after) return [];
  const isLonger = before.every((row, index) => {
    const other = after[index];
    return other !== undefined && idOf(other) === idOf(row);
  });
  if (isLonger) return []; // as nearly always: new rows come last
  const ids = new Set(after.map(idOf));
  return before.filter((row) => !ids.has(idOf(row)));
}

function readLine(text: string): Pick<StoryLine, "message" | "marks" | "topics" | "setsAside"> {
  const stored = parseMessageLine(text);
  const ids = stored?.extras[SET_ASIDE];
  const said = stored?.message.role === "user" ? textOf(stored.message) : "";
  return {
    message: stored?.message ?? null,
    marks: marksIn(said),
    topics: topicsIn(said),
    setsAside: Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [],
  };
}

function isSame(a: Outbound, b: Outbound): boolean {
  return a.state === b.state && a.attempts === b.attempts && a.mayRepeat === b.mayRepeat &&
    a.doubtSinceMs === b.doubtSinceMs;
}
