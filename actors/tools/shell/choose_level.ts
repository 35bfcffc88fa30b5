/**
 * Which level the shell runs at: what the owner asked for, or the strongest that works here.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import type { ShellLevel, ShellLevelName } from "./level.ts";
import type { ProbeResult } from "./probe.ts";

/** A level that may be used. */
export interface LevelCandidate {
  readonly name: ShellLevelName;
  /** @throws when it cannot be had here at all */
  readonly open: () => Promise<ShellLevel>;
  /** What to do where it does not work. */
  readonly fix: string;
}

/** The level, or why there is none. */
export type LevelChoice =
  | {
    readonly state: "chosen";
    readonly level: ShellLevel;
    /** Stronger ones that do not work here, and why. */
    readonly passedOver: readonly string[];
  }
  | { readonly state: "none"; readonly problem: string };

/**
 * Tries `candidates` in turn, strongest first. A level that the owner named is tried alone, and
 * never replaced by a weaker one.
 */
export async function chooseLevel(
  wanted: ShellLevelName | "auto",
  candidates: readonly LevelCandidate[],
  probe: (level: ShellLevel) => Promise<ProbeResult>,
): Promise<LevelChoice> {
  const tried = wanted === "auto" ? candidates : candidates.filter(({ name }) => name === wanted);
  const passedOver: string[] = [];
  for (const { name, open, fix } of tried) {
    const opened = await tryLevel(open, probe);
    if (opened.state === "works") return { state: "chosen", level: opened.level, passedOver };
    passedOver.push(`${name} does not work here: ${opened.problem} (${fix})`);
  }
  return { state: "none", problem: passedOver.join("; ") };
}

async function tryLevel(
  open: () => Promise<ShellLevel>,
  probe: (level: ShellLevel) => Promise<ProbeResult>,
): Promise<
  | { readonly state: "works"; readonly level: ShellLevel }
  | { readonly state: "broken"; readonly problem: string }
> {
  try {
    await using opening = new AsyncDisposableStack();
    const level = opening.use(await open());
    const result = await probe(level);
    if (result.state === "broken") return result;
    opening.move();
    return { state: "works", level };
  } catch (error) {
    return { state: "broken", problem: asError(error).message };
  }
}
