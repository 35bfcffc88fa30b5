/**
 * A newcomer who answers questions by script, with files of their own.
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { systemConfigSource } from "../../../../actors/config/adapters/system_source.ts";
import {
  replaceConfigFile,
  setConfigFileAside,
} from "../../../../channels/cli/adapters/config_file.ts";
import { onboard, type OnboardingEnd } from "../../../../channels/cli/onboarding/onboarding.ts";
import type { OnboardingScene } from "../../../../channels/cli/onboarding/onboarding.ts";
import type { TrialResult } from "../../../../providers/trial.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

/** An answer, and what must stand in the question that it is given to. */
export type Answer = readonly [question: RegExp, answer: string];

/** Somebody in a home of their own; hold it with `await using`. */
export class Newcomer implements AsyncDisposable {
  readonly said: string[] = [];
  readonly channels: string[] = [];
  readonly #home: AsyncDisposable;
  readonly configFile: string;
  /** What becomes of each try of a model, in order; then all are answered. */
  readonly trials: TrialResult[] = [];
  readonly tried: string[] = [];
  testMessages = 0;

  private constructor(path: string, home: AsyncDisposable) {
    this.configFile = join(path, "config.json");
    this.#home = home;
  }

  static async make(config?: string): Promise<Newcomer> {
    const home = await temporaryFolder();
    const newcomer = new Newcomer(home.path, home);
    if (config !== undefined) await Deno.writeTextFile(newcomer.configFile, config);
    return newcomer;
  }

  /** Goes through it; all answers are asked for. */
  async onboard(
    answers: readonly Answer[],
    changes: Partial<OnboardingScene> = {},
  ): Promise<OnboardingEnd> {
    const left = [...answers];
    const end = await onboard({
      person: {
        say: (text) => void this.said.push(text),
        refuse: (text) => void this.said.push(text),
        ask: (question) => {
          const [expected, answer] = left.shift() ?? [/^nothing/, ""];
          assert.match(question, expected);
          return Promise.resolve(answer);
        },
      },
      isAsking: true,
      source: systemConfigSource({ TROUPE_HOME: join(this.configFile, "..") }),
      configPath: undefined,
      wishes: { setAside: false },
      offers: [],
      tryModel: (choice, model) => {
        this.tried.push(`${model} at ${choice.baseUrl}`);
        return Promise.resolve(this.trials.shift() ?? { state: "ok", tookMs: 7 });
      },
      listModels: () => Promise.resolve([]),
      signIn: () => Promise.resolve(false),
      files: { replace: replaceConfigFile, setAside: setConfigFileAside },
      channels: ["feishu", "telegram"],
      setUpChannel: (name) => {
        this.channels.push(name);
        return Promise.resolve(true);
      },
      makeWorkspace: () => Promise.resolve([]),
      sendTestMessage: () => {
        this.testMessages++;
        return Promise.resolve(true);
      },
      ...changes,
    });
    assert.deepEqual(left, [], "all answers were asked for");
    return end;
  }

  /** The file's text. */
  config(): Promise<string> {
    return Deno.readTextFile(this.configFile);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#home[Symbol.asyncDispose]();
  }
}
