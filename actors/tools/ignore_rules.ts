/**
 * What `.gitignore` files say about the entries of a folder tree.
 * @module
 */

import ignore, { type Ignore } from "ignore";
import { decodeText } from "./text_encoding.ts";
import type { FileEntry, ToolFiles } from "./tool.ts";

const FILE_NAME = ".gitignore";
const FILE_BYTES_MAX = 200_000;

/** Collects the rules on the way down. */
export class IgnoreRules {
  readonly #files: Pick<ToolFiles, "read">;
  readonly #root: string;
  /** Rules by the folder that they stand in: "", or a path that ends with `/`. */
  readonly #rules = new Map<string, Ignore>();

  constructor(root: string, files: Pick<ToolFiles, "read">) {
    this.#root = root;
    this.#files = files;
  }

  /** Takes in what a folder says; one that cannot be read says nothing. */
  async enter(prefix: string, entries: readonly FileEntry[]): Promise<void> {
    if (!entries.some(({ name, kind }) => name === FILE_NAME && kind === "file")) return;
    try {
      const bytes = await this.#files.read(`${this.#root}/${prefix}${FILE_NAME}`, FILE_BYTES_MAX);
      this.#rules.set(prefix, ignore().add(decodeText(bytes)?.text ?? ""));
    } catch {
      // The search goes on without it.
    }
  }

  /** Whether an entry is to be left out. */
  ignores(path: string, kind: FileEntry["kind"]): boolean {
    let isIgnored = false;
    for (let end = 0; end !== -1; end = path.indexOf("/", end + 1)) {
      const prefix = end === 0 ? "" : path.slice(0, end + 1);
      const rules = this.#rules.get(prefix);
      const rest = path.slice(prefix.length);
      if (rules === undefined || rest === "") continue;
      const verdict = rules.test(kind === "directory" ? `${rest}/` : rest);
      if (verdict.ignored) isIgnored = true;
      else if (verdict.unignored) isIgnored = false;
    }
    return isIgnored;
  }
}
