/**
 * Loads what the first message needs, once the start is over.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";

const logger = getLogger(["troupe", "gateway", "preload"]);

/** After the start, so that loading code does not hold up channels and the first look at health. */
const DELAY_MS = 300;

/**
 * Runs `load` in a moment, unless it is disposed of first. A failure is logged only: whoever
 * needs what was to be loaded fails as well, and says so where it matters.
 */
export function preloadSoon(load: () => Promise<void>, clock: Clock): Disposable {
  const timer = clock.setTimer(DELAY_MS, () => {
    load().catch((error) => {
      logger.warn("Cannot load the code that talks to the model ahead of time: {error}", {
        error: asError(error).message,
      });
    });
  });
  return { [Symbol.dispose]: () => timer.cancel() };
}
