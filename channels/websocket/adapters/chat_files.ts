/**
 * What is kept of chats, on disk: a file a chat, a line an entry.
 * @module
 */

import { join } from "node:path";
import { z } from "zod";
import { orNull } from "../../../actors/kernel/adapters/missing.ts";
import { writeAll } from "../../../actors/kernel/adapters/write_all.ts";
import type { KeptChat } from "../chats/chat.ts";
import { type Entry, entrySchema } from "../chats/entry.ts";

const ownerSchema = z.object({ owner: z.string() });

/** The files of one channel. */
export class ChatFiles {
  readonly #folder: string;

  /** @param folder made at the first write */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What is kept of a chat; a line that cannot be read is left out. */
  async read(chatId: string): Promise<KeptChat> {
    const text = await orNull(Deno.readTextFile(this.#path(chatId))) ?? "";
    let owner: string | null = null;
    const entries: Entry[] = [];
    for (const line of text.split("\n")) {
      const value = jsonOf(line);
      const entry = entrySchema.safeParse(value).data;
      if (entry !== undefined && entry.seq > (entries.at(-1)?.seq ?? 0)) entries.push(entry);
      else owner = ownerSchema.safeParse(value).data?.owner ?? owner;
    }
    return { owner, entries };
  }

  /** Adds an entry; resolves when it outlives a power cut. */
  async append(chatId: string, entry: Entry): Promise<void> {
    await this.#add(chatId, entry);
  }

  /** Says whose chat it is. */
  async own(chatId: string, owner: string): Promise<void> {
    await this.#add(chatId, { owner });
  }

  /** Puts what is kept in place of what was. */
  async replace(chatId: string, { owner, entries }: KeptChat): Promise<void> {
    const path = this.#path(chatId);
    const lines = [...(owner === null ? [] : [{ owner }]), ...entries];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    using file = await Deno.open(`${path}.part`, {
      write: true,
      create: true,
      truncate: true,
      mode: 0o600,
    });
    await writeText(file, text);
    await Deno.rename(`${path}.part`, path);
  }

  async #add(chatId: string, line: unknown): Promise<void> {
    await Deno.mkdir(this.#folder, { recursive: true });
    using file = await Deno.open(this.#path(chatId), { append: true, create: true, mode: 0o600 });
    // A line that a full disk cut short ends here.
    await writeText(file, `\n${JSON.stringify(line)}\n`);
  }

  #path(chatId: string): string {
    return join(this.#folder, `${chatId.replaceAll(":", "%3A")}.jsonl`);
  }
}

async function writeText(file: Deno.FsFile, text: string): Promise<void> {
  await writeAll(file, new TextEncoder().encode(text));
  await file.syncData();
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
