/**
 * Idempotency keys of the platform.
 * @module
 */

import { createHash } from "node:crypto";

/** For how long the platform remembers a key (one hour, less a margin for slow clocks). */
export const UUID_WINDOW_MS: number = 55 * 60_000;

/**
 * A key of 40 characters that is the same for the same `parts` in every run of the program. The
 * platform takes at most 50.
 */
export function stableUuid(...parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40);
}
