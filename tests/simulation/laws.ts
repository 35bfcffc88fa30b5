/**
 * What must hold after every run, whatever went wrong in it. Each law gives a sentence for each
 * breach; normally none.
 * @module
 */

import { answerLaws } from "./laws/answers.ts";
import { deliveryLaws } from "./laws/deliveries.ts";
import { endLaws } from "./laws/ends.ts";
import { historyLaws } from "./laws/histories.ts";
import type { Law } from "./laws/law.ts";
import type { FinishedWorld } from "./world.ts";

/** All laws by their names. */
export const LAWS: Readonly<Record<string, Law>> = {
  ...endLaws,
  ...answerLaws,
  ...deliveryLaws,
  ...historyLaws,
};

/** All that a run broke: one sentence each, beginning with the law's name. */
export function brokenLaws(world: FinishedWorld): string[] {
  return Object.entries(LAWS).flatMap(([name, law]) =>
    law(world).map((breach) => `${name}: ${breach}`)
  );
}
