/**
 * How long to wait before a connection is tried again.
 * @module
 */

import { jitter, type Random } from "../actors/kernel/random.ts";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** Retries of many gateways must not fall together. */
const JITTER_SHARE = 0.2;

/** 1, 2, 4 … 30 seconds after so many failures, each with jitter; in milliseconds. */
export function networkWait(failures: number, random: Random): number {
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 10), LONGEST_WAIT_MS);
  return jitter(random, waitMs, JITTER_SHARE);
}
