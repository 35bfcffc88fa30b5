/**
 * What is put up to be attacked, and what came of it.
 * @module
 */

import { exists, removeIfThere } from "../../../../actors/kernel/adapters/missing.ts";

/** Listens on this machine and notes whether anybody came. */
export class Bait implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving: Promise<void>;
  wasReached = false;

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
      this.wasReached = true;
      connection.close();
    }
  }
}

/** A file that nobody else is to read. */
export async function writeSecret(path: string, secret: string): Promise<void> {
  await Deno.writeTextFile(path, secret, { createNew: true, mode: 0o600 });
}

/** Whether a file came into being. */
export async function stands(path: string): Promise<boolean> {
  return await exists(path);
}

/** Takes it away again, if it is there. */
export async function removeFile(path: string): Promise<void> {
  await removeIfThere(path);
}
