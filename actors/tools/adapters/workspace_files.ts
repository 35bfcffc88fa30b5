/**
 * Files on this machine, for tools: each path is resolved, judged, and only then used.
 * @module
 */

import { basename, dirname, join } from "node:path";
import { asError } from "../../kernel/errors.ts";
import type { NewId } from "../../kernel/random.ts";
import { absolutePath, judgePath, type PathRules, type PathUse } from "../path_policy.ts";
import { type FileEntry, type FileInfo, ToolError, type ToolFiles } from "../tool.ts";

/** A path that does not exist resolves through at most this many missing folders. */
const MISSING_DEPTH_MAX = 64;

/** Files within the rules. */
export class WorkspaceFiles implements ToolFiles {
  readonly #rules: PathRules;
  readonly #newId: NewId;

  constructor(rules: PathRules, newId: NewId) {
    this.#rules = rules;
    this.#newId = newId;
  }

  resolve(path: string): Promise<string> {
    return this.#allowed(path, "read");
  }

  async info(path: string): Promise<FileInfo | null> {
    const resolved = await this.#allowed(path, "read");
    try {
      const { isFile, isDirectory, size, mtime } = await Deno.stat(resolved);
      const kind = isFile ? "file" : isDirectory ? "directory" : "other";
      return { kind, size, modifiedAtMs: mtime?.getTime() ?? null };
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      throw failed("look at", path, error);
    }
  }

  async read(path: string, bytesMax: number): Promise<Uint8Array> {
    const info = await this.info(path);
    if (info === null) throw missing(path);
    // Devices, pipes and sockets have no end, or wait for ever.
    if (info.kind !== "file") throw wrongKind(path, "a regular file");
    if (info.size > bytesMax) {
      const text = `Cannot read "${path}": ${info.size} bytes, more than the ${bytesMax} allowed`;
      throw new ToolError("file_too_large", text);
    }
    try {
      return await Deno.readFile(await this.#allowed(path, "read"));
    } catch (error) {
      throw failed("read", path, error);
    }
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const target = await this.#allowed(path, "write");
    const temporary = join(dirname(target), `.${basename(target)}.${this.#newId()}.tmp`);
    try {
      await Deno.mkdir(dirname(target), { recursive: true });
      const mode = (await statOrNull(target))?.mode ?? undefined;
      using file = await Deno.open(temporary, {
        write: true,
        createNew: true,
        ...(mode !== undefined && { mode: mode & 0o777 }),
      });
      for (let written = 0; written < bytes.length;) {
        written += await file.write(bytes.subarray(written));
      }
      await file.sync();
      await Deno.rename(temporary, target);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw failed("write", path, error);
    }
  }

  async list(path: string): Promise<readonly FileEntry[]> {
    const info = await this.info(path);
    if (info === null) throw missing(path);
    if (info.kind !== "directory") throw wrongKind(path, "a folder");
    try {
      const entries = await Array.fromAsync(Deno.readDir(await this.#allowed(path, "read")));
      return entries.map(({ name, isFile, isDirectory, isSymlink }) => ({
        name,
        kind: isSymlink ? "symlink" : isDirectory ? "directory" : isFile ? "file" : "other",
      }));
    } catch (error) {
      throw failed("list", path, error);
    }
  }

  async #allowed(path: string, use: PathUse): Promise<string> {
    const resolved = await resolveLinks(absolutePath(path, this.#rules), path);
    switch (judgePath(resolved, use, this.#rules)) {
      case "allowed":
        return resolved;
      case "outside": {
        const where = `outside the workspace "${this.#rules.workspace}"`;
        const text = `Cannot ${use} "${path}": it is ${where} (a policy, do not retry)`;
        throw new ToolError("path_outside", text);
      }
      case "protected": {
        const text = `Cannot write "${path}": the gateway keeps its own state there`;
        throw new ToolError("path_protected", text);
      }
    }
  }
}

/** Follows all symlinks; what does not exist yet counts below its nearest existing folder. */
async function resolveLinks(absolute: string, shown: string): Promise<string> {
  const missingNames: string[] = [];
  let existing = absolute;
  for (let depth = 0; depth < MISSING_DEPTH_MAX; depth++) {
    try {
      return join(await Deno.realPath(existing), ...missingNames);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw failed("resolve", shown, error);
      // A dangling link would be written through to wherever it points.
      if (await isSymlink(existing)) throw missing(shown);
      missingNames.unshift(basename(existing));
      existing = dirname(existing);
    }
  }
  throw missing(shown);
}

async function isSymlink(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).isSymlink;
  } catch {
    return false;
  }
}

async function statOrNull(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

function missing(path: string): ToolError {
  return new ToolError("path_missing", `Cannot find "${path}": no such file or folder`);
}

function wrongKind(path: string, wanted: string): ToolError {
  return new ToolError("path_wrong_kind", `Cannot use "${path}": it is not ${wanted}`);
}

function failed(action: string, path: string, thrown: unknown): ToolError {
  if (thrown instanceof ToolError) return thrown;
  const cause = asError(thrown);
  return new ToolError("file_failed", `Cannot ${action} "${path}": ${cause.message}`, { cause });
}
