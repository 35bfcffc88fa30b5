/**
 * What the parts of the journal's contract are written with.
 * @module
 */

import type { Journal } from "../../../actors/journal/journal.ts";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** A place where a journal lives on while processes come and go. */
export interface JournalHome extends Disposable {
  /** Opens the journal as a process does when it starts; the last one must have ended. */
  open(): Journal;
}

/** Makes an empty home. */
export type MakeJournalHome = (clock: Clock) => JournalHome;

/** How a call fails that breaks a rule. */
export const BROKEN = { code: "invariant_broken" } as const;

/** What a test is given. */
export interface World {
  readonly clock: ManualClock;
  readonly home: JournalHome;
  readonly journal: Journal;
}

/** Registers tests for one kind of journal. */
export class Contract {
  readonly #name: string;
  readonly #makeHome: MakeJournalHome;

  constructor(name: string, makeHome: MakeJournalHome) {
    this.#name = name;
    this.#makeHome = makeHome;
  }

  /** Registers a test on an empty journal, which may be closed and opened again. */
  test(behaviour: string, body: (world: World) => Promise<void>): void {
    Deno.test(`${this.#name} ${behaviour}`, async () => {
      const clock = new ManualClock();
      using home = this.#makeHome(clock);
      await using journal = home.open();
      await body({ clock, home, journal });
    });
  }
}
