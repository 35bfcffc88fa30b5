/**
 * Numbers for the answers of one message. The platform takes each number of a message once, which
 * keeps a repetition from showing twice; so the same part of a delivery always has the same one,
 * and two parts never.
 * @module
 */

import { shortHash } from "../../short_hash.ts";

/** As long as those of the platform's own clients. */
const SEQUENCE_MAX = 99_999_999;

/** What is numbered. */
export interface Numbered {
  /** Idempotency key of its delivery. */
  readonly key: string;
  /** Which part of it. */
  readonly part: number;
  /** Grows when the platform refused: a number may be used up by that. */
  readonly attempt: number;
}

/** The number of a part, from 1. */
export function sequenceOf({ key, part, attempt }: Numbered): number {
  return Number.parseInt(shortHash(`${part} ${attempt} ${key}`, 12), 16) % SEQUENCE_MAX + 1;
}
