/**
 * What happens to connections, in words.
 * @module
 */

import { asError } from "../../actors/kernel/errors.ts";
import type { Fault } from "../failures.ts";

/** Causes are looked through this deep. */
const DEPTH_MAX = 5;

/** What really happened: "fetch failed" says nothing and has it in its causes. */
export function deepestMessage(thrown: unknown): string {
  let deepest = asError(thrown);
  for (let depth = 0; depth < DEPTH_MAX && deepest.cause instanceof Error; depth++) {
    deepest = deepest.cause;
  }
  return deepest.message;
}

/** The fault of a connection that could not be made or did not hold. */
export function faultOfConnection(thrown: unknown): Fault {
  return { failure: "provider_connection", tokens: [], text: deepestMessage(thrown) };
}
