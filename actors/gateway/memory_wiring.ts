/**
 * The memory, from the configuration: its actor, what sessions reach of it, and what is said of it
 * at the start.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { join } from "node:path";
import { createFallbackProvider } from "../../providers/fallback_chain.ts";
import { chooseModels } from "../../providers/model_choice.ts";
import type { Provider } from "../../providers/provider.ts";
import { describeDreamSchedule, dreamSchedule } from "../config/dream_schedule.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Journal } from "../journal/journal.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import { breather } from "../kernel/breathing.ts";
import { asError } from "../kernel/errors.ts";
import { derived, liveView } from "../kernel/live_view.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { DiskMemoryFiles } from "../memory/adapters/disk_memory_files.ts";
import { GitVersions } from "../memory/adapters/git_versions.ts";
import { dreamTimes } from "../memory/dream_times.ts";
import { memoryActor, type MemoryActorMessage } from "../memory/memory_actor.ts";
import { MemoryKeeper } from "../memory/memory_keeper.ts";
import type { DreamModel, DreamSkills } from "../memory/ports.ts";
import type { MemoryMessage } from "../memory/protocol.ts";
import {
  type MemoryOrigin,
  type MemoryScope,
  memoryScope,
  sessionMemoryScope,
} from "../memory/scope.ts";
import type {
  ArchivePort,
  GateMessage,
  MemoryDesk,
  OutboxMessage,
  OwnersInformed,
} from "../session/ports.ts";
import type { UsageLedger } from "../session/usage_ledger.ts";
import { markUntrusted } from "../tools/untrusted.ts";
import { countedCalls } from "./counted_calls.ts";
import { DreamAsks } from "./dream_asks.ts";
import type { HeldConfig } from "./held_config.ts";
import { shapingCheck } from "./rights/owner_check.ts";
import type { World } from "./world.ts";

const logger = getLogger(["troupe", "gateway", "memory_wiring"]);

/** The name under which Dream's usage is counted. */
const DREAM_SESSION = "dream";
/** Who sits at the machine can read the files themselves. */
const TERMINAL = "cli";
/** Where versions stand, below the workspace. */
const VERSIONS_FOLDER = "memory/.versions";
/** Changes of files and looks at versions. */
const ANSWER_MS = 60_000;
/** Hardly any text has more tokens than characters; half of the window is for the history. */
const HISTORY_SHARE = 0.5;
const BATCH_CHARS_MIN = 4_000;

/** What the memory is made from. */
export interface MemoryWiring {
  readonly loaded: LoadedConfig;
  readonly now: () => HeldConfig;
  readonly world: World;
  readonly journal: Journal;
  /** Real path. */
  readonly workspace: string;
  readonly usage: UsageLedger;
  readonly skills: DreamSkills;
  readonly spawn: (
    definition: ActorDefinition<MemoryActorMessage>,
  ) => ActorRef<MemoryActorMessage>;
  /** Dream runs by its schedule; false for a single errand. */
  readonly isScheduled: boolean;
}

/** What the memory reaches once the gateway's actors run. */
export interface MemorySurroundings {
  readonly gate: ActorRef<GateMessage>;
  readonly alarms: ActorRef<OwnersInformed>;
  readonly outbox: (channel: string) => ActorRef<OutboxMessage> | undefined;
}

/** The memory, as the rest of the gateway sees it. */
export interface WiredMemory {
  readonly ref: ActorRef<MemoryMessage>;
  readonly desk: MemoryDesk;
  readonly archive: ArchivePort;
  readonly scopeOf: (origin: MemoryOrigin) => MemoryScope;
  /** What is said at the start. */
  readonly line: Promise<string>;
  /** Until then Dream takes no permits, and nobody hears of it. */
  readonly connect: (surroundings: MemorySurroundings) => void;
}

