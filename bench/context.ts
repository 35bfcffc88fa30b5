/**
 * What it costs to build what the model is shown, however much there is to remember.
 * @module
 */

import { join } from "node:path";
import { MemoryJournal } from "../actors/journal/memory_journal.ts";
import { nextTurn } from "../actors/kernel/adapters/event_loop.ts";
import { systemClock } from "../actors/kernel/adapters/system_clock.ts";
import { DiskTextFiles } from "../actors/kernel/adapters/text_files.ts";
import { breather } from "../actors/kernel/breathing.ts";
import { DiskPromptFiles, promptFacts } from "../actors/session/adapters/prompt_files.ts";
import { tokensFrom } from "../actors/session/consolidation_plan.ts";
import { Conversation } from "../actors/session/conversation.ts";
import { PromptBuilder } from "../actors/session/prompt.ts";
import { RequestView } from "../actors/session/request_view.ts";
import { encodeMessageLine, type StoredMessage } from "../actors/session/session_file.ts";
import { SessionStore } from "../actors/session/session_store.ts";
import { fitMessages } from "../actors/session/governance.ts";
import type { BenchRow } from "./bench_row.ts";
import { percentile } from "./stats.ts";

const ENTRIES = 100_000;
const MESSAGES = 100_000;
const WARM_UP = 20;
const REPEATS = 200;
/** A new summary is rare: about one for each ten turns of a long conversation. */
const CHANGES = 10;
const WAKES = 9;
const INPUT_TOKENS = 56_000;

/** Measures contexts beside their budgets. */
export async function benchContext(): Promise<BenchRow[]> {
  return [...await benchPrompt(), ...await benchConversation(), ...await benchWaking()];
}

async function benchPrompt(): Promise<BenchRow[]> {
  const workspace = await Deno.makeTempDir({ prefix: "troupe-bench-" });
  try {
    const file = join(workspace, "memory", "history.jsonl");
    await Deno.mkdir(join(workspace, "memory"));
    await Deno.writeTextFile(file, Array.from({ length: ENTRIES }, (_, n) => entry(n)).join(""));
    const prompts = new PromptBuilder(new DiskPromptFiles(workspace), promptFacts(workspace));
    const warm = await timed(REPEATS, () => prompts.build("cli"));
    let next = ENTRIES;
    const changed = await timed(CHANGES, async () => {
      await Deno.writeTextFile(file, entry(next++), { append: true });
      await prompts.build("cli");
    });
    const count = ENTRIES.toLocaleString("en");
    return [
      row(`context: prompt with ${count} summaries, p50`, warm, 1, "no file changed meanwhile"),
      row(
        `context: prompt after one more summary behind ${count}, p50`,
        changed,
        5,
        "the file's end is read again",
      ),
    ];
  } finally {
    await Deno.remove(workspace, { recursive: true });
  }
}

async function benchConversation(): Promise<BenchRow[]> {
  const messages = Array.from({ length: MESSAGES }, (_, n) => message(n));
  const conversation = new Conversation("cli:direct", { messages, metadata: null }, 0);
  const view = new RequestView();
  const requests = await timed(REPEATS, () => {
    const replay = conversation.forkReplay();
    replay.push({ role: "user", content: "and now?" });
    const all = replay.messages({ role: "system", content: "You help." });
    fitMessages(all, { inputTokensMax: INPUT_TOKENS, tools: [], view });
  });
  const looks = await timed(REPEATS, () => {
    tokensFrom(conversation.messages, 0, INPUT_TOKENS);
  });
  const count = MESSAGES.toLocaleString("en");
  const window = `${INPUT_TOKENS.toLocaleString("en")} tokens of input`;
  return [
    row(`context: request from ${count} messages, p50`, requests, 5, window),
    row(`context: look whether ${count} messages are too many, p50`, looks, 1, window),
  ];
}

/** The session's file is read; what others wait meanwhile is a turn of the event loop. */
async function benchWaking(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "troupe-bench-" });
  try {
    const files = new DiskTextFiles(folder);
    const lines = Array.from({ length: MESSAGES }, (_, n) => {
      const { message: said } = message(n);
      return `${encodeMessageLine(said, { timestampMs: 0, lineId: `t${n}:0` })}\n`;
    });
    await files.replace("cli_direct.jsonl", lines.join(""));
    const journal = new MemoryJournal({ clock: systemClock, defer: nextTurn });
    const options = { files, journal, clock: systemClock, breathe: breather(nextTurn) };
    const loads: number[] = [];
    const waits: number[] = [];
    for (let n = 0; n < WAKES; n++) {
      const longest = longestTurn();
      loads.push(...await timed(1, () => new SessionStore(options).load("cli:direct"), 0));
      waits.push(longest());
    }
    const count = MESSAGES.toLocaleString("en");
    const note = "nothing of them was summed up";
    return [
      row(`context: waking a session of ${count} messages, p50`, loads, 500, note),
      row(`context: the longest that others wait for that, p50`, waits, 20, note),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Watches the event loop until it is asked for the longest turn, in milliseconds. */
function longestTurn(): () => number {
  let lastMs = performance.now();
  let longestMs = 0;
  let isOver = false;
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
    if (!isOver) nextTurn(look);
  };
  nextTurn(look);
  return () => {
    isOver = true;
    return Math.max(longestMs, performance.now() - lastMs);
  };
}

async function timed(
  repeats: number,
  work: () => unknown,
  warmUp: number = Math.min(WARM_UP, repeats),
): Promise<number[]> {
  for (let n = 0; n < warmUp; n++) await work();
  const times: number[] = [];
  for (let n = 0; n < repeats; n++) {
    const startMs = performance.now();
    await work();
    times.push(performance.now() - startMs);
  }
  return times;
}

function row(
  what: string,
  timesMs: readonly number[],
  atMost: number | undefined,
  note: string,
): BenchRow {
  return {
    what,
    value: percentile(timesMs, 50),
    unit: "ms",
    budget: atMost === undefined ? undefined : { atMost },
    note: `${timesMs.length} times; ${note}`,
  };
}

function entry(n: number): string {
  const content = `- fact ${n} that somebody told in some conversation, and what came of it`;
  return `${JSON.stringify({ cursor: n + 1, timestamp: "2026-01-02 03:04", content })}\n`;
}

function message(n: number): StoredMessage {
  const content = `What was said at place ${n}, in some words.`;
  return {
    message: n % 2 === 0 ? { role: "user", content } : { role: "assistant", content },
    timestampMs: 0,
    lineId: null,
    extras: {},
  };
}
