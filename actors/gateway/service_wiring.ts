/**
 * What all sessions share, made from the configuration: model, tools, files, prompt.
 * @module
 */

import { join } from "node:path";
import type { Provider } from "../../providers/provider.ts";
import type { FindLocalServers } from "../../providers/local_servers.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Journal } from "../journal/journal.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import { breather } from "../kernel/breathing.ts";
import { derived } from "../kernel/live_view.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { DiskSessionFiles } from "../session/adapters/disk_files.ts";
import { readImage } from "../session/adapters/image_files.ts";
import { DiskPromptFiles, promptFacts } from "../session/adapters/prompt_files.ts";
import { shownServers } from "../tools/mcp/tool_names.ts";
import type { ModelSettings, SessionServices, SessionSettings } from "../session/ports.ts";
import { PromptBuilder } from "../session/prompt.ts";
import { dreamSkills } from "../session/skills/proposed_skill.ts";
import type { SkillLibrary } from "../session/skills/skill_library.ts";
import type { Tool, ToolProcesses } from "../tools/tool.ts";
import { realFolder } from "./adapters/local_folders.ts";
import { wireAutomation, type WiredAutomation } from "./automation_wiring.ts";
import { documentReader } from "./document_reader.ts";
import { type WiredHeartbeat, wireHeartbeat } from "./heartbeat_wiring.ts";
import type { HeldConfig } from "./held_config.ts";
import { LiveToolbox } from "./live_toolbox.ts";
import { type WiredModels, wireModels } from "./model_wiring.ts";
import { type WiredMemory, wireMemory } from "./memory_wiring.ts";
import { type WiredRecall, wireRecall } from "./recall_wiring.ts";
import { wireSkills } from "./skill_wiring.ts";
import { type TranscribeFolder, wireSpeech } from "./speech.ts";
import type { ToolboxGround } from "./toolbox.ts";
import { pathRules, wireSearchUsage } from "./tool_wiring.ts";
import { goalBudget, ownFacts, subagentRules } from "./self_wiring.ts";
import { wireUsage } from "./usage_wiring.ts";
import { UNWATCHED, type Watch } from "../session/watch.ts";
import { watchedTools } from "./watch/watched_parts.ts";
import type { World } from "./world.ts";

/** Follow-ups of one chat that join a running turn: at one step, and over the whole turn. */
const JOINS_PER_STEP_MAX = 3;
const JOINS_PER_TURN_MAX = 5;
/** A session without work sleeps after this long; the next message wakes it from disk. */
const SESSION_IDLE_MS = 10 * 60_000;

/** The services that need no actor of the gateway. */
export type SharedServices = Omit<SessionServices, "gate" | "outbox">;

/** What of them follows an edited configuration. */
export type RevisedServices = Pick<
  SharedServices,
  | "settings"
  | "provider"
  | "models"
  | "tools"
  | "toolContext"
  | "searchUsage"
  | "readDocument"
  | "subagents"
  | "goals"
  | "ownFacts"
  | "mcpServers"
>;

/** What the services are made from. */
export interface WiringOptions {
  readonly loaded: LoadedConfig;
  readonly version: string;
  readonly world: World;
  readonly journal: Journal;
  readonly uptimeMs: () => number;
  /** Starts the actors of the memory and of recall. */
  readonly spawn: <M>(definition: ActorDefinition<M>) => ActorRef<M>;
  /** Dream runs by its schedule. @default false */
  readonly isScheduled?: boolean;
  /** Model servers to offer while none is set up. @default nobody looks for them */
  readonly findLocalServers?: FindLocalServers | undefined;
  /** Who answers in place of the models of the configuration. @default nobody does */
  readonly provider?: Provider | undefined;
  /** Further ones: the one named `x` answers for models named `x/…`. @default none */
  readonly providers?: readonly Provider[] | undefined;
  /** Who watches turns and calls. @default nobody does */
  readonly watch?: Watch | undefined;
  /** @default there is no shell */
  readonly shell?: ShellOfServices | undefined;
  /** Recall's Worker ends when nobody asked for so long. @default 10 minutes */
  readonly recallIdleMs?: number | undefined;
}

/** The shell, as far as it concerns what sessions share. */
export interface ShellOfServices {
  readonly processes: ToolProcesses | undefined;
  readonly tools: readonly Tool[];
  /** What is said of it at the start, once it was tried. */
  readonly line: Promise<string>;
  /** Whether commands can run at all, once it was tried. */
  readonly works: Promise<boolean>;
}

/** The services, and what to say about them at the start. */
export interface WiredServices {
  readonly shared: SharedServices;
  /** Of the model that answers just now. */
  readonly modelLine: string;
  readonly memory: WiredMemory;
  readonly recall: WiredRecall;
  readonly skills: SkillLibrary;
  readonly automation: WiredAutomation;
  readonly heartbeat: WiredHeartbeat;
  /** Known once the shell was tried. */
  readonly toolsLine: Promise<string>;
  /** Is disposed of with the gateway. */
  readonly toolbox: LiveToolbox;
  readonly transcribeFolder: TranscribeFolder;
  /** The configuration that holds. */
  readonly now: () => HeldConfig;
  /** What of `shared` follows it; the same object until it is edited. */
  readonly revised: () => RevisedServices;
  /**
   * Prepares another configuration. What is returned has it hold, with the shell's tools for it.
   *
   * @throws {StartError} when its model cannot be used
   */
  readonly revise: (next: LoadedConfig) => (shellTools: readonly Tool[]) => void;
  /** Loads what the first message would wait for: the code that talks to the model, and skills. */
  readonly preloadModel: () => Promise<void>;
}

