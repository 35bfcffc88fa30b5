/**
 * Plants each fault of the list into a copy of the project, runs worlds on it, and says which
 * faults no law noticed.
 * @module
 */

import { dirname, join } from "node:path";
import { cp } from "node:fs/promises";
import { PLANTED_FAULTS, type PlantedFault } from "./planted_faults.ts";

const ROOT = join(import.meta.dirname ?? ".", "../..");
/** What the simulation needs of the project. */
const PARTS = [
  "actors",
  "channels",
  "providers",
  "tests/simulation",
  "tests/support",
  "deno.json",
  "deno.lock",
];

/** A fault that lets a world hang is noticed, too. */
const TIME_MAX_MS = 600_000;

/** Which faults are planted, and how long each is looked for. */
export interface PlantOptions {
  /** Worlds for each fault; the first one that breaks a law ends the search. */
  readonly seeds: number;
  /** Faults whose names it matches. */
  readonly only: RegExp;
}

/** Share of the faults that must be noticed: 38 of 40. */
const NOTICED_SHARE_MIN = 0.95;

/** Plants the faults one by one and prints a line for each. @returns whether enough were noticed */
export async function plantFaults({ seeds, only }: PlantOptions): Promise<boolean> {
  const folder = await copyProject();
  try {
    const faults = PLANTED_FAULTS.filter(({ what }) => only.test(what));
    const noticed = faults.length - await findMissed(folder, faults, seeds);
    print(`${noticed} of ${faults.length} planted faults were noticed within ${seeds} seeds`);
    return noticed >= faults.length * NOTICED_SHARE_MIN;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function findMissed(
  folder: string,
  faults: readonly PlantedFault[],
  seeds: number,
): Promise<number> {
  let missed = 0;
  for (const fault of faults) {
    const outcome = await tryFault(folder, fault, seeds);
    if (!outcome.isNoticed) missed++;
    print(`${outcome.isNoticed ? "noticed" : "MISSED "} ${fault.what}: ${outcome.line}`);
  }
  return missed;
}

async function copyProject(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "planted" });
  for (const part of PARTS) {
    await Deno.mkdir(dirname(join(folder, part)), { recursive: true });
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  }
  return folder;
}

/** Runs worlds with one fault; the copy is whole again afterwards. */
async function tryFault(
  folder: string,
  { file, find, replace }: PlantedFault,
  seeds: number,
): Promise<{ readonly isNoticed: boolean; readonly line: string }> {
  const path = join(folder, file);
  const text = await Deno.readTextFile(path);
  if (text.split(find).length !== 2) return { isNoticed: false, line: `does not fit ${file}` };
  await Deno.writeTextFile(path, text.replace(find, () => replace));
  try {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "tests/simulation/simulate.ts", "--seeds", String(seeds)],
      cwd: folder,
      signal: AbortSignal.timeout(TIME_MAX_MS),
    }).output();
    const said = new TextDecoder().decode(code === 0 || stdout.length > 0 ? stdout : stderr);
    return {
      isNoticed: code !== 0,
      line: said.trim().split("\n").slice(0, 2).join(" ").slice(0, 160),
    };
  } finally {
    await Deno.writeTextFile(path, text);
  }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
