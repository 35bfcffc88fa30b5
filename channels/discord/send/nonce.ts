/**
 * Keys under which the platform shows a message once.
 * @module
 */

import { createHash } from "node:crypto";

/** For how long the platform surely remembers one: documented as "the past few minutes". */
export const NONCE_WINDOW_MS: number = 2 * 60_000;

/** As long as the platform takes. */
const NONCE_CHARS_MAX = 25;

/** A key that is the same for the same `parts` in every run of the program. */
export function stableNonce(...parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url")
    .slice(0, NONCE_CHARS_MAX);
}
