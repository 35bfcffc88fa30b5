/**
 * The set-up of a channel, with a person at a terminal who may be a script.
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { ChannelSetup, SetupReport, SetupScene } from "../../channels/setup.ts";
import type { ManualClock } from "./manual_clock.ts";

/** What is set up, and where. */
export interface DeskOptions<Platform extends AsyncDisposable> {
  readonly setup: ChannelSetup;
  readonly clock: ManualClock;
  readonly platform: Platform;
  /** What stands in the file at first. */
  readonly section: JsonObject;
  /** Values given with the command. */
  readonly given: SetupScene["given"];
  /** @default none */
  readonly commands?: NonNullable<SetupScene["commands"]>;
}

/** A person at a terminal, and a platform; hold it with `await using`. */
export class Desk<Platform extends AsyncDisposable> implements AsyncDisposable {
  readonly platform: Platform;
  readonly clock: ManualClock;
  /** What the person was told, addresses included. */
  readonly said: string[] = [];
  /** Addresses that were shown. */
  readonly links: string[] = [];
  readonly asked: string[] = [];
  readonly saved: JsonObject[] = [];
  /** Answers to questions, in order; a missing one is never given. */
  readonly answers: string[] = [];
  section: JsonObject;
  readonly #options: DeskOptions<Platform>;

  constructor(options: DeskOptions<Platform>) {
    this.#options = options;
    this.platform = options.platform;
    this.clock = options.clock;
    this.section = options.section;
  }

  /** Runs the set-up. */
  login(changes: Partial<SetupScene> = {}): Promise<SetupReport> {
    const { setup, given, commands } = this.#options;
    return setup.login({
      section: this.section,
      given,
      isScanning: false,
      isForced: false,
      isInteractive: false,
      ...(commands !== undefined && { commands }),
      stateFolder: "/nowhere",
      clock: this.clock,
      newId: () => "id",
      signal: new AbortController().signal,
      say: (text) => void this.said.push(text),
      showLink: (url) => {
        this.said.push(url);
        this.links.push(url);
      },
      tell: () => {},
      ask: (question, { signal } = {}) => this.#ask(question, signal),
      save: (made) => {
        this.saved.push(made);
        this.section = { ...this.section, ...made };
        return Promise.resolve();
      },
      ...changes,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.platform[Symbol.asyncDispose]();
    assert.equal(this.clock.pending, 0, "no timer is left");
  }

  #ask(question: string, signal: AbortSignal | undefined): Promise<string> {
    this.asked.push(question);
    const answer = question === "" ? undefined : this.answers.shift();
    if (answer !== undefined) return Promise.resolve(answer);
    const { promise, reject } = Promise.withResolvers<string>();
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    return promise;
  }
}

/** Outcomes of the checks: `ok bot`. */
export function checkStates({ checks }: SetupReport): string[] {
  return checks.map(({ name, state }) => `${state} ${name}`);
}
