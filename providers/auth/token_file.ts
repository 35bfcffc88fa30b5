/**
 * Tokens of one sign-in on disk, which only the user can read. Several processes may share them.
 * @module
 */

import { dirname, join } from "node:path";
import type { z } from "zod";
import { removeIfThere } from "../../actors/kernel/adapters/missing.ts";
import type { NewId } from "../../actors/kernel/random.ts";

/** One file, `<state folder>/auth/<name>.json`. */
export class TokenFile<T> {
  readonly #path: string;
  readonly #schema: z.ZodType<T>;
  readonly #newId: NewId;

  constructor(
    stateFolder: string,
    name: string,
    { schema, newId }: { readonly schema: z.ZodType<T>; readonly newId: NewId },
  ) {
    this.#path = join(stateFolder, "auth", `${name}.json`);
    this.#schema = schema;
    this.#newId = newId;
  }

  /** Null when there are none, or what is there is none. */
  async read(): Promise<T | null> {
    return await readTokens(this.#path, this.#schema);
  }

  /** Replaces the file whole. */
  async write(tokens: T): Promise<void> {
    await this.#makeFolder();
    const temporary = `${this.#path}.${this.#newId()}`;
    try {
      await Deno.writeTextFile(temporary, JSON.stringify(tokens), { mode: 0o600, createNew: true });
      await Deno.rename(temporary, this.#path);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw error;
    }
  }

  /** Forgets the tokens; nothing happens when there are none. */
  async remove(): Promise<void> {
    await removeIfThere(this.#path);
  }

  /**
   * Runs `work` while no one else does under this file's lock, in this process or another. The
   * lock of a process that dies is free.
   */
  async locked<R>(work: () => Promise<R>): Promise<R> {
    await this.#makeFolder();
    using lock = await Deno.open(`${this.#path}.lock`, { create: true, write: true, mode: 0o600 });
    await lock.lock(true);
    return await work();
  }

  async #makeFolder(): Promise<void> {
    await Deno.mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
  }
}

/** The tokens in a file of any program; null when there are none that `schema` knows. */
export async function readTokens<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    const isAbsent = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotCapable;
    if (isAbsent) return null;
    throw error;
  }
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
