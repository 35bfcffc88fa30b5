/**
 * Ids of late, to see at once that something comes again.
 * @module
 */

/** As many as come within minutes. */
const IDS_MAX = 2_000;

/** The last ids. */
export class RecentIds {
  readonly #ids = new Set<string>();

  /** Adds one. @returns whether it is new */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > IDS_MAX && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }
}
