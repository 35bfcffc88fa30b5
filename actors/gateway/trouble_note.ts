/**
 * What a gateway that starts again for its journal's sake leaves for the next one: the journal
 * itself takes no note of its own trouble.
 * @module
 */

import { z } from "zod";
import type { JournalTrouble } from "../journal/journal.ts";
import type { DiskTextFiles } from "../kernel/adapters/text_files.ts";

const FILE = "journal-trouble.json";

/** What the next gateway says of it. */
export type NotedTrouble = Pick<JournalTrouble, "message" | "sinceMs">;

const noteSchema = z.object({ message: z.string(), sinceMs: z.number() });

/** The note, in the state folder. */
export class TroubleNote {
  readonly #files: Pick<DiskTextFiles, "read" | "replace" | "remove">;

  constructor(files: Pick<DiskTextFiles, "read" | "replace" | "remove">) {
    this.#files = files;
  }

  /** @throws {Error} what the system says; a disk that fails may take no note either */
  async leave({ message, sinceMs }: NotedTrouble): Promise<void> {
    await this.#files.replace(FILE, JSON.stringify({ message, sinceMs }));
  }

  /** What was left, which then is no more; null for nothing. */
  async take(): Promise<NotedTrouble | null> {
    const text = await this.#files.read(FILE);
    if (text === null) return null;
    await this.#files.remove(FILE);
    return noteSchema.parse(JSON.parse(text));
  }
}
