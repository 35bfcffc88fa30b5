/**
 * What must hold after every run, whatever went wrong in it. Each law gives a sentence for each
 * breach; normally none.
 * @module
 */

import { answerLaws } from "./laws/answers.ts";
import { archiveLaws } from "./laws/archives.ts";
import { deliveryLaws } from "./laws/deliveries.ts";
import { endLaws } from "./laws/ends.ts";
import { historyLaws } from "./laws/histories.ts";
import { jobLaws } from "./laws/jobs.ts";
import { memoryLaws } from "./laws/memories.ts";
import type { Law } from "./laws/law.ts";
import { replayLaws } from "./laws/replays.ts";
import type { FinishedWorld } from "./world.ts";

/** All laws by their names. */
export const LAWS: Readonly<Record<string, Law>> = {
  ...endLaws,
  ...answerLaws,
  ...deliveryLaws,
  ...historyLaws,
  ...archiveLaws,
  ...memoryLaws,
  ...jobLaws,
  ...replayLaws,
};

/** Breaches of one law that are told; a world that never comes to rest has thousands. */
const BREACHES_MAX = 8;

/** What a run broke: one sentence each, beginning with the law's name. */
export function brokenLaws(world: FinishedWorld): string[] {
  return Object.entries(LAWS).flatMap(([name, law]) =>
    [...new Set(law(world))].slice(0, BREACHES_MAX).map((breach) => `${name}: ${breach}`)
  );
}
