/**
 * Runs simulated worlds: `--seed N` prints one with its events, `--seeds N` looks for one that
 * breaks a law (`--from N` begins there, `--all` looks for all of them, `--progress` tells how far
 * it is, as on a terminal), `--faults` plants faults into a copy of the code and says which ones show.
 * @module
 */

import { parseArgs } from "node:util";
import { brokenLaws } from "./laws.ts";
import { plantFaults } from "./plant.ts";
import { searchSeeds } from "./search.ts";
import { runWorld } from "./world.ts";

const SEEDS = 100;
/** After so many it is told how far a search has come. */
const PROGRESS_EACH = 1_000;
/** In so many worlds all but the rarest planted faults show. */
const FAULT_SEEDS = 600;

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      seeds: { type: "string" },
      from: { type: "string", default: "1" },
      all: { type: "boolean", default: false },
      faults: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      progress: { type: "boolean", default: false },
    },
  });
  if (values.faults) {
    const seeds = Number(values.seeds ?? FAULT_SEEDS);
    return await plantFaults({ seeds, only: new RegExp(values.only) }) ? 0 : 1;
  }
  if (values.seed !== undefined) return await showSeed(Number(values.seed));
  return await search({
    from: Number(values.from),
    count: Number(values.seeds ?? SEEDS),
    goesOn: values.all,
    tellsProgress: values.progress || Deno.stderr.isTerminal(),
  });
}

/** Prints everything that happens in one world. */
async function showSeed(seed: number): Promise<number> {
  const world = await runWorld(seed);
  print(world.log.text());
  const breaches = brokenLaws(world);
  print(breaches.length === 0 ? `seed ${seed}: all laws hold\n` : report(seed, breaches));
  return breaches.length === 0 ? 0 : 1;
}

interface Search {
  readonly from: number;
  readonly count: number;
  readonly goesOn: boolean;
  readonly tellsProgress: boolean;
}

/** Runs worlds until one breaks a law, or all of them. */
async function search({ from, count, goesOn, tellsProgress }: Search): Promise<number> {
  const startMs = performance.now();
  const broken = await searchSeeds({
    ...{ from, count, goesOn },
    onReport: ({ seed, breaches }, { done, next }) => {
      // Told at once: hours later nobody may be there to tell of it.
      if (goesOn && breaches.length > 0) print(report(seed, breaches));
      if (!tellsProgress || done % PROGRESS_EACH !== 0 || done === count) return;
      const rate = (done * 1_000 / (performance.now() - startMs)).toFixed(1);
      const rest = `--from ${next} --seeds ${from + count - next}`;
      print(`${done} of ${count} seeds, ${rate} a second; the rest: ${rest}\n`, Deno.stderr);
    },
  });
  if (!goesOn) { for (const { seed, breaches } of broken) print(report(seed, breaches)); }
  if (broken.length > 0 && !goesOn) return 1;
  print(`${count - broken.length} of ${count} seeds hold all laws\n`);
  return broken.length === 0 ? 0 : 1;
}

function report(seed: number, breaches: readonly string[]): string {
  return `seed ${seed}:\n${breaches.map((breach) => `  ${breach}\n`).join("")}`;
}

function print(text: string, output: typeof Deno.stdout | typeof Deno.stderr = Deno.stdout): void {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += output.writeSync(bytes.subarray(written));
  }
}
