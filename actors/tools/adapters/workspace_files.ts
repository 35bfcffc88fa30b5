/**
 * Files on this machine, for tools: each path is resolved, judged, and only then used; what was
 * opened is looked at once more.
 * @module
 */

import { basename, dirname, join } from "node:path";
import { writeAll } from "../../kernel/adapters/write_all.ts";
import type { NewId } from "../../kernel/random.ts";
import {
  absolutePath,
  judgePath,
  type PathRules,
  type PathUse,
  type PathUser,
  refusalText,
} from "../path_policy.ts";
import { bucketName } from "../result_folder.ts";
import {
  type FileEntry,
  type FileInfo,
  type FileListing,
  ToolError,
  type ToolFiles,
  type ToolOrigin,
} from "../tool.ts";
import { openJudged } from "./opened_file.ts";
import { failedTo, missing, resolveLinks, statOrNull } from "./resolved_path.ts";

/** Longest path that systems take. */
const PATH_CHARS_MAX = 4_096;

/** Files within the rules. */
export class WorkspaceFiles implements ToolFiles {
  readonly #rules: PathRules;
  readonly #newId: NewId;
  readonly #user: PathUser;

  /** @param user the gateway itself unless told */
  constructor(rules: PathRules, newId: NewId, user: PathUser = {}) {
    this.#rules = rules;
    this.#newId = newId;
    this.#user = user;
  }

  /** The same files for the tools of a session. */
  forSession({ sessionKey, sentFiles }: Pick<ToolOrigin, "sessionKey" | "sentFiles">): ToolFiles {
    const user = { ownFolder: bucketName(sessionKey), sentFiles };
    return new WorkspaceFiles(this.#rules, this.#newId, user);
  }

  resolve(path: string): Promise<string> {
    return this.#allowed(path, "read");
  }

  async info(path: string): Promise<FileInfo | null> {
    const resolved = await this.#allowed(path, "read");
    try {
      const info = await statOrNull(resolved);
      if (info === null) return null;
      const kind = info.isFile ? "file" : info.isDirectory ? "directory" : "other";
      return { kind, size: info.size, modifiedAtMs: info.mtime?.getTime() ?? null };
    } catch (error) {
      throw failedTo("look at", path, error);
    }
  }

  async read(path: string, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    const resolved = await this.#allowed(path, "read");
    try {
      const info = await statOrNull(resolved);
      if (info === null) throw missing(path);
      // Devices, pipes and sockets have no end, or wait for ever.
      if (!info.isFile) throw wrongKind(path, "a regular file");
      if (info.size > bytesMax) throw tooLarge(path, info.size, bytesMax);
      using file = await openJudged(resolved);
      if (file === undefined) throw changed(path);
      const { protectedIdentities = [] } = this.#rules;
      if (file.linkCount > 1 && protectedIdentities.includes(file.identity)) {
        throw new ToolError("path_protected", refusalText(path, "read", "protected", this.#rules));
      }
      const bytes = await file.read(bytesMax + 1);
      if (bytes.length > bytesMax) throw tooLarge(path, file.size, bytesMax);
      return bytes;
    } catch (error) {
      throw failedTo("read", path, error);
    }
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const target = await this.#allowed(path, "write");
    const temporary = join(dirname(target), `.${basename(target)}.${this.#newId()}.tmp`);
    try {
      const there = await statOrNull(target);
      if (there !== null && !there.isFile) throw wrongKind(path, "a regular file");
      // Deno 2.6 refuses to make a folder that is there and holds what may not be written.
      if (await statOrNull(dirname(target)) === null) {
        await Deno.mkdir(dirname(target), { recursive: true });
      }
      using file = await Deno.open(temporary, {
        write: true,
        createNew: true,
        ...(there?.mode && { mode: there.mode & 0o777 }),
      });
      // A folder on the way may have become a link meanwhile.
      if (await Deno.realPath(temporary) !== temporary) throw changed(path);
      await writeAll(file, bytes);
      await file.sync();
      await Deno.rename(temporary, target);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw failedTo("write", path, error);
    }
  }

  async remove(path: string): Promise<void> {
    const target = await this.#allowed(path, "write");
    try {
      await Deno.remove(target); // of a folder, only when it is empty
    } catch (error) {
      throw failedTo("remove", path, error);
    }
  }

  async list(path: string, entriesMax: number): Promise<FileListing> {
    const resolved = await this.#allowed(path, "read");
    try {
      const info = await statOrNull(resolved);
      if (info === null) throw missing(path);
      if (!info.isDirectory) throw wrongKind(path, "a folder");
      const entries: FileEntry[] = [];
      for await (const { name, isFile, isDirectory, isSymlink } of Deno.readDir(resolved)) {
        if (entries.length === entriesMax) return { entries, isCut: true };
        const kind = isSymlink ? "symlink" : isDirectory ? "directory" : isFile ? "file" : "other";
        entries.push({ name, kind });
      }
      return { entries, isCut: false };
    } catch (error) {
      throw failedTo("list", path, error);
    }
  }

  async #allowed(path: string, use: PathUse): Promise<string> {
    if (path.includes("\0") || path.length > PATH_CHARS_MAX) {
      const text = "Cannot use this path: it holds a NUL character or is too long";
      throw new ToolError("path_invalid", text);
    }
    const absolute = absolutePath(path, this.#rules);
    // Before it is followed, too: a link below /proc may lead back into the workspace.
    this.#judge(absolute, path, use, ["device"]);
    const resolved = await this.#resolve(absolute, path, use);
    this.#judge(resolved, path, use, [
      "device",
      "outside",
      "secret",
      "foreign",
      "protected",
      "memory",
    ]);
    return resolved;
  }

  /** What the process itself may not look at is outside: its rights are the policy's. */
  async #resolve(absolute: string, path: string, use: PathUse): Promise<string> {
    try {
      return await resolveLinks(absolute, path);
    } catch (error) {
      if (!(error instanceof ToolError && error.cause instanceof Deno.errors.NotCapable)) {
        throw error;
      }
      const text = refusalText(path, use, "outside", this.#rules);
      throw new ToolError("path_outside", text, { cause: error });
    }
  }

  #judge(absolute: string, path: string, use: PathUse, refused: readonly string[]): void {
    const verdict = judgePath(absolute, use, this.#rules, this.#user);
    if (verdict === "allowed" || !refused.includes(verdict)) return;
    const code = verdict === "outside" ? "path_outside" : "path_protected";
    throw new ToolError(code, refusalText(path, use, verdict, this.#rules));
  }
}

function wrongKind(path: string, wanted: string): ToolError {
  return new ToolError("path_wrong_kind", `Cannot use "${path}": it is not ${wanted}`);
}

function changed(path: string): ToolError {
  const text = `Cannot use "${path}": it was replaced while it was being opened`;
  return new ToolError("file_failed", text);
}

function tooLarge(path: string, size: number, bytesMax: number): ToolError {
  const text = `Cannot read "${path}": it has ${size} bytes, and ${bytesMax} are the most that ` +
    "are read. Look into it with grep";
  return new ToolError("file_too_large", text);
}
