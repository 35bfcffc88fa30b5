/**
 * A port that nobody is to reach.
 * @module
 */

/** Listens on this machine and counts who came. */
export class Bait implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving: Promise<void>;
  visits = 0;

  constructor() {
    this.#serving = this.#serve();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#serving;
  }

  async #serve(): Promise<void> {
    for await (const connection of this.#listener) {
      this.visits++;
      connection.close();
    }
  }
}
