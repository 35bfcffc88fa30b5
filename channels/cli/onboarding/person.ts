/**
 * Questions that a newcomer is asked, with an answer for those who only press Enter.
 * @module
 */

import type { AskOptions } from "../../setup.ts";

/** Somebody at a terminal. */
export interface Person {
  /** Tells them something. */
  say(text: string): void;
  /** Tells them what is wrong, one line for each mistake. */
  refuse(text: string): void;
  /**
   * Asks them.
   *
   * @returns the answer, trimmed
   * @throws an AbortError when they leave
   */
  ask(question: string, options?: AskOptions): Promise<string>;
}

/** Asks yes or no; Enter takes `usual`. */
export async function confirm(person: Person, question: string, usual: boolean): Promise<boolean> {
  for (;;) {
    const answer = await person.ask(`${question} [${usual ? "Y/n" : "y/N"}] `);
    if (answer === "") return usual;
    if (/^y(es)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
    person.say("Please answer y or n.");
  }
}

/**
 * Lets them choose by number; Enter takes the first.
 *
 * @param labels at least one
 * @returns the index of the one that was taken
 */
export async function choose(
  person: Person,
  question: string,
  labels: readonly string[],
): Promise<number> {
  const width = `${labels.length}`.length;
  person.say(
    labels.map((label, index) => `  ${`${index + 1}`.padStart(width)}  ${label}`).join("\n"),
  );
  for (;;) {
    const answer = await person.ask(`${question} [1] `);
    const index = answer === "" ? 0 : Number(answer) - 1;
    if (Number.isInteger(index) && index >= 0 && index < labels.length) return index;
    person.say(`Please give a number from 1 to ${labels.length}.`);
  }
}
