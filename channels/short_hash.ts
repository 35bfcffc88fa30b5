/**
 * Short names for long ids.
 * @module
 */

import { createHash } from "node:crypto";

/** The same for the same text, and for no other: letters and digits. */
export function shortHash(text: string | Uint8Array, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}
