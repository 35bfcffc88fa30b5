/**
 * A month of conversation on a clock that the test moves: the core, sessions and the memory as they
 * are in a gateway, over files and a journal in memory, with people who write and a model that
 * answers, sums up and puts memory in order.
 * @module
 */

import { countedCalls } from "../../actors/gateway/counted_calls.ts";
import { type Core, startCore } from "../../actors/gateway/core.ts";
import { MemoryJournal } from "../../actors/journal/memory_journal.ts";
import { nextTurn } from "../../actors/kernel/adapters/event_loop.ts";
import { seededRandom } from "../../actors/kernel/random.ts";
import { FairScheduler } from "../../actors/kernel/scheduler.ts";
import { ActorSystem } from "../../actors/kernel/system.ts";
import type { ActorRef } from "../../actors/kernel/ref.ts";
import { memoryActor, type MemoryActorMessage } from "../../actors/memory/memory_actor.ts";
import { MemoryKeeper } from "../../actors/memory/memory_keeper.ts";
import { memoryScope, sessionMemoryScope } from "../../actors/memory/scope.ts";
import { NO_BUDGETS } from "../../actors/session/budgets.ts";
import type { ArchivePort, SessionServices } from "../../actors/session/ports.ts";
import { PromptBuilder } from "../../actors/session/prompt.ts";
import { sessionActor } from "../../actors/session/session.ts";
import { UsageLedger } from "../../actors/session/usage_ledger.ts";
import { withRetry } from "../../providers/retry.ts";
import { probeChannel } from "./core_bench.ts";
import { LeapingClock } from "./leaping_clock.ts";
import { ListedVersions, MemoryWorkspace } from "./memory_files.ts";
import { MemorySessionFiles } from "./memory_session_files.ts";
import { type Failures, MonthModel } from "./month_model.ts";
import { NO_SKILLS } from "./no_skills.ts";
import type { ProbeChannel } from "./probe_channel.ts";
import { ScriptedProvider } from "./scripted_provider.ts";
import { type BenchServices, benchServices, benchSettings } from "./session_services.ts";
import { settle, until } from "./until.ts";

const MINUTE_MS = 60_000;
const DREAM_EACH_MS = 2 * 60 * MINUTE_MS;
/** Shorter than any limit of ours. */
const STEP_MS = 100;
/** More looks at a chat than any answer takes. */
const LOOKS_MAX = 2_000;
/** A small window, so that conversations grow long soon; sessions sleep as in a gateway. */
const SETTINGS = { contextWindowTokens: 12_000, tokensMax: 1_000, idleMs: 10 * MINUTE_MS };

/** Somebody who writes. */
export interface Writer {
  readonly channel: string;
  readonly chatId: string;
}

/** A month; hold it with `await using`. */
export class Month implements AsyncDisposable {
  readonly clock: LeapingClock = new LeapingClock();
  /** The sessions' files. */
  readonly sessions: MemorySessionFiles = new MemorySessionFiles();
  /** The workspace's other files. */
  readonly workspace: MemoryWorkspace;
  readonly #model: MonthModel;
  readonly #provider: ScriptedProvider;
  readonly #journal: MemoryJournal;
  readonly #system: ActorSystem;
  readonly #core: Core;
  readonly #probes = new Map<string, ProbeChannel>();
  #ids = 0;

