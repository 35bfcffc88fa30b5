/**
 * A memory with a model that follows a script.
 * @module
 */

import { memoryActor, type MemoryActorMessage } from "../../../actors/memory/memory_actor.ts";
import type { DreamWiring } from "../../../actors/memory/memory_actor.ts";
import { MemoryKeeper } from "../../../actors/memory/memory_keeper.ts";
import type { DreamUsage, KnownSkill } from "../../../actors/memory/ports.ts";
import type { DreamOutcome, MemoryMessage } from "../../../actors/memory/protocol.ts";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { checkProposal } from "../../../actors/session/skills/proposed_skill.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { ActorRef, ReplyTo } from "../../../actors/kernel/ref.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { ListedVersions, MemoryWorkspace } from "../../support/memory_files.ts";
import { type Script, ScriptedProvider } from "../../support/scripted_provider.ts";
import { testSystem } from "../../support/system.ts";

/** Noon in UTC. */
export const NOON_MS: number = Date.UTC(2026, 3, 30, 12);

/** What a test may choose; everything has a default. */
export interface DreamBenchOptions {
  readonly texts?: Readonly<Record<string, string>>;
  readonly script: Script | readonly (Exclude<ReturnType<Script>, undefined>)[];
  readonly wiring?: Partial<DreamWiring>;
  readonly settings?: Partial<DreamWiring["settings"]>;
  readonly model?: Partial<DreamWiring["model"]>;
  readonly clock?: ManualClock;
  /** Skills that are there, bundled or not. @default none */
  readonly skills?: readonly KnownSkill[];
  readonly journal?: ReturnType<typeof newJournal>;
}

/** A memory that runs; hold it with `await using`. */
export interface DreamBench extends AsyncDisposable {
  readonly memory: ActorRef<MemoryActorMessage>;
  readonly files: MemoryWorkspace;
  readonly versions: ListedVersions;
  readonly provider: ScriptedProvider;
  readonly clock: ManualClock;
  readonly keeper: MemoryKeeper;
  readonly used: DreamUsage[];
  readonly alarms: string[];
  ask<R>(message: (replyTo: ReplyTo<R>) => MemoryMessage): Promise<R>;
  /** Stops the actor. */
  stop(): Promise<void>;
  /** Asks for a run and waits for its end. */
  dream(): Promise<DreamOutcome>;
  /** Appends summaries of what owners said to everybody's history. */
  remember(...contents: readonly string[]): Promise<void>;
  /** Appends summaries of what others said, too. */
  overhear(...contents: readonly string[]): Promise<void>;
}

function entryOf(content: string) {
  return { content, key: content, sessionKey: "cli:direct", kind: "summary" as const };
}

/** Notes in memory. */
export function newJournal(clock: ManualClock): MemoryJournal {
  return new MemoryJournal({ clock, defer: queueMicrotask });
}

/** Starts a memory. */
export function dreamBench(options: DreamBenchOptions): DreamBench {
  const { clock = new ManualClock(NOON_MS), journal = newJournal(clock) } = options;
  const files = new MemoryWorkspace(options.texts);
  const versions = new ListedVersions();
  const provider = new ScriptedProvider(options.script);
  const world = testSystem({ clock });
  const keeper = new MemoryKeeper({ files, versions, clock, timezone: "UTC" });
  const used: DreamUsage[] = [];
  const alarms: string[] = [];
  const memory = world.system.spawn(memoryActor({
    keeper,
    journal,
    dream: {
      model: {
        provider,
        model: "dreamer",
        tokensMax: 1_000,
        temperature: 0.1,
        reasoningEffort: null,
        batchCharsMax: 10_000,
        reserve: () => Promise.resolve({ state: "allowed", release: () => {} }),
        book: (usage) => {
          used.push(usage);
          return Promise.resolve();
        },
        ...options.model,
      },
      settings: {
        batchMax: 20,
        iterationsMax: 5,
        annotatesLineAges: true,
        timezone: "UTC",
        ...options.settings,
      },
      mark: (text, source) => `<<${source}>>\n${text}\n<<end>>`,
      skills: { known: () => Promise.resolve(options.skills ?? []), check: checkProposal },
      schedule: undefined,
      gate: () => undefined,
      alarm: (text) => void alarms.push(text),
      ...options.wiring,
    },
  }));
  const ask: DreamBench["ask"] = (message) => memory.ask(message, { timeoutMs: 1_000_000 });
  return {
    ...{ memory, files, versions, provider, clock, keeper, used, alarms, ask },
    stop: () => world.system.stop(memory),
    dream: () => ask((replyTo) => ({ type: "dream", reason: "asked", replyTo })),
    async remember(...contents) {
      for (const content of contents) {
        await keeper.append(MemoryScope.global, { ...entryOf(content), isOwners: true });
      }
    },
    async overhear(...contents) {
      for (const content of contents) await keeper.append(MemoryScope.global, entryOf(content));
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}
