/**
 * What the journal costs: taking messages in, one commit, all commits of a turn, opening.
 * @module
 */

import { FIRST_SESSIONS, type Journal, type NewInbound } from "../actors/journal/journal.ts";
import { openSqliteJournal } from "../actors/journal/sqlite_journal.ts";
import { nextTurn } from "../actors/kernel/adapters/event_loop.ts";
import { systemClock } from "../actors/kernel/adapters/system_clock.ts";
import type { BenchRow } from "./bench_row.ts";
import { BareDatabase } from "./bare_database.ts";
import { median } from "./stats.ts";

const BURST_MESSAGES = 100_000;
/** Messages that are handed in at once. */
const BURST_WIDTH = 500;
const COMMITS = 2_000;
const SESSIONS = 8;
const TURNS_PER_SESSION = 250;
/** On a disk that syncs within 0.1 ms, as ours do. */
const SHARE_MS_MAX = 0.3;
/** The same on any disk: two synced commits, and one more for all the rest. */
const SHARE_COMMITS_MAX = 3;
/** Rows that one look at the unfinished sessions reads. */
const PAGE_SESSIONS = 1_000;

/** 250 characters, as people write. */
const CONTENT = "How is the weather in Shanghai today, and do I need an umbrella? ".repeat(4);

/** Measures the journal on the disk that holds the temporary files. */
export async function benchJournal(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir();
  const options = { path: `${folder}/journal.db`, clock: systemClock, defer: nextTurn };
  try {
    let journal = openSqliteJournal(options);
    const rows = [
      await benchBurst(journal),
      ...await benchCommits(journal),
      ...await benchTurns(journal, `${folder}/bare.db`),
    ];
    await finishAll(journal);
    await journal[Symbol.asyncDispose]();
    const startMs = performance.now();
    journal = openSqliteJournal(options);
    await journal.unfinishedSessions(FIRST_SESSIONS, PAGE_SESSIONS);
    rows.push({
      what: `journal: opening, ${BURST_MESSAGES.toLocaleString("en")} messages done`,
      value: performance.now() - startMs,
      unit: "ms",
      budget: undefined,
    });
    await journal[Symbol.asyncDispose]();
    return rows;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function message(platformId: string, sessionKey: string): NewInbound {
  return {
    channel: "feishu",
    platformId,
    sessionKey,
    chatId: sessionKey,
    senderId: "ou_7d8a6e6df7621556ce0d21922b676706",
    content: CONTENT,
    media: [],
    context: { message_id: platformId, chat_type: "p2p" },
    wantsStream: true,
  };
}

async function benchBurst(journal: Journal): Promise<BenchRow> {
  const startMs = performance.now();
  for (let first = 0; first < BURST_MESSAGES; first += BURST_WIDTH) {
    await Promise.all(Array.from({ length: BURST_WIDTH }, (_, index) => {
      const number = first + index;
      return journal.accept(message(`om_${number}`, `feishu:oc_${number % 1_000}`));
    }));
  }
  return {
    what: "journal: accepted inbounds, in bursts",
    value: BURST_MESSAGES / (performance.now() - startMs) * 1_000,
    unit: "/s",
    budget: undefined,
  };
}

async function benchCommits(journal: Journal): Promise<BenchRow[]> {
  const timesMs: number[] = [];
  for (let number = 0; number < COMMITS; number++) {
    const startMs = performance.now();
    await journal.accept(message(`single_${number}`, "feishu:oc_single"));
    timesMs.push(performance.now() - startMs);
  }
  return percentiles("journal: one commit by itself", timesMs);
}

async function benchTurns(journal: Journal, barePath: string): Promise<BenchRow[]> {
  using bare = new BareDatabase(barePath);
  const bareMs: number[] = [];
  const alone: TurnTimes[] = [];
  const inCards: TurnTimes[] = [];
  for (let turn = 0; turn < TURNS_PER_SESSION; turn++) {
    bareMs.push(bare.commit());
    alone.push(await runTurn(journal, "feishu:oc_alone", `alone_${turn}`));
    inCards.push(await runTurn(journal, "feishu:oc_card", `card_${turn}`, true));
  }
  const startMs = performance.now();
  await Promise.all(Array.from({ length: SESSIONS }, async (_, session) => {
    for (let turn = 0; turn < TURNS_PER_SESSION; turn++) {
      await runTurn(journal, `feishu:oc_session_${session}`, `turn_${session}_${turn}`);
    }
  }));
  const perSecond = SESSIONS * TURNS_PER_SESSION / (performance.now() - startMs) * 1_000;
  return [
    ...percentiles("journal: its share of a turn, two syncs", alone.map(whole), SHARE_MS_MAX),
    ...percentiles("journal: of it, the turn's own steps", alone.map(({ stepsMs }) => stepsMs)),
    ...percentiles("journal: a bare synced SQLite commit, between those turns", bareMs),
    {
      what: "journal: its share of a turn against that commit, p50 of each",
      value: median(alone.map(whole)) / median(bareMs),
      unit: "times",
      budget: { atMost: SHARE_COMMITS_MAX },
      note: "two commits are synced; the rest is our own work",
    },
    ...percentiles(
      "journal: its share of a turn whose answer grows in a card, three",
      inCards.map(whole),
    ),
    {
      what: `journal: turns over ${SESSIONS} sessions`,
      value: perSecond,
      unit: "/s",
      budget: { atLeast: 500 },
    },
  ];
}

/** How long a turn waits for the journal. */
interface TurnTimes {
  /** Until its message is taken in. */
  readonly acceptMs: number;
  /** From its begin until its answer is known to be sent. */
  readonly stepsMs: number;
}

function whole({ acceptMs, stepsMs }: TurnTimes): number {
  return acceptMs + stepsMs;
}

/** All that a turn asks of the journal, one after the other. */
async function runTurn(
  journal: Journal,
  sessionKey: string,
  turnId: string,
  growsInCard: boolean = false,
): Promise<TurnTimes> {
  const startMs = performance.now();
  const taken = await journal.accept(message(turnId, sessionKey));
  if (taken.state !== "accepted") throw new Error(`Cannot measure "${turnId}": it ran before`);
  const acceptMs = performance.now() - startMs;
  const { seq } = taken.inbound;
  const line = (number: number) => ({
    sessionKey,
    turnId,
    line: number,
    inboundSeq: null,
    text: JSON.stringify({ role: "user", content: CONTENT }),
  });
  const row = {
    key: `${turnId}:0`,
    channel: "feishu",
    chatId: sessionKey,
    sessionKey,
    content: CONTENT,
    preamble: "",
    media: [],
    context: taken.inbound.context,
    isPlain: false,
    settles: [{ platformId: turnId, outcome: "done" }],
  } as const;
  // What only prepares needs no sync; what is sent under a key of ours needs none either.
  await journal.commit({
    turn: { turnId, sessionKey, change: "begin" },
    lines: [line(0)],
    inbounds: [{ seq, state: "running", turnId }],
    outbounds: growsInCard ? [{ ...row, state: "open", content: "" }] : [],
  }, "written");
  if (growsInCard) {
    const channelState = { card: "7355372766134157313", bound: 1000 };
    await journal.commit({ outboundChanges: [{ key: row.key, channelState }] });
  }
  await journal.commit({
    turn: { turnId, sessionKey, change: "end" },
    lines: [line(1)],
    inbounds: [{ seq, state: "done" }],
    outbounds: [{ ...row, state: "pending" }],
  });
  await Promise.all([
    journal.dropLines([line(0), line(1)]),
    journal.commit({
      outboundChanges: [{ key: row.key, state: "sent", receipt: ["om_1"], attempts: 1 }],
    }, "written"),
  ]);
  return { acceptMs, stepsMs: performance.now() - startMs - acceptMs };
}

async function finishAll(journal: Journal): Promise<void> {
  let page = await journal.unfinishedSessions(FIRST_SESSIONS, PAGE_SESSIONS);
  for (;;) {
    for (const sessionKey of page.sessionKeys) {
      const waiting = await journal.waiting(sessionKey, 0, Number.MAX_SAFE_INTEGER);
      await journal.commit({ inbounds: waiting.map(({ seq }) => ({ seq, state: "done" })) });
    }
    if (page.next === null) return;
    page = await journal.unfinishedSessions(page.next, PAGE_SESSIONS);
  }
}

function percentiles(
  what: string,
  timesMs: readonly number[],
  medianMax?: number,
): BenchRow[] {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return [50, 99].map((percent) => ({
    what: `${what}, p${percent}`,
    value: sorted[Math.floor(sorted.length * percent / 100)] ?? NaN,
    unit: "ms",
    budget: percent === 50 && medianMax !== undefined ? { atMost: medianMax } : undefined,
  }));
}
