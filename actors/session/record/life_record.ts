/**
 * What a session has recorded since it woke: texts that many steps name are written once.
 * @module
 */

import { RequestDigests } from "./digests.ts";

/** Texts that many steps name are written again after this long, so that they outlive those. */
const TEXT_MS = 24 * 3_600_000;
/** Texts that are known to be written; one that is forgotten is only written once more. */
const TEXTS_MAX = 200;

/** A row as the log takes it. */
export interface RecordRow {
  readonly turnId: string;
  readonly text: string;
  /** Of a text that many steps name. @default the session's own */
  readonly sessionKey?: string;
}

/** Where a text stands that steps name by its digest. */
export function textKey(digest: string): string {
  return `#${digest}`;
}

/** What a session has recorded since it woke. */
export class LifeRecord {
  /** Of what the model was asked. */
  readonly requests: RequestDigests = new RequestDigests();
  /** When texts were written last, by their digests. */
  readonly #texts = new Map<string, number>();
  #hasBegun = false;

  /** Whether nothing was recorded before; true once. */
  wakes(): boolean {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    return isFirst;
  }

  /** The row of a text, unless it was written a while ago. */
  row(digest: string, text: string, nowMs: number): RecordRow[] {
    const writtenMs = this.#texts.get(digest);
    if (writtenMs !== undefined && nowMs - writtenMs < TEXT_MS) return [];
    this.#texts.delete(digest); // the newest stands last
    this.#texts.set(digest, nowMs);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > TEXTS_MAX && oldest !== undefined) this.#texts.delete(oldest);
    return [{ sessionKey: textKey(digest), turnId: "", text }];
  }
}
