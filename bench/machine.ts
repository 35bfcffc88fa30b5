/**
 * What the other figures rest on: the disk's sync and the event loop's punctuality. Others may be
 * busy on the machine; where these two are bad, so is everything that waits for them.
 * @module
 */

import type { BenchRow } from "./bench_row.ts";
import { percentile } from "./stats.ts";

const SYNCS = 500;
const BYTES = 500;
const TIMERS = 300;
const TIMER_MS = 2;

/** Measures the machine; nothing here is ours. */
export async function benchMachine(): Promise<BenchRow[]> {
  const syncsMs = await syncTimes();
  const latenessMs = await timerLateness();
  const note = `of ${SYNCS}; each durable commit takes at least one`;
  return [
    row("machine: a synced write of 500 bytes, p50", percentile(syncsMs, 50), note),
    row("machine: a synced write of 500 bytes, p99", percentile(syncsMs, 99), note),
    row(
      `machine: how late a timer of ${TIMER_MS} ms fires, p99`,
      percentile(latenessMs, 99),
      `of ${TIMERS}, in an idle process`,
    ),
  ];
}

function row(what: string, value: number, note: string): BenchRow {
  return { what, value, unit: "ms", budget: undefined, note };
}

async function syncTimes(): Promise<number[]> {
  const path = await Deno.makeTempFile({ prefix: "troupe-bench-" });
  using file = await Deno.open(path, { append: true });
  const timesMs: number[] = [];
  for (let index = 0; index < SYNCS; index++) timesMs.push(timeOfSync(file));
  await Deno.remove(path);
  return timesMs;
}

/** Without a thread in between, as the journal does it. */
function timeOfSync(file: Deno.FsFile): number {
  const startMs = performance.now();
  file.writeSync(new Uint8Array(BYTES));
  file.syncDataSync();
  return performance.now() - startMs;
}

async function timerLateness(): Promise<number[]> {
  const latenessMs: number[] = [];
  for (let index = 0; index < TIMERS; index++) {
    const startMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, TIMER_MS));
    latenessMs.push(performance.now() - startMs - TIMER_MS);
  }
  return latenessMs;
}
