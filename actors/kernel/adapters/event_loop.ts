/**
 * The machine's event loop.
 * @module
 */

import { setImmediate } from "node:timers";

/** Calls back after pending I/O had its turn. */
export function nextTurn(callback: () => void): void {
  setImmediate(callback);
}
