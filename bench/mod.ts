/**
 * `deno task bench [names…] [--json] [--long]`: measures, and prints each value beside its budget.
 * @module
 */

import { parseArgs } from "node:util";
import type { BenchRow } from "./bench_row.ts";
import { benchBacklog } from "./backlog.ts";
import { benchBinary } from "./binary.ts";
import { benchChannelWorkers } from "./channel_workers.ts";
import { benchCompare } from "./compare/nanobot.ts";
import { benchContext } from "./context.ts";
import { benchJournal } from "./journal.ts";
import { benchKernel } from "./kernel.ts";
import { benchMachine } from "./machine.ts";
import { benchMemory } from "./memory.ts";
import { benchPlatformTurns } from "./platform_turns.ts";
import { benchProviders } from "./providers.ts";
import { benchRecall } from "./recall.ts";
import { benchRestart } from "./restart.ts";
import { benchSleepingSessions } from "./sleeping_sessions.ts";
import { benchStart } from "./start.ts";
import { renderJson, renderTable } from "./table.ts";
import { benchTools } from "./tools.ts";
import { benchTurns } from "./turns.ts";

/** What every group may be told. */
interface Flags {
  readonly turns: number;
}

/** Turns of the memory group: by default, and with `--long`. */
const TURNS = 2_000;
const TURNS_LONG = 100_000;

const GROUPS: Readonly<Record<string, (flags: Flags) => Promise<BenchRow[]>>> = {
  machine: benchMachine,
  kernel: benchKernel,
  journal: benchJournal,
  backlog: benchBacklog,
  turns: benchTurns,
  sleepers: benchSleepingSessions,
  context: benchContext,
  tools: benchTools,
  wire: benchPlatformTurns,
  providers: benchProviders,
  start: benchStart,
  restart: benchRestart,
  memory: benchMemory,
  channels: benchChannelWorkers,
  recall: benchRecall,
  binary: benchBinary,
  compare: benchCompare,
};

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      long: { type: "boolean", default: false },
      turns: { type: "string" },
    },
  });
  const names = positionals.length === 0 ? Object.keys(GROUPS) : positionals;
  const unknown = names.find((name) => GROUPS[name] === undefined);
  const turns = Number(values.turns ?? (values.long ? TURNS_LONG : TURNS));
  if (unknown !== undefined || !Number.isInteger(turns) || turns < 1) {
    say(
      Deno.stderr,
      `usage: deno task bench [${Object.keys(GROUPS).join("|")}…] [--json] [--long]
  [--turns N]   turns of the memory group (${TURNS}; with --long ${TURNS_LONG})\n`,
    );
    return 2;
  }
  const rows: BenchRow[] = [];
  for (const name of names) {
    say(Deno.stderr, `measuring: ${name}\n`);
    rows.push(...await GROUPS[name]?.({ turns }) ?? []);
  }
  say(Deno.stdout, values.json ? renderJson(rows) : `${machine()}${renderTable(rows)}`);
  return 0;
}

/** What the figures were measured on; others may have been busy on it. */
function machine(): string {
  const load = Deno.loadavg().map((value) => value.toFixed(1)).join(" ");
  const { os, arch } = Deno.build;
  const cores = navigator.hardwareConcurrency;
  return `Deno ${Deno.version.deno}, ${os} ${arch}, ${cores} cores, load ${load}\n`;
}

function say(stream: typeof Deno.stdout, text: string): void {
  stream.writeSync(new TextEncoder().encode(text));
}

if (import.meta.main) Deno.exit(await main());
