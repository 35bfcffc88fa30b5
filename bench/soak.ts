/**
 * `deno task soak [--turns N]`: turns without end in one process, watched as a gateway is and with
 * the environment of a service, and what becomes of its memory. Ends with 1 where that grows by more than its budget.
 * @module
 */

import { parseArgs } from "node:util";
import { systemClock } from "../actors/kernel/adapters/system_clock.ts";
import { GatewayMetrics } from "../actors/gateway/watch/metrics.ts";
import { Watching } from "../actors/gateway/watch/watching.ts";
import { type BenchRow, isWithinBudget } from "./bench_row.ts";
import { House } from "./house.ts";
import { renderTable } from "./table.ts";

const TURNS = 100_000;
/** Growth that design allows over them. */
const GROWTH_MB = 10;
const WARM_UP_TURNS = 5_000;
const LOOKS = 10;
const CHATS = 8;
/** Then the chat is left, and its session falls asleep, as it does after 10 idle minutes. */
const TURNS_PER_CHAT = 25;
const IDLE_MS = 20;
/** Recall's Worker ends in the long looks, as it does after 10 idle minutes: it is not collected. */
const RECALL_IDLE_MS = 5_000;
/** What the engine and the system need to take back most of what is not used any more. */
const SETTLE_MS = 3_000;
/** And all of it: the engine waits for 30 to 40 idle seconds. The looks that count wait for it. */
const SETTLE_WHOLLY_MS = 45_000;

/** Memory in MB (10^6 bytes), when nothing is under way. */
interface Sizes {
  readonly rss: number;
  readonly heap: number;
}

async function soak(turns: number): Promise<boolean> {
  const metrics = new GatewayMetrics(() => null);
  const watch = new Watching({
    clock: systemClock,
    onEnd: (...ended) => metrics.ended(...ended),
  });
  await using house = await House.open({ idleMs: IDLE_MS, recallIdleMs: RECALL_IDLE_MS, watch });
  await runTurns(house, "warm", WARM_UP_TURNS);
  const before = await settled(house, SETTLE_WHOLLY_MS);
  say(`${line(0, before)} (after ${WARM_UP_TURNS} turns to warm up)`);
  let after = before;
  for (let look = 1; look <= LOOKS; look++) {
    const startMs = performance.now();
    const stretch = Math.floor(turns / LOOKS);
    await runTurns(house, `look${look}`, stretch);
    const rate = stretch / (performance.now() - startMs) * 1_000;
    after = await settled(house, look === LOOKS ? SETTLE_WHOLLY_MS : SETTLE_MS);
    say(`${line(look * stretch, after)}, ${rate.toFixed(0)} turns/s`);
  }
  if (watch.open.length > 0) say(`${watch.open.length} activities never ended`);
  const rows = [
    row("RSS", before.rss, after.rss, turns),
    row("heap", before.heap, after.heap, turns),
  ];
  Deno.stdout.writeSync(new TextEncoder().encode(renderTable(rows)));
  return watch.open.length === 0 && rows.every(isWithinBudget);
}

async function runTurns(house: House, name: string, turns: number): Promise<void> {
  await Promise.all(Array.from({ length: CHATS }, async (_, lane) => {
    for (let turn = 0; turn < turns / CHATS; turn++) {
      await house.turn(`${name}_${lane}_${Math.floor(turn / TURNS_PER_CHAT)}`);
    }
  }));
}

/** Sizes after all sessions fell asleep and all garbage went. */
async function settled(house: House, settleMs: number): Promise<Sizes> {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("Cannot measure: run it as `deno task soak`");
  house.forget();
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, settleMs / 3));
    gc();
  }
  const { rss, heapUsed } = Deno.memoryUsage();
  return { rss: rss / 1e6, heap: heapUsed / 1e6 };
}

function row(what: string, before: number, after: number, turns: number): BenchRow {
  return {
    what: `soak: growth of ${what} over ${turns.toLocaleString("en")} turns`,
    value: after - before,
    unit: "MB",
    budget: { atMost: GROWTH_MB },
    note: `${before.toFixed(0)} to ${after.toFixed(0)} MB, garbage collected`,
  };
}

function line(turns: number, { rss, heap }: Sizes): string {
  return `${turns} turns: RSS ${rss.toFixed(1)} MB, heap ${heap.toFixed(1)} MB`;
}

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { turns: { type: "string" } } });
  const turns = Number(values.turns ?? TURNS);
  if (!Number.isInteger(turns) || turns < LOOKS) {
    say(`usage: deno task soak [--turns N]   (${TURNS} if left out, ${LOOKS} at least)`);
    Deno.exit(2);
  }
  Deno.exit(await soak(turns) ? 0 : 1);
}