/** Starts the memory. */
export function wireMemory(options: MemoryWiring): WiredMemory {
  const { loaded: { config }, now, world, journal, workspace, isScheduled } = options;
  const { dream, timezone, memoryScope: setting } = config.agents.defaults;
  let surroundings: MemorySurroundings | undefined;
  const schedule = isScheduled ? dreamSchedule(dream, timezone) : undefined;
  const keeper = new MemoryKeeper({
    files: new DiskMemoryFiles(workspace),
    versions: new GitVersions(join(workspace, VERSIONS_FOLDER)),
    clock: world.clock,
    timezone,
    breathe: breather(world.defer),
  });
  const definition = memoryActor({
    keeper,
    journal,
    dream: {
      model: liveView(derived(now, (held) => dreamModel(options, held))),
      settings: liveView(() => {
        const { dream } = now().loaded.config.agents.defaults;
        return {
          batchMax: dream.maxBatchSize,
          iterationsMax: dream.maxIterations,
          annotatesLineAges: dream.annotateLineAges,
          timezone,
        };
      }),
      mark: markUntrusted,
      skills: options.skills,
      schedule,
      gate: () => surroundings?.gate,
      alarm: (text) => surroundings?.alarms.tell({ type: "owners_informed", text }),
    },
  });
  const shapes = derived(now, ({ loaded }) => shapingCheck(loaded.config));
  const ref = options.spawn(definition);
  const asks = new DreamAsks({
    memory: ref,
    journal,
    clock: world.clock,
    outbox: (name) => surroundings?.outbox(name),
  });
  return {
    ref,
    desk: memoryDesk(ref, {
      asks,
      mayLook: ({ channel, senderId }) =>
        setting === "global" || channel === TERMINAL ||
        now().loaded.config.owners.includes(`${channel}:${senderId}`),
    }),
    archive: {
      scopeOf: (origin) => memoryScope(setting, origin),
      scopeOfSession: (sessionKey) => sessionMemoryScope(setting, sessionKey),
      isOwner: (origin) => shapes()(origin),
      append: (scope, entry) =>
        ref.ask((replyTo) => ({ type: "append_history", scope, entry, replyTo }), {
          timeoutMs: ANSWER_MS,
        }),
    },
    scopeOf: (origin) => memoryScope(setting, origin),
    line: memoryLine(options),
    connect: (reached) => {
      surroundings = reached;
      // Those who wait for news of a run belong to the gateway that tells it.
      if (isScheduled) asks.resume().catch(noteLost);
    },
  };
}

async function memoryLine({ loaded, isScheduled }: MemoryWiring): Promise<string> {
  const { dream, timezone, memoryScope: setting } = loaded.config.agents.defaults;
  const whose = setting === "global" ? "shared by all" : `one for each ${setting}`;
  const isKnown = await dreamTimes(dreamSchedule(dream, timezone)) !== null;
  const when = !isScheduled
    ? "only when asked for"
    : isKnown
    ? describeDreamSchedule(dream)
    : `only when asked for, as agents.defaults.dream.cron "${dream.cron}" is no schedule`;
  return `Memory: ${whose}; versions in ${VERSIONS_FOLDER}; Dream ${when}`;
}

function dreamModel(options: MemoryWiring, held: HeldConfig): DreamModel {
  const { usage, journal } = options;
  const { defaults } = held.loaded.config.agents;
  const { provider, model } = modelOf(options, held);
  const windowTokens = defaults.contextWindowTokens || Infinity;
  const historyChars = (windowTokens - defaults.maxTokens) * HISTORY_SHARE;
  return {
    provider,
    model,
    tokensMax: defaults.maxTokens,
    temperature: defaults.temperature,
    reasoningEffort: defaults.reasoningEffort,
    batchCharsMax: Math.max(BATCH_CHARS_MIN, Math.floor(historyChars)),
    ...countedCalls({
      ...{ sessionKey: DREAM_SESSION, usage, journal },
      ...{ provider: provider.name, model },
    }),
  };
}

/** Dream's own model, or the assistant's where there is none that can be used. */
function modelOf(
  { world }: MemoryWiring,
  { loaded: { config, locations, process }, provider }: HeldConfig,
): { readonly provider: Provider; readonly model: string } {
  const { defaults } = config.agents;
  const { modelOverride } = defaults.dream;
  const own = { provider, model: defaults.model };
  if (modelOverride === null || modelOverride === defaults.model) return own;
  const wanted = { ...defaults, model: modelOverride, fallbackModels: [] };
  const choice = chooseModels({ ...wanted, provider: "auto" }, config.providers);
  const usable = choice.state === "chosen" ? choice : chooseModels(wanted, config.providers);
  if (usable.state !== "chosen") {
    logger.warn("Dream uses {model}, as nobody answers for agents.defaults.dream.modelOverride", {
      model: defaults.model,
    });
    return own;
  }
  const dreaming = createFallbackProvider(usable, {
    ...{ clock: world.clock, random: world.random, newId: world.newId },
    configPath: locations.configFile,
    stallMs: process.streamIdleTimeoutMs,
    retryMode: defaults.providerRetryMode,
  });
  return { provider: dreaming, model: modelOverride };
}

function memoryDesk(
  ref: ActorRef<MemoryMessage>,
  { asks, mayLook }: Pick<MemoryDesk, "mayLook"> & { readonly asks: DreamAsks },
): MemoryDesk {
  const timeoutMs = ANSWER_MS;
  return {
    mayLook,
    dream: (command) => void asks.ask(command),
    list: (limit) =>
      ref.ask((replyTo) => ({ type: "list_versions", limit, replyTo }), { timeoutMs }),
    show: (id) => ref.ask((replyTo) => ({ type: "show_version", id, replyTo }), { timeoutMs }),
    restore: (id) =>
      ref.ask((replyTo) => ({ type: "restore_version", id, replyTo }), { timeoutMs }),
  };
}

function noteLost(thrown: unknown): void {
  const { message } = asError(thrown);
  logger.error("Cannot see who waits for Dream: {reason}", { reason: message });
}