  /** @param files what stands in the workspace, by path */
  static async begin(
    channels: readonly string[],
    files: Readonly<Record<string, string>>,
    failures: Failures = { turns: 0, memory: 0 },
  ): Promise<Month> {
    const month = new Month(channels, files, failures);
    await until(() => month.#probes.size === channels.length);
    return month;
  }

  private constructor(
    channels: readonly string[],
    files: Readonly<Record<string, string>>,
    failures: Failures,
  ) {
    const { clock } = this;
    this.workspace = new MemoryWorkspace(files);
    this.#model = new MonthModel(failures);
    this.#provider = new ScriptedProvider((request) => this.#model.answer(request));
    this.#journal = new MemoryJournal({ clock, defer: queueMicrotask });
    this.#system = new ActorSystem({
      clock,
      random: seededRandom(1),
      newId: () => this.#newId(),
      scheduler: new FairScheduler(nextTurn),
      onDeadLetter: () => {},
      onEvent: () => {},
    });
    const services = this.#services();
    this.#core = startCore({
      system: this.#system,
      journal: this.#journal,
      channels: channels.map((name) =>
        probeChannel(name, {}, (probe) => this.#probes.set(name, probe))
      ),
      permitsMax: 3,
      isUnified: false,
      progress: { sendProgress: false, sendToolHints: false },
      sendAttemptsMax: 3,
      startSession: (spawn, sessionKey, router, surroundings) => {
        const own = benchServices({ ...services, ...surroundings });
        return spawn(sessionActor(sessionKey, own, router));
      },
    });
    this.#core.startChannels();
    this.#core.recover();
  }

  /** Tokens of some questions of turns, as they were asked. */
  get turnTokens(): readonly number[] {
    return this.#model.turnTokens;
  }

  /** Somebody writes; gives the answer. */
  async say({ channel, chatId }: Writer, content: string): Promise<string> {
    const probe = this.#probes.get(channel);
    if (probe === undefined) throw new TypeError(`Cannot write in ${channel}: no such channel`);
    const { delivered } = probe;
    delivered.length = 0;
    await probe.say(chatId, content);
    for (let looks = 1; delivered.length === 0; looks++) {
      if (looks > LOOKS_MAX) throw new Error(`Cannot go on: no answer to ${content}`);
      await nextLook();
      if (looks % 20 === 0) await this.clock.leap(STEP_MS);
    }
    this.#provider.requests.length = 0; // a month of them takes up a lot of memory
    return delivered.at(-1)?.text ?? "";
  }

  /** Time goes by; what is under way comes to its end first. */
  async pass(minutes: number): Promise<void> {
    await this.#quiet();
    await this.clock.leap(minutes * MINUTE_MS);
    await this.#quiet();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#quiet();
    await this.#system[Symbol.asyncDispose]();
    await this.#journal[Symbol.asyncDispose]();
  }

  #newId(): string {
    return `id-${++this.#ids}`;
  }

  async #quiet(): Promise<void> {
    await settle();
    while (this.#provider.running > 0) await settle();
  }

  #services(): Omit<BenchServices, "gate" | "outbox"> {
    const { clock } = this;
    const provider = withRetry(this.#provider, {
      clock,
      random: seededRandom(2),
      mode: "standard",
    });
    const journal = this.#journal;
    const prompts = new PromptBuilder(this.workspace, {
      workspace: "/workspace",
      runtime: "a test",
      isWindows: false,
      memoryTemplate: "",
    });
    const usage = new UsageLedger({
      ...{ journal, clock, budgets: NO_BUDGETS, timezone: "UTC" },
      prices: () => null,
    });
    const memory = this.#startMemory({ provider, usage });
    return {
      ...{ journal, provider, usage, clock },
      files: this.sessions,
      settings: benchSettings(SETTINGS),
      newId: () => this.#newId(),
      systemPrompt: (channel) => prompts.build(channel),
      archive: archiveOf(memory),
    };
  }

  #startMemory(
    { provider, usage }: Pick<SessionServices, "provider" | "usage">,
  ): ActorRef<MemoryActorMessage> {
    const { clock, workspace: files } = this;
    const journal = this.#journal;
    const model = "test-model";
    return this.#system.spawn(memoryActor({
      keeper: new MemoryKeeper({ files, versions: new ListedVersions(), clock, timezone: "UTC" }),
      journal,
      dream: {
        model: {
          ...{ provider, model, tokensMax: 1_000, temperature: 0, reasoningEffort: null },
          batchCharsMax: 10_000,
          ...countedCalls({ sessionKey: "dream", usage, journal, provider: "scripted", model }),
        },
        settings: { batchMax: 20, iterationsMax: 5, annotatesLineAges: false, timezone: "UTC" },
        mark: (text) => text,
        skills: NO_SKILLS,
        schedule: { type: "every", everyMs: DREAM_EACH_MS },
        gate: () => this.#core.gate,
        alarm: () => {},
      },
    }));
  }
}

/** The memory, as a gateway shows it to its sessions. */
function archiveOf(memory: ActorRef<MemoryActorMessage>): ArchivePort {
  return {
    scopeOf: (origin) => memoryScope("global", origin),
    scopeOfSession: (sessionKey) => sessionMemoryScope("global", sessionKey),
    append: (scope, entry) =>
      memory.ask((replyTo) => ({ type: "append_history", scope, entry, replyTo }), {
        timeoutMs: MINUTE_MS,
      }),
  };
}

/** A turn of the event loop, for what is on its way. */
function nextLook(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}
