/**
 * Chance that nobody can guess: what the channel's seeded randomness is not for.
 * @module
 */

import { randomBytes } from "node:crypto";

const SECRET_BYTES = 32;

/** A new secret of 43 characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}
