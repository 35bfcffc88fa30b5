/**
 * Runs simulated worlds: `--seed N` prints one with its events, `--seeds N` looks for one that
 * breaks a law, `--faults` plants faults into a copy of the code and says which ones show.
 * @module
 */

import { parseArgs } from "node:util";
import { brokenLaws } from "./laws.ts";
import { plantFaults } from "./plant.ts";
import { searchSeeds } from "./search.ts";
import { runWorld } from "./world.ts";

const SEEDS = 100;
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
    },
  });
  if (values.faults) {
    const seeds = Number(values.seeds ?? FAULT_SEEDS);
    return await plantFaults({ seeds, only: new RegExp(values.only) }) ? 0 : 1;
  }
  if (values.seed !== undefined) return await showSeed(Number(values.seed));
  return await search(Number(values.from), Number(values.seeds ?? SEEDS), values.all);
}

/** Prints everything that happens in one world. */
async function showSeed(seed: number): Promise<number> {
  const world = await runWorld(seed);
  print(world.log.text());
  const breaches = brokenLaws(world);
  print(breaches.length === 0 ? `seed ${seed}: all laws hold\n` : report(seed, breaches));
  return breaches.length === 0 ? 0 : 1;
}

/** Runs worlds until one breaks a law, or all of them. */
async function search(from: number, count: number, goesOn: boolean): Promise<number> {
  const broken = await searchSeeds({ from, count, goesOn });
  for (const { seed, breaches } of broken) print(report(seed, breaches));
  if (broken.length > 0 && !goesOn) return 1;
  print(`${count - broken.length} of ${count} seeds hold all laws\n`);
  return broken.length === 0 ? 0 : 1;
}

function report(seed: number, breaches: readonly string[]): string {
  return `seed ${seed}:\n${breaches.map((breach) => `  ${breach}\n`).join("")}`;
}

function print(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += Deno.stdout.writeSync(bytes.subarray(written));
  }
}
