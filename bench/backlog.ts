/**
 * What messages that wait cost: disk, and no memory.
 * @module
 */

import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { BenchRow } from "./bench_row.ts";

const FEW = 1_000;
const MANY = 100_000;
const BYTES_PER_MB = 1_000_000;
const GROWTH_MB = 10;

const report = z.object({ openMs: z.number(), heap: z.number(), rss: z.number() });

/** Measures a core with few and with many messages waiting, each in a process of its own. */
export async function benchBacklog(): Promise<BenchRow[]> {
  const few = await backlog(FEW);
  const many = await backlog(MANY);
  const note = `against ${FEW.toLocaleString("en")}, 1,000 sessions awake in both; SQLite on disk`;
  const what = `backlog: ${MANY.toLocaleString("en")} messages waiting`;
  return [
    {
      what: `${what}, more live heap`,
      value: (many.heap - few.heap) / BYTES_PER_MB,
      unit: "MB",
      budget: { atMost: GROWTH_MB },
      note,
    },
    {
      what: `${what}, more RSS`,
      value: (many.rss - few.rss) / BYTES_PER_MB,
      unit: "MB",
      budget: undefined,
      note: `${Math.round(few.rss / BYTES_PER_MB)} MB before; ${note}`,
    },
    { what: `${what}, the core is open`, value: many.openMs, unit: "ms", budget: undefined, note },
  ];
}

async function backlog(messages: number): Promise<z.infer<typeof report>> {
  const home = await Deno.makeTempDir({ prefix: "troupe-bench-" });
  try {
    await run("fill", messages, home);
    return report.parse(JSON.parse(await run("measure", messages, home)));
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

async function run(what: "fill" | "measure", messages: number, home: string): Promise<string> {
  const entry = fileURLToPath(new URL("./backlog_process.ts", import.meta.url));
  const flags = ["-A", "--cached-only", "--v8-flags=--expose-gc"];
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, entry, what, String(messages), home],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot measure a backlog: "${what}" failed`);
  return new TextDecoder().decode(stdout);
}
