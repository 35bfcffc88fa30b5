/**
 * What goes with the next step of a turn, whichever that is: it costs no commit of its own.
 * @module
 */

import type { Step, UsageEntry } from "../journal/journal.ts";
import type { Release } from "./reservations.ts";

type Note = NonNullable<Step["notes"]>[number];

/** Collects for one turn. */
export class StepBooking {
  #usage: UsageEntry[] = [];
  #notes: Note[] = [];
  #reserved: Release[] = [];

  /** What model calls used since the last step. */
  get usage(): readonly UsageEntry[] {
    return this.#usage;
  }

  /** A model call is over. */
  add(entry: UsageEntry): void {
    this.#usage.push(entry);
  }

  /** What a call reserved, until what it used is committed. */
  holds(release: Release): void {
    this.#reserved.push(release);
  }

  /** Gives back what was reserved: it is committed, or nobody will. */
  release(): void {
    for (const release of this.#reserved.splice(0)) release();
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
