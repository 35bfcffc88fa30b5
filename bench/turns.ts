/**
 * What a turn costs us: alone, with 8 sessions at once, with 100 chats at once, and with a long
 * history. In one process, with an in-process channel and model, SQLite and real session files.
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import type { BenchRow } from "./bench_row.ts";
import { House, HOUSE_CHANNEL, type TurnTimes } from "./house.ts";
import { median, percentile } from "./stats.ts";

const WARM_UP_TURNS = 500;
const TURNS = 1_000;
const SESSIONS = 8;
const CHATS = 100;
const THINKING_MS = 1_000;
const TURNS_PER_CHAT = 10;
const HISTORIES = [10, 100_000] as const;
/** Turns per history and round; the rounds alternate, so that noise meets both. */
const HISTORY_TURNS = 40;
const HISTORY_ROUNDS = 10;

const INSTANT = "in-process channel and model, both instant";

/** Measures turns beside their budgets. */
export async function benchTurns(): Promise<BenchRow[]> {
  return [...await benchWhole(), ...await benchManyChats(), ...await benchHistory()];
}

async function benchWhole(): Promise<BenchRow[]> {
  await using house = await House.open();
  await turnsOf(house, ["warm"], WARM_UP_TURNS);
  const usedBefore = process.cpuUsage();
  const alone = await turnsOf(house, ["alone"], TURNS);
  const { user, system } = process.cpuUsage(usedBefore);
  const sessions = Array.from({ length: SESSIONS }, (_, index) => `session_${index}`);
  const startMs = performance.now();
  const together = await turnsOf(house, sessions, TURNS / SESSIONS);
  const seconds = (performance.now() - startMs) / 1_000;
  const note = `${TURNS} turns after ${WARM_UP_TURNS}; ${INSTANT}`;
  return [
    ...percentileRows("turn: whole and durable, one at a time", alone.map(wholeMs), [3, 15], note),
    {
      what: "turn: processor time of a whole one",
      value: (user + system) / 1_000 / TURNS,
      unit: "ms",
      budget: undefined,
      note: `all threads; moves less than waiting when others are busy; ${note}`,
    },
    {
      what: `turn: turns over ${SESSIONS} sessions`,
      value: together.length / seconds,
      unit: "/s",
      budget: { atLeast: 500 },
      note,
    },
  ];
}

/** Arrivals are spread over the time the model takes, so that 100 turns are under way at once. */
async function benchManyChats(): Promise<BenchRow[]> {
  await using house = await House.open({ thinks: () => delay(THINKING_MS) });
  const measured = await Promise.all(Array.from({ length: CHATS }, async (_, chat) => {
    await delay(chat * THINKING_MS / CHATS);
    const turns: TurnTimes[] = [];
    for (let turn = 0; turn < TURNS_PER_CHAT; turn++) turns.push(await house.turn(`chat_${chat}`));
    return turns.slice(2);
  }));
  const turns = measured.flat();
  const note = `${turns.length} turns after ${2 * CHATS}; in-process channel, and a model that ` +
    `takes ${THINKING_MS / 1_000} s: ${CHATS} turns under way`;
  return [
    ...percentileRows(`turn: own time, ${CHATS} chats at once`, turns.map(ownMs), [2, 10], note),
    ...await burstRows(),
  ];
}

/** All of them in the same instant: what the last one waits is the work of all. */
async function burstRows(): Promise<BenchRow[]> {
  await using house = await House.open();
  const chats = Array.from({ length: CHATS }, (_, chat) => `chat_${chat}`);
  await turnsOf(house, chats, 3);
  const burst = (await turnsOf(house, chats, 1)).map(wholeMs);
  return [{
    what: `turn: ${CHATS} chats in the same instant, the last answer`,
    value: Math.max(...burst),
    unit: "ms",
    budget: undefined,
    note: INSTANT,
  }];
}

async function benchHistory(): Promise<BenchRow[]> {
  const home = await Deno.makeTempDir({ prefix: "troupe-bench-" });
  try {
    for (const messages of HISTORIES) await writeHistory(home, messages);
    await using house = await House.open({ home });
    const [short, long] = HISTORIES.map((messages) => ({ chat: `with_${messages}`, ms: [] }));
    const sides: { readonly chat: string; readonly ms: number[] }[] = [short, long].flatMap(
      (side) => side ?? [],
    );
    for (const { chat } of sides) await turnsOf(house, [chat], WARM_UP_TURNS);
    for (let round = 0; round < HISTORY_ROUNDS; round++) {
      for (const { chat, ms } of sides) {
        ms.push(...(await turnsOf(house, [chat], HISTORY_TURNS)).map(wholeMs));
      }
    }
    const [few, many] = sides.map(({ ms }) => median(ms));
    return [{
      what: `turn: with ${HISTORIES[1].toLocaleString("en")} messages behind it`,
      value: (many ?? NaN) / (few ?? NaN),
      unit: "times",
      budget: { atMost: 1.5 },
      note: `against ${HISTORIES[0]}, medians of ${HISTORY_TURNS * HISTORY_ROUNDS}; ${INSTANT}`,
    }];
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

async function writeHistory(home: string, messages: number): Promise<void> {
  const folder = join(home, "workspace", "sessions");
  await Deno.mkdir(folder, { recursive: true });
  const chat = `with_${messages}`;
  const timestamp = new Date(0).toISOString();
  const lines: unknown[] = [{ _type: "metadata", key: `${HOUSE_CHANNEL}:${chat}` }];
  for (let index = 0; index < messages; index++) {
    const role = index % 2 === 0 ? "user" : "assistant";
    lines.push({ role, content: `What was said at place ${index}, in some words.`, timestamp });
  }
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await Deno.writeTextFile(join(folder, `${HOUSE_CHANNEL}_${chat}.jsonl`), text);
}

/** `turns` turns in each chat, one after the other; the chats side by side. */
async function turnsOf(
  house: House,
  chats: readonly string[],
  turns: number,
): Promise<TurnTimes[]> {
  const measured = await Promise.all(chats.map(async (chat) => {
    const times: TurnTimes[] = [];
    for (let turn = 0; turn < turns; turn++) times.push(await house.turn(chat));
    return times;
  }));
  return measured.flat();
}

function wholeMs({ saidMs, deliveredMs }: TurnTimes): number {
  return deliveredMs - saidMs;
}

/** Event in to model request, and last token to platform call. */
function ownMs({ saidMs, askedMs, answeredMs, deliveredMs }: TurnTimes): number {
  return askedMs - saidMs + deliveredMs - answeredMs;
}

function percentileRows(
  what: string,
  valuesMs: readonly number[],
  budgetsMs: readonly [number, number],
  note: string,
): BenchRow[] {
  return ([50, 99] as const).map((percent, index) => ({
    what: `${what}, p${percent}`,
    value: percentile(valuesMs, percent),
    unit: "ms",
    budget: { atMost: budgetsMs[index] ?? NaN },
    note,
  }));
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
