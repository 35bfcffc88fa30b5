/**
 * Loads what a turn needs when the first one is on its way, and not at the start: a gateway that
 * nobody writes to does without the memory that it takes.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../kernel/errors.ts";

const logger = getLogger(["troupe", "gateway", "preload"]);

/**
 * Gives what runs `load`, once however often it is called. A failure is logged only: whoever needs
 * what was to be loaded fails as well, and says so where it matters.
 */
export function preloadOnce(load: () => Promise<void>): () => void {
  let hasBegun = false;
  return () => {
    if (hasBegun) return;
    hasBegun = true;
    load().catch((error) => {
      logger.warn("Cannot load the code that talks to the model ahead of time: {error}", {
        error: asError(error).message,
      });
    });
  };
}
