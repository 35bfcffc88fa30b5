/**
 * Tools in their hosts: what a call costs beyond the work itself, warm and cold.
 * @module
 */

import { hostBench } from "../tests/support/host_bench.ts";
import type { BenchRow } from "./bench_row.ts";
import { median, percentile } from "./stats.ts";

const WARM_CALLS = 500;
const WARM_UP_CALLS = 50;
const COLD_STARTS = 9;

/** Measures the hosts. */
export async function benchTools(): Promise<BenchRow[]> {
  const cold: number[] = [];
  for (let n = 0; n < COLD_STARTS; n++) {
    await using bench = await hostBench();
    const startMs = performance.now();
    await bench.call("list_dir", { path: "." });
    cold.push(performance.now() - startMs);
  }
  await using bench = await hostBench();
  await Deno.writeTextFile(`${bench.workspace}/a.txt`, "a line\n".repeat(20));
  const warm: number[] = [];
  for (let n = -WARM_UP_CALLS; n < WARM_CALLS; n++) {
    const startMs = performance.now();
    await bench.call("read_file", { path: "a.txt" });
    if (n >= 0) warm.push(performance.now() - startMs);
  }
  const note = `${WARM_CALLS} reads of a small file, one after the other, in a host of its own`;
  return [
    {
      what: "tool call in a warm host, p50",
      value: median(warm),
      unit: "ms",
      budget: { atMost: 3 },
      note,
    },
    {
      what: "tool call in a warm host, p99",
      value: percentile(warm, 99),
      unit: "ms",
      budget: undefined,
      note,
    },
    {
      what: "first tool call, with the start of its host",
      value: median(cold),
      unit: "ms",
      budget: { atMost: 60 },
      note: `median of ${COLD_STARTS}: from nothing to the listing of a folder`,
    },
  ];
}
