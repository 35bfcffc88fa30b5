/**
 * Ids of late, to see at once that something comes again.
 * @module
 */

/** As many as come within minutes. */
const IDS_MAX = 2_000;

/** The last ids. */
export class RecentIds {
  readonly #ids = new Set<string>();

  /** Was it added of late? */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Adds one; the oldest goes. */
  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > IDS_MAX && oldest !== undefined) this.#ids.delete(oldest);
  }
}
