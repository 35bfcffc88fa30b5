/**
 * The file of jobs on disk, below the workspace.
 * @module
 */

import { join } from "node:path";
import { orNull } from "../../kernel/adapters/missing.ts";
import { DiskTextFiles } from "../../kernel/adapters/text_files.ts";
import type { JobFiles } from "../ports.ts";

/** Where nanobot keeps it. */
const NAME = "jobs.json";
/** The last one whose jobs were changed by the gateway. */
const COPY = "jobs.json.bak";

/** Files in `cron/`. */
export class DiskJobFiles implements JobFiles {
  readonly #path: string;
  readonly #files: DiskTextFiles;
  #copied: string | null = null;

  /** @param workspace absolute and real */
  constructor(workspace: string) {
    const folder = join(workspace, "cron");
    this.#path = join(folder, NAME);
    this.#files = new DiskTextFiles(folder);
  }

  read(): Promise<string | null> {
    return this.#files.read(NAME);
  }

  async mark(): Promise<string | null> {
    const info = await orNull(Deno.stat(this.#path));
    if (info === null) return null;
    const { ino, size, mtime, ctime } = info;
    return `${ino}:${size}:${mtime?.getTime()}:${ctime?.getTime()}`;
  }

  swap(expected: string | null, text: string): Promise<boolean> {
    return this.#files.replaceIf(NAME, text, async () => await this.read() === expected);
  }

  async setAside(text: string): Promise<string> {
    for (let number = 1;; number++) {
      const name = `${NAME}.corrupt${number === 1 ? "" : `-${number}`}`;
      const there = await this.#files.read(name);
      if (there === null) await this.#files.replace(name, text);
      if (there === null || there === text) return name;
    }
  }

  readCopy(): Promise<string | null> {
    return this.#files.read(COPY);
  }

  async keepCopy(text: string): Promise<void> {
    if (text === this.#copied) return;
    await this.#files.replace(COPY, text);
    this.#copied = text;
  }
}
