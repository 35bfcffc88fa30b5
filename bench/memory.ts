/**
 * Whether memory grows with the turns that were run.
 * @module
 */

import { fileURLToPath } from "node:url";
import { z } from "zod";
import { say } from "../tests/simulators/model_server.ts";
import type { BenchRow } from "./bench_row.ts";
import { FeishuCrowd } from "./feishu_crowd.ts";
import { residentMb, settledMb } from "./process_memory.ts";

const BYTES_PER_MB = 1_000_000;
const GROWTH_MB = 10;
/** The channel keeps below the platform's rates: 900 messages a minute. */
const FEISHU_TURNS_MAX = 1_000;
const FEISHU_WARM_UP_TURNS = 500;
const PEOPLE = 50;

const sizes = z.object({ heap: z.number(), rss: z.number() });
const report = z.object({ before: sizes, after: sizes });

/** Measures the gateway process from outside, and its core from inside over all the turns. */
export async function benchMemory(
  { turns }: { readonly turns: number },
): Promise<BenchRow[]> {
  return [...await coreRows(turns), ...await gatewayRows(Math.min(turns, FEISHU_TURNS_MAX))];
}

async function coreRows(turns: number): Promise<BenchRow[]> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--cached-only",
      "--v8-flags=--expose-gc",
      fileURLToPath(new URL("./turns_process.ts", import.meta.url)),
      String(turns),
    ],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("Cannot measure memory: its process failed");
  const { before, after } = report.parse(JSON.parse(new TextDecoder().decode(stdout)));
  const over = `over ${turns.toLocaleString("en")} turns`;
  const note = "after 2,000; in-process channel and model, left sessions asleep";
  return [
    {
      what: `memory: growth of the live heap ${over}`,
      value: (after.heap - before.heap) / BYTES_PER_MB,
      unit: "MB",
      budget: { atMost: GROWTH_MB },
      note: `garbage collected; ${note}`,
    },
    {
      what: `memory: growth of RSS ${over}`,
      value: (after.rss - before.rss) / BYTES_PER_MB,
      unit: "MB",
      budget: { atMost: GROWTH_MB },
      note,
    },
  ];
}

async function gatewayRows(turns: number): Promise<BenchRow[]> {
  await using crowd = await FeishuCrowd.gather(() => say("Take an umbrella: ", "it will rain."));
  await using gateway = await crowd.startGateway();
  await crowd.platform.connected();
  await runTurns(FEISHU_WARM_UP_TURNS);
  const beforeMb = await settledMb(gateway.pid);
  await runTurns(turns);
  const busyMb = await residentMb(gateway.pid);
  const afterMb = await settledMb(gateway.pid);
  const note = "real process, Feishu simulator, 45 idle seconds before each reading";
  return [
    {
      what: `memory: RSS of the gateway after ${FEISHU_WARM_UP_TURNS.toLocaleString("en")} turns`,
      value: beforeMb,
      unit: "MB",
      budget: undefined,
      note,
    },
    {
      what: `memory: RSS of the gateway, growth over ${turns.toLocaleString("en")} turns`,
      value: afterMb - beforeMb,
      unit: "MB",
      budget: { atMost: GROWTH_MB },
      note: `after ${FEISHU_WARM_UP_TURNS.toLocaleString("en")}; ${Math.round(busyMb)} MB at work`,
    },
  ];

  async function runTurns(count: number): Promise<void> {
    for (let wave = 0; wave < count / PEOPLE; wave++) {
      const people = Array.from({ length: PEOPLE }, (_, index) => `ou_${index}`);
      const said = crowd.say(people, [`message ${wave}`]);
      await Promise.all(said.map(({ acknowledged }) => acknowledged));
      await crowd.quiet(gateway);
    }
  }
}