/** Makes the services. Reads the workspace's real path, so it must be there. */
export function wireServices(options: WiringOptions): WiredServices {
  const { loaded, world, journal, uptimeMs, shell = NO_SHELL, watch = UNWATCHED } = options;
  const workspace = realFolder(loaded.locations.workspace);
  const promptFiles = new DiskPromptFiles(workspace);
  const models = wireModels(options);
  let held: HeldConfig = { loaded, provider: models.provider };
  let modelLine = models.line;
  const now = () => held;
  const usage = wireUsage({
    agents: () => held.loaded.config.agents,
    journal,
    clock: world.clock,
    provider: models.provider.name,
  });
  const { spawn, isScheduled = false } = options;
  const memory = wireMemory({
    ...{ loaded, now, world, journal, workspace, usage, spawn, isScheduled },
    skills: dreamSkills(() => skills),
  });
  const { clock, newId } = world;
  const recall = wireRecall({
    ...{ loaded, clock, workspace, scopeOf: memory.scopeOf, spawn },
    idleMs: options.recallIdleMs,
  });
  const automation = wireAutomation({ loaded, now, world, journal, workspace, isScheduled });
  const readPrompt = (path: string) => promptFiles.read(path);
  const heartbeat = wireHeartbeat({ now, journal, newId, usage, readPrompt });
  const rules = pathRules(loaded, workspace);
  const ground: ToolboxGround = {
    ...{ world, rules, processes: shell.processes },
    memory: { ...memory, read: readPrompt },
  };
  const own = [recall.tool, automation.tool];
  const toolbox = new LiveToolbox(loaded, ground, [...own, ...shell.tools]);
  const skills = wireSkills({
    ...{ loaded, clock, rules, shell },
    hasTool: (name) => toolbox.has(name),
  });
  const prompts = new PromptBuilder(promptFiles, promptFacts(workspace), skills);
  void shell.works.then((works) => {
    if (!works) toolbox.hide(shell.tools);
  });
  const revisedOf = (next: LoadedConfig, { models, provider, settings }: WiredModels) => {
    const { registry, hosts, context } = toolbox.now;
    return {
      settings: { ...settingsOf({ ...options, loaded: next }, workspace), ...settings },
      ...{ provider, models, tools: watchedTools(registry, watch), toolContext: context },
      searchUsage: wireSearchUsage(next, context.net),
      readDocument: documentReader(hosts, clock, context),
      subagents: subagentRules(next, workspace, skills),
      goals: goalBudget(next),
      ownFacts: ownFacts(next),
      mcpServers: shownServers(Object.keys(next.config.tools.mcpServers)),
    };
  };
  let revised: RevisedServices = revisedOf(loaded, models);
  return {
    get modelLine() {
      return modelLine;
    },
    memory,
    recall,
    automation,
    heartbeat,
    skills,
    preloadModel: async () => {
      const guard = import("../tools/shell/guard.ts"); // with the parser of commands
      await Promise.all([held.provider.preload(), skills.texts(), guard]);
    },
    toolbox,
    toolsLine: describeTools(toolbox.now.tools, shell, loaded),
    transcribeFolder: liveSpeech(now, clock),
    now,
    revised: () => revised,
    revise: (next) => {
      const nextModels = wireModels({ ...options, loaded: next });
      return (shellTools) => {
        toolbox.remake(next, [...own, ...shellTools]);
        held = { loaded: next, provider: nextModels.provider };
        modelLine = nextModels.line;
        revised = revisedOf(next, nextModels);
      };
    },
    shared: {
      ...revised,
      journal,
      files: recall.watched(new DiskSessionFiles(join(workspace, "sessions"))),
      breathe: breather(world.defer),
      promptFiles,
      systemPrompt: (channel, home) => prompts.build(channel, memory.scopeOf(home)),
      promptSections: (channel, home) => prompts.sections(channel, memory.scopeOf(home)),
      memory: memory.desk,
      archive: memory.archive,
      remind: recall.remind,
      heartbeat: heartbeat.port,
      readImage,
      watch,
      usage,
      clock: world.clock,
      newId: world.newId,
      uptimeMs,
    },
  };
}

/** Sound files are written down by whoever is set up for it at the moment. */
function liveSpeech(now: () => HeldConfig, clock: World["clock"]): TranscribeFolder {
  const speech = derived(
    now,
    ({ loaded: { config, process } }) =>
      wireSpeech({ config, fallbacks: process.transcription, clock }),
  );
  return (mediaFolder) => (path, signal) => speech()(mediaFolder)(path, signal);
}

function settingsOf(
  { loaded, version }: WiringOptions,
  workspace: string,
): Omit<SessionSettings, keyof ModelSettings> {
  const { defaults } = loaded.config.agents;
  return {
    contextBlockLimit: defaults.contextBlockLimit,
    toolIterationsMax: defaults.maxToolIterations,
    toolResultCharsMax: defaults.maxToolResultChars,
    timezone: defaults.timezone,
    workspace,
    version,
    idleMs: SESSION_IDLE_MS,
    joinsPerStepMax: JOINS_PER_STEP_MAX,
    joinsPerTurnMax: JOINS_PER_TURN_MAX,
  };
}

async function describeTools(
  tools: readonly Tool[],
  shell: ShellOfServices,
  { config }: LoadedConfig,
): Promise<string> {
  const works = await shell.works;
  const names = tools.filter((tool) => works || !shell.tools.includes(tool))
    .map(({ name }) => name).toSorted().join(", ");
  const files = config.tools.restrictToWorkspace
    ? "files: only the workspace"
    : "files: everything you may use (tools.restrictToWorkspace is false)";
  return `Tools: ${names} (${files}; shell: ${await shell.line})`;
}

const OFF = { line: Promise.resolve("off"), works: Promise.resolve(false) };
const NO_SHELL: ShellOfServices = { processes: undefined, tools: [], ...OFF };
