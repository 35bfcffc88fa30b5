/**
 * Which sessions are awake, and that they are not too many.
 * @module
 */

/** Watches the sessions of one life of the gateway; breaches are kept as sentences. */
export class AwakeWatch {
  readonly breaches: string[] = [];
  readonly #awakeMax: number;
  readonly #awake = new Set<string>();

  constructor(awakeMax: number) {
    this.#awakeMax = awakeMax;
  }

  /** A session's actor was started. */
  started(name: string): void {
    if (this.#awake.has(name)) this.breaches.push(`${name} is awake twice`);
    this.#awake.add(name);
    if (this.#awake.size <= this.#awakeMax) return;
    this.breaches.push(`${this.#awake.size} sessions are awake, not ${this.#awakeMax}`);
  }

  /** An actor has stopped. */
  actorStopped(name: string): void {
    this.#awake.delete(name);
  }
}
