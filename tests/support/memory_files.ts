/**
 * Memory files and their versions in memory.
 * @module
 */

import type {
  FileMark,
  FoundVersion,
  MemoryFiles,
  NewVersion,
  VersionStore,
} from "../../actors/memory/ports.ts";
import type { MemoryVersion } from "../../actors/memory/protocol.ts";

/** A workspace in memory that fails, or is edited by hand, when the test says so. */
export class MemoryWorkspace implements MemoryFiles {
  /** Content by path. */
  readonly texts: Map<string, string>;
  /** All that was changed, oldest first: `append memory/history.jsonl`. */
  readonly actions: string[] = [];
  /** What `modifiedAtMs` tells. */
  modifiedMs = 0;
  /** Awaited before each action; what it throws is the failure, and nothing is changed. */
  fault: (action: string, path: string) => void | Promise<void> = () => {};

  constructor(texts: Readonly<Record<string, string>> = {}) {
    this.texts = new Map(Object.entries(texts));
  }

  async read(path: string): Promise<string | null> {
    await this.#act("read", path);
    return this.texts.get(path) ?? null;
  }

  async append(path: string, text: string): Promise<void> {
    await this.#act("append", path);
    this.texts.set(path, (this.texts.get(path) ?? "") + text);
  }

  async replace(path: string, text: string): Promise<void> {
    await this.#act("replace", path);
    this.texts.set(path, text);
  }

  async swap(path: string, expected: string | null, text: string): Promise<boolean> {
    await this.#act("swap", path);
    if ((this.texts.get(path) ?? null) !== expected) return false;
    this.texts.set(path, text);
    return true;
  }

  async remove(path: string): Promise<void> {
    await this.#act("remove", path);
    this.texts.delete(path);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#act("rename", from);
    const text = this.texts.get(from);
    this.texts.delete(from);
    if (text !== undefined) this.texts.set(to, text);
  }

  async folders(path: string): Promise<readonly string[]> {
    await this.#act("read", path);
    const below = [...this.texts.keys()].filter((name) => name.startsWith(`${path}/`))
      .map((name) => name.slice(path.length + 1)).filter((name) => name.includes("/"));
    return [...new Set(below.map((name) => name.split("/")[0] ?? name))].sort();
  }

  async modifiedAtMs(path: string): Promise<number | null> {
    await this.#act("read", path);
    return this.texts.has(path) ? this.modifiedMs : null;
  }

  async mark(path: string): Promise<FileMark | null> {
    await this.#act("read", path);
    const text = this.texts.get(path);
    return text === undefined ? null : { size: new TextEncoder().encode(text).length, state: text };
  }

  async #act(action: string, path: string): Promise<void> {
    await Promise.resolve(); // as a disk, it answers later
    await this.fault(action, path);
    if (action !== "read") this.actions.push(`${action} ${path}`);
  }
}

/** Versions in a list. */
export class ListedVersions implements VersionStore {
  readonly epoch = 0;
  /** Oldest first. */
  readonly versions: (NewVersion & { readonly id: string })[] = [];

  commit(version: NewVersion): Promise<string> {
    const id = `${(this.versions.length + 1).toString(16).padStart(4, "0")}${"a".repeat(36)}`;
    this.versions.push({ ...version, files: new Map(version.files), id });
    return Promise.resolve(id);
  }

  log(limit: number): Promise<readonly MemoryVersion[]> {
    return Promise.resolve(this.versions.toReversed().slice(0, limit).map(versionOf));
  }

  find(idStart: string): Promise<FoundVersion | null> {
    const at = this.versions.findIndex(({ id }) => id.startsWith(idStart));
    const found = this.versions[at];
    if (found === undefined) return Promise.resolve(null);
    return Promise.resolve({
      version: versionOf(found),
      parentId: this.versions[at - 1]?.id ?? null,
    });
  }

  files(id: string): Promise<ReadonlyMap<string, string>> {
    const found = this.versions.find((version) => version.id === id);
    return Promise.resolve(found?.files ?? new Map());
  }
}

function versionOf({ id, message, atMs }: NewVersion & { readonly id: string }): MemoryVersion {
  const [subject = "", , ...body] = message.trimEnd().split("\n");
  return { id, atMs, subject, body: body.join("\n") };
}
