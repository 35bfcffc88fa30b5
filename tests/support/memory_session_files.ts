/**
 * Session files in memory.
 * @module
 */

import type { SessionFiles } from "../../actors/session/ports.ts";

/** What is done to a file. */
export type FileAction = "read" | "append" | "replace" | "remove";

/** A disk for sessions that remembers what was done to it and fails when the test says so. */
export class MemorySessionFiles implements SessionFiles {
  /** Content by name. */
  readonly texts: Map<string, string>;
  /** All that was done, oldest first: `append cli_direct.jsonl`. */
  readonly actions: string[] = [];
  /** Called before each action; what it throws is the failure, and nothing is changed. */
  fault: (action: FileAction, name: string) => void = () => {};

  constructor(texts: Readonly<Record<string, string>> = {}) {
    this.texts = new Map(Object.entries(texts));
  }

  /** The lines of a file, parsed. */
  lines(name: string): unknown[] {
    const lines = (this.texts.get(name) ?? "").split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line));
  }

  async read(name: string): Promise<string | null> {
    await this.#act("read", name);
    return this.texts.get(name) ?? null;
  }

  async append(name: string, text: string): Promise<void> {
    await this.#act("append", name);
    this.texts.set(name, (this.texts.get(name) ?? "") + text);
  }

  async replace(name: string, text: string): Promise<void> {
    await this.#act("replace", name);
    this.texts.set(name, text);
  }

  async remove(name: string): Promise<void> {
    await this.#act("remove", name);
    this.texts.delete(name);
  }

  async #act(action: FileAction, name: string): Promise<void> {
    await Promise.resolve(); // as a disk, it answers later
    this.fault(action, name);
    this.actions.push(`${action} ${name}`);
  }
}
