/**
 * Stops a model that looks up the same thing again and again.
 * @module
 */

import type { JsonObject, JsonValue } from "../kernel/json.ts";

/** How often the same address or query may be looked up in one turn. */
const LOOKUPS_MAX = 2;

/** What two calls of a look-up tool must share to be the same. */
const SUBJECT_OF: ReadonlyMap<string, (parameters: JsonObject) => JsonValue | undefined> = new Map([
  // Further parts of a long page are no repetition.
  ["web_fetch", ({ url, offset = 0 }) => typeof url === "string" ? `${url.trim()} ${offset}` : url],
  ["web_search", ({ query }) => typeof query === "string" ? query.toLowerCase() : query],
]);

/** Counts the look-ups of one turn. */
export class LookupGuard {
  readonly #counts = new Map<string, number>();

  /** Counts the call; true when it was made too often already and must not run. */
  isRepetition(toolName: string, parameters: JsonObject): boolean {
    const subject = SUBJECT_OF.get(toolName)?.(parameters);
    if (typeof subject !== "string") return false;
    const key = `${toolName} ${subject.trim()}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count > LOOKUPS_MAX;
  }
}
