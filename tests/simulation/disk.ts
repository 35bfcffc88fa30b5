/**
 * The disk with the sessions' files: a call under way when the process or the machine dies has
 * happened, or not, or in part.
 * @module
 */

import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { SessionFiles } from "../../actors/session/ports.ts";
import { splitSessionText } from "../../actors/session/session_file.ts";
import type { Chance } from "./chance.ts";
import type { EventLog } from "./event_log.ts";
import type { Faults } from "./faults.ts";

/** A write that was begun; `share` of it gets to the disk. */
type Write = (share: number) => void;

/** What a disk takes from its world. */
export interface DiskOptions {
  readonly chance: Chance;
  readonly faults: Faults;
  readonly log: EventLog;
  /** Told when a file was replaced as a whole, with what it held before. */
  readonly onReplaced: (before: string, text: string) => void;
}

/** Files by name; they outlive the gateway. */
export class SimulatedDisk {
  readonly texts: Map<string, string> = new Map();
  readonly #options: DiskOptions;
  readonly #underWay = new Set<Write>();

  constructor(options: DiskOptions) {
    this.#options = options;
  }

  /** The disk as one life of the gateway sees it. */
  mount(clock: Clock): SessionFiles {
    return {
      read: async (name) => {
        await this.#act(clock, "read", name);
        return this.texts.get(name) ?? null;
      },
      append: async (name, text) => {
        await this.#act(clock, "append", name);
        await this.#write(clock, (share) => this.#append(name, text, share));
      },
      replace: async (name, text) => {
        await this.#act(clock, "replace", name);
        await this.#write(clock, (share) => this.#replace(name, text, share));
      },
      remove: async (name) => {
        await this.#act(clock, "remove", name);
        await this.#write(clock, (share) => void (share === 1 && this.texts.delete(name)));
      },
    };
  }

  /** Whether the model is not shown the beginning of a conversation any more. */
  isSummedUp(name: string): boolean {
    return (splitSessionText(this.texts.get(name) ?? "").metadata?.lastConsolidated ?? 0) > 0;
  }

  /** Whoever wrote is dead; what was under way ends somehow. */
  crash(): void {
    const { chance } = this.#options;
    for (const write of this.#underWay) write(chance.pick([0, 1, chance.next()]));
    this.#underWay.clear();
  }

  /** Takes its time, and fails before anything was changed. */
  async #act(clock: Clock, action: string, name: string): Promise<void> {
    const { chance, faults, log } = this.#options;
    await sleep(clock, chance.between(0, 3));
    if (!faults.fails("disk")) return;
    log.add("disk", `fails to ${action} ${name}`);
    throw new Error(`Cannot ${action} "${name}": no space left on device`);
  }

  async #write(clock: Clock, write: Write): Promise<void> {
    this.#underWay.add(write);
    await sleep(clock, this.#options.chance.pick([0, 1, 3, 5, 400]));
    this.#underWay.delete(write);
    write(1);
  }

  #append(name: string, text: string, share: number): void {
    const bytes = new TextEncoder().encode(text);
    const written = bytes.slice(0, Math.floor(bytes.length * share));
    if (share < 1) this.#options.log.add("disk", `cut ${name} ${written.length}/${bytes.length}`);
    this.texts.set(name, (this.texts.get(name) ?? "") + new TextDecoder().decode(written));
  }

  #replace(name: string, text: string, share: number): void {
    if (share < 1) return; // the new file never got the name
    const before = this.texts.get(name) ?? "";
    this.texts.set(name, text);
    this.#options.log.add("disk", `replaced ${name}`);
    this.#options.onReplaced(before, text);
  }
}
