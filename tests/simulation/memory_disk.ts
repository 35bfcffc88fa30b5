/**
 * The disk with the memory's files, which people edit as well: a call under way when the process or
 * the machine dies has happened, or not, or in part.
 * @module
 */

import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { FileMark, MemoryFiles } from "../../actors/memory/ports.ts";
import type { Chance } from "./chance.ts";
import type { EventLog } from "./event_log.ts";
import type { Faults } from "./faults.ts";

/** A write that was begun; `share` of it gets to the disk. */
type Write<T> = (share: number) => T;

/** What the disk takes from its world. */
export interface MemoryDiskOptions {
  readonly chance: Chance;
  readonly faults: Faults;
  readonly log: EventLog;
}

/** Files by path; they outlive the gateway. */
export class SimulatedMemoryDisk {
  readonly texts: Map<string, string>;
  readonly #options: MemoryDiskOptions;
  readonly #underWay = new Set<Write<unknown>>();
  /** Told when a write begins: a good moment to die. */
  onWrite: () => void = () => {};

  constructor(options: MemoryDiskOptions, texts: Readonly<Record<string, string>>) {
    this.#options = options;
    this.texts = new Map(Object.entries(texts));
  }

  /** The disk as one life of the gateway sees it. */
  mount(clock: Clock): MemoryFiles {
    const read = async (path: string) => {
      await this.#act(clock, "read", path);
      return this.texts.get(path) ?? null;
    };
    const change = async <T>(action: string, path: string, write: Write<T>): Promise<T> => {
      await this.#act(clock, action, path);
      return await this.#write(clock, write);
    };
    return {
      read,
      append: (path, text) => change("append", path, (share) => this.#append(path, text, share)),
      replace: (path, text) =>
        change("replace", path, (share) => void (share === 1 && this.texts.set(path, text))),
      swap: (path, expected, text) =>
        change("swap", path, (share) => share === 1 && this.#swap(path, expected, text)),
      remove: (path) =>
        change("remove", path, (share) => void (share > 0 && this.texts.delete(path))),
      rename: (from, to) =>
        change("rename", from, (share) => {
          const text = this.texts.get(from);
          if (share < 1 || text === undefined) return;
          this.texts.delete(from);
          this.texts.set(to, text);
        }),
      folders: () => Promise.resolve([]),
      modifiedAtMs: () => Promise.resolve(null),
      mark: async (path) => markOf(await read(path)),
    };
  }

  /** Whoever wrote is dead; what was under way ends somehow. */
  crash(): void {
    const { chance } = this.#options;
    for (const write of this.#underWay) write(chance.pick([0, 1, chance.next()]));
    this.#underWay.clear();
  }

  /** Takes its time, and fails before anything was changed. */
  async #act(clock: Clock, action: string, path: string): Promise<void> {
    const { chance, faults, log } = this.#options;
    await sleep(clock, chance.between(0, 3));
    if (!faults.fails("disk") && !faults.happens(0.03)) return;
    log.add("memory", `fails to ${action} ${path}`);
    throw new Error(`Cannot ${action} "${path}": no space left on device`);
  }

  async #write<T>(clock: Clock, write: Write<T>): Promise<T> {
    this.#underWay.add(write);
    this.onWrite();
    await sleep(clock, this.#options.chance.pick([0, 1, 3, 5, 400]));
    this.#underWay.delete(write);
    return write(1);
  }

  #append(path: string, text: string, share: number): void {
    const bytes = new TextEncoder().encode(text);
    const written = bytes.slice(0, Math.floor(bytes.length * share));
    if (share < 1) this.#options.log.add("memory", `cut ${path} ${written.length}/${bytes.length}`);
    this.texts.set(path, (this.texts.get(path) ?? "") + new TextDecoder().decode(written));
  }

  #swap(path: string, expected: string | null, text: string): boolean {
    if ((this.texts.get(path) ?? null) !== expected) return false;
    this.texts.set(path, text);
    return true;
  }
}

function markOf(text: string | null): FileMark | null {
  return text === null ? null : { size: new TextEncoder().encode(text).length, state: text };
}
