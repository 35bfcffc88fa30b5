/**
 * Comparing secrets, so that the time it takes tells nothing.
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two secrets are the same; takes as long whatever they have in common. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}
