/**
 * A host name for libraries that ask for one. The channel has no right to the machine's real one,
 * and strangers need not learn it.
 * @module
 */

import os from "node:os";

/** Lets `hostname()` of `node:os` answer in this Worker without asking the system. */
export function hideHostname(): void {
  Object.assign(os, { hostname: () => "localhost" });
}
