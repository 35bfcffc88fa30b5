/**
 * Our own time in a turn, measured from outside: a real gateway process between Feishu's
 * simulator and a model server. The simulators work on the same cores, and count.
 * @module
 */

import { lastUserText, type ModelReply } from "../tests/simulators/model_server.ts";
import type { RecordedRequest } from "../tests/simulators/model_server.ts";
import type { BenchRow } from "./bench_row.ts";
import { FeishuCrowd } from "./feishu_crowd.ts";
import { percentile } from "./stats.ts";

const CHATS = 100;
const ROUNDS = 4;
const ROUNDS_TO_WARM_UP = 1;
/**
 * What the model takes, and the time over which the chats' messages are spread: slow enough for
 * the channel to stay below the platform's rates without waiting (900 messages a minute).
 */
const THINKING_MS = 10_000;
const ROUND_MS = 120_000;

/** Instants of a turn, milliseconds of `performance.now()`. */
interface Times {
  readonly saidMs: number;
  askedMs?: number;
  answeredMs?: number;
  deliveredMs?: number;
}

/** Measures turns over the wire, the first one after the start by itself. */
export async function benchPlatformTurns(): Promise<BenchRow[]> {
  const turns = new Map<string, Times>();
  await using crowd = await FeishuCrowd.gather((request) => answer(request, turns));
  await using gateway = await crowd.startGateway({ maxConcurrentRequests: 0 });
  await crowd.platform.connected();
  const watching = Promise.withResolvers<void>();
  const watched = watchCalls(crowd, turns, watching.promise);
  const firstMs = await firstTurnMs(crowd, turns);
  for (let round = 0; round < ROUNDS + ROUNDS_TO_WARM_UP; round++) {
    await runRound(crowd, round, turns);
  }
  watching.resolve();
  await watched;
  await gateway.stop();
  const measured = [...turns].filter(([token]) => roundOf(token) >= ROUNDS_TO_WARM_UP)
    .map(([, times]) => times);
  const note = `${measured.length} turns after ${CHATS * ROUNDS_TO_WARM_UP}; gateway process, ` +
    "Feishu simulator and model server on the same cores";
  return [
    ...rows(`turn over the wire: own time, ${CHATS} chats at once`, measured.map(ownMs), note, [
      2,
      10,
    ]),
    ...rows("turn over the wire: event in to model request", measured.map(inMs), note),
    ...rows("turn over the wire: last token to platform call", measured.map(outMs), note),
    {
      what: "turn over the wire: event in to model request, first turn after the start",
      value: firstMs,
      unit: "ms",
      budget: undefined,
      note: "one run",
    },
  ];
}

/** The token that tells a turn from all others, in its question and in its answer. */
function tokenOf(chat: number, round: number): string {
  return `t${chat}r${round}.`;
}

function roundOf(token: string): number {
  return Number(/r(-?\d+)/.exec(token)?.[1]);
}

const TOKEN = /t\d+r-?\d+\./;

function answer(request: RecordedRequest, turns: ReadonlyMap<string, Times>): ModelReply {
  const token = TOKEN.exec(lastUserText(request))?.[0] ?? "";
  const times = turns.get(token);
  if (times === undefined) throw new Error(`Cannot answer "${token}": nobody asked`);
  times.askedMs = performance.now();
  const thought = delay(THINKING_MS).then(() => times.answeredMs = performance.now());
  return { steps: [{ type: "pause", until: thought }, { type: "text", text: `Answer ${token}` }] };
}

/** Notes when the first call that carries a turn's answer arrives. */
async function watchCalls(
  { platform }: FeishuCrowd,
  turns: ReadonlyMap<string, Times>,
  until: Promise<void>,
): Promise<void> {
  let isOver = false;
  let seen = 0;
  void until.then(() => isOver = true);
  await platform.waitFor(() => {
    for (const { body } of platform.calls().slice(seen)) {
      seen++;
      const times = turns.get(TOKEN.exec(JSON.stringify(body) ?? "")?.[0] ?? "");
      if (times !== undefined) times.deliveredMs ??= performance.now();
    }
    return isOver;
  }, { timeoutMs: ROUND_MS * (ROUNDS + ROUNDS_TO_WARM_UP), what: "the end of the rounds" });
}

async function firstTurnMs(crowd: FeishuCrowd, turns: Map<string, Times>): Promise<number> {
  const token = tokenOf(0, -1);
  say(crowd, token, turns);
  await crowd.platform.waitFor(() => turns.get(token)?.deliveredMs !== undefined, {
    timeoutMs: ROUND_MS,
    what: "the first answer",
  });
  const times = turns.get(token);
  return times === undefined ? NaN : inMs(times);
}

async function runRound(
  crowd: FeishuCrowd,
  round: number,
  turns: Map<string, Times>,
): Promise<void> {
  const tokens = Array.from({ length: CHATS }, (_, chat) => tokenOf(chat, round));
  for (const token of tokens) {
    say(crowd, token, turns);
    await delay(THINKING_MS / CHATS);
  }
  await crowd.platform.waitFor(
    () => tokens.every((token) => turns.get(token)?.deliveredMs !== undefined),
    { timeoutMs: ROUND_MS, what: "all answers" },
  );
}

function say({ platform }: FeishuCrowd, token: string, turns: Map<string, Times>): void {
  turns.set(token, { saidMs: performance.now() });
  platform.userSays({ openId: `ou_${token.split("r")[0]}`, text: `Question ${token}` });
}

function inMs({ saidMs, askedMs = NaN }: Times): number {
  return askedMs - saidMs;
}

function outMs({ answeredMs = NaN, deliveredMs = NaN }: Times): number {
  return deliveredMs - answeredMs;
}

function ownMs(times: Times): number {
  return inMs(times) + outMs(times);
}

function rows(
  what: string,
  valuesMs: readonly number[],
  note: string,
  budgetsMs?: readonly [number, number],
): BenchRow[] {
  return ([50, 99] as const).map((percent, index) => ({
    what: `${what}, p${percent}`,
    value: percentile(valuesMs, percent),
    unit: "ms",
    budget: budgetsMs && { atMost: budgetsMs[index] ?? NaN },
    note,
  }));
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
