/**
 * What goes with the next step of a turn, whichever that is: it costs no commit of its own.
 * @module
 */

import type { Step, UsageEntry } from "../journal/journal.ts";

type Note = NonNullable<Step["notes"]>[number];

/** Collects for one turn. */
export class StepBooking {
  #usage: UsageEntry[] = [];
  #notes: Note[] = [];

  /** What model calls used since the last step. */
  get usage(): readonly UsageEntry[] {
    return this.#usage;
  }

  /** A model call is over. */
  add(entry: UsageEntry): void {
    this.#usage.push(entry);
  }

  /** A note is forgotten. */
  forgetNote(key: string): void {
    this.#notes.push({ key, value: null });
  }

  /** The step with all that waited for one. */
  with<S extends Omit<Step, "lines">>(step: S): S {
    const usage = this.#usage;
    const notes = [...step.notes ?? [], ...this.#notes];
    this.#usage = [];
    this.#notes = [];
    return { ...step, ...(usage.length > 0 && { usage }), ...(notes.length > 0 && { notes }) };
  }
}
