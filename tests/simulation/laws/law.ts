/**
 * What a law is.
 * @module
 */

import type { FinishedWorld } from "../world.ts";

/** Looks at a world after its run and gives a sentence for each breach. */
export type Law = (world: FinishedWorld) => string[];
