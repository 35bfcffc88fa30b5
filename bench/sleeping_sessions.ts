/**
 * What a conversation costs in memory that has fallen asleep. Its past is on disk, and the next
 * message wakes it from there.
 * @module
 */

import { fileURLToPath } from "node:url";
import type { BenchRow } from "./bench_row.ts";

const SESSIONS = 8_000;
/** None, as far as a heap that moves by some hundred kilobytes can tell. */
const BYTES_MAX = 50;

/** Measures it in a process of its own. */
export async function benchSleepingSessions(): Promise<BenchRow[]> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--cached-only", "--no-check", "--v8-flags=--expose-gc"],
      fileURLToPath(new URL("./sleeping_process.ts", import.meta.url)),
      String(SESSIONS),
    ],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("Cannot measure sleeping sessions: their process failed");
  return [{
    what: "a session that sleeps, live heap",
    value: Number(new TextDecoder().decode(stdout)),
    unit: "bytes",
    budget: { atMost: BYTES_MAX },
    note: `${SESSIONS.toLocaleString("en")} of one turn each, garbage collected`,
  }];
}
