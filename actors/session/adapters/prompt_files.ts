/**
 * The workspace's texts for the prompt, and what the prompt says about the machine.
 * @module
 */

import { join } from "node:path";
import { getLogger } from "@logtape/logtape";
import { asError } from "../../kernel/errors.ts";
import type { PromptFiles } from "../ports.ts";
import type { PromptFacts } from "../prompt.ts";
import { LASTING_FILE_FAULTS } from "../unreadable.ts";
import { TEMPLATE_TEXTS } from "./template_texts.ts";

const logger = getLogger(["troupe", "session", "prompt_files"]);

/** What was read, and the file's state then. */
interface CachedText {
  readonly state: string;
  readonly text: string;
}

/** Files below the workspace; one that did not change since the last time is not read again. */
export class DiskPromptFiles implements PromptFiles {
  readonly #workspace: string;
  /** The prompt asks for the same few files each time. */
  readonly #cache = new Map<string, CachedText>();
  /** Files of which the log was told. */
  readonly #unreadable = new Set<string>();

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /**
   * What only a person can mend must not keep the assistant from answering: its text says so.
   *
   * @param path relative to the workspace; bytes that are no UTF-8 are replaced
   * @param endBytes of a longer file only so much of its end is read, from a line's start on
   */
  async read(path: string, endBytes: number = Infinity): Promise<string | null> {
    try {
      const text = await this.#read(path, endBytes);
      this.#unreadable.delete(path);
      return text;
    } catch (thrown) {
      const { name, message } = asError(thrown);
      if (!LASTING_FILE_FAULTS.has(name)) throw thrown;
      if (!this.#unreadable.has(path)) {
        logger.error("Cannot read {path} for the prompt: {reason}", { path, reason: message });
      }
      this.#unreadable.add(path);
      return `[${path} cannot be read (${name}): the owner has to mend it]`;
    }
  }

  async #read(path: string, endBytes: number): Promise<string | null> {
    const absolute = join(this.#workspace, path);
    const found = stateOf(absolute);
    if (found === null) {
      this.#cache.delete(path);
      return null;
    }
    const { size } = found;
    const state = `${found.state}:${endBytes}`;
    const cached = this.#cache.get(path);
    if (cached?.state === state) return cached.text;
    try {
      const text = size <= endBytes
        ? await Deno.readTextFile(absolute)
        : await readEnd(absolute, size - endBytes);
      this.#cache.set(path, { state, text });
      return text;
    } catch (error) {
      this.#cache.delete(path);
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    }
  }
}

/** What the prompt says about this machine and this workspace. */
export function promptFacts(workspace: string): PromptFacts {
  const { os, arch } = Deno.build;
  return {
    workspace,
    runtime: `${SYSTEM_NAMES.get(os) ?? os} ${arch}, Deno ${Deno.version.deno}`,
    isWindows: os === "windows",
    memoryTemplate: TEMPLATE_TEXTS["memory/MEMORY.md"],
    userTemplate: TEMPLATE_TEXTS["USER.md"],
  };
}

const SYSTEM_NAMES: ReadonlyMap<string, string> = new Map([
  ["darwin", "macOS"],
  ["linux", "Linux"],
  ["windows", "Windows"],
]);

/** The lines of a file that begin behind `start`. */
async function readEnd(path: string, start: number): Promise<string> {
  using file = await Deno.open(path);
  await file.seek(start, Deno.SeekMode.Start);
  const text = await new Response(file.readable).text();
  return text.slice(text.indexOf("\n") + 1);
}

/**
 * Everything that an edit changes, a replacement by another file included; null without a file.
 * It stands before every model call, seven times: a look takes 2 us, and 60 by way of a thread.
 */
function stateOf(path: string): { readonly state: string; readonly size: number } | null {
  try {
    const { mtime, ctime, size, ino, isFile } = Deno.statSync(path);
    // Opening a pipe would wait for ever.
    if (!isFile) throw new Deno.errors.IsADirectory(`"${path}" is no file`);
    return { state: [mtime?.getTime(), ctime?.getTime(), size, ino].join(":"), size };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
