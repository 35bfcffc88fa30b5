/**
 * What all sessions share, made from the configuration: model, tools, files, prompt.
 * @module
 */

import { join } from "node:path";
import type { FindLocalServers } from "../../providers/local_servers.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Journal } from "../journal/journal.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import { breather } from "../kernel/breathing.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { DiskSessionFiles } from "../session/adapters/disk_files.ts";
import { readImage } from "../session/adapters/image_files.ts";
import { DiskPromptFiles, promptFacts } from "../session/adapters/prompt_files.ts";
import { shownServers } from "../tools/mcp/tool_names.ts";
import type { ModelSettings, SessionServices, SessionSettings } from "../session/ports.ts";
import { PromptBuilder } from "../session/prompt.ts";
import { dreamSkills } from "../session/skills/proposed_skill.ts";
import type { SkillLibrary } from "../session/skills/skill_library.ts";
import { WorkspaceFiles } from "../tools/adapters/workspace_files.ts";
import { createToolNet } from "../tools/net/adapters/tool_net.ts";
import type { PathRules } from "../tools/path_policy.ts";
import { hostedTool } from "../tools/host/hosted_tool.ts";
import type { ToolHosts } from "../tools/host/tool_hosts.ts";
import { FILE_TOOLS } from "../tools/file_tools.ts";
import { messageTool } from "../tools/message.ts";
import { foreignFilesTool } from "../tools/foreign_files.ts";
import { ToolRegistry } from "../tools/registry.ts";
import {
  type Tool,
  ToolError,
  type ToolNeeds,
  type ToolOrigin,
  type ToolProcesses,
} from "../tools/tool.ts";
import { webTools } from "../tools/web/web_tools.ts";
import { realFolder, realFolderOr } from "./adapters/local_folders.ts";
import { wireAutomation, type WiredAutomation } from "./automation_wiring.ts";
import { documentReader } from "./document_reader.ts";
import { type WiredHeartbeat, wireHeartbeat } from "./heartbeat_wiring.ts";
import { wireModels } from "./model_wiring.ts";
import { memoryTool } from "./memory_tools.ts";
import { type WiredMemory, wireMemory } from "./memory_wiring.ts";
import { type WiredRecall, wireRecall } from "./recall_wiring.ts";
import { wireSkills } from "./skill_wiring.ts";
import { type TranscribeFolder, wireSpeech } from "./speech.ts";
import { pathRules, webSettings, wireHosts, wireSearchUsage } from "./tool_wiring.ts";
import { ownFacts, selfTools, subagentRules } from "./self_wiring.ts";
import { wireUsage } from "./usage_wiring.ts";
import type { World } from "./world.ts";

/** Follow-ups of one chat that join a running turn: at one step, and over the whole turn. */
const JOINS_PER_STEP_MAX = 3;
const JOINS_PER_TURN_MAX = 5;
/** A session without work sleeps after this long; the next message wakes it from disk. */
const SESSION_IDLE_MS = 10 * 60_000;

/** The services that need no actor of the gateway. */
export type SharedServices = Omit<SessionServices, "gate" | "outbox">;

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
  readonly isWhole?: boolean;
  /** Model servers to offer while none is set up. @default nobody looks for them */
  readonly findLocalServers?: FindLocalServers | undefined;
  /** @default there is no shell */
  readonly shell?: ShellOfServices | undefined;
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
  readonly modelLine: string;
  readonly memory: WiredMemory;
  readonly recall: WiredRecall;
  readonly skills: SkillLibrary;
  readonly automation: WiredAutomation;
  readonly heartbeat: WiredHeartbeat;
  /** Known once the shell was tried. */
  readonly toolsLine: Promise<string>;
  readonly hostsLine: string | undefined;
  /** Ends with the gateway. */
  readonly hosts: ToolHosts;
  /** What a tool may use; undefined for one that is not known. */
  readonly needsOf: (tool: string) => ToolNeeds | undefined;
  /** Adds tools that come from outside; their names must be free. */
  readonly addTools: (more: readonly Tool[]) => void;
  /** Puts tools in place of those that a group had; returns names that are taken. */
  readonly offerTools: (group: string, tools: readonly Tool[]) => readonly string[];
  /** Has turns wait for tools that are on their way. */
  readonly settleTools: (settle: (signal: AbortSignal) => Promise<void>) => void;
  readonly toolNames: readonly string[];
  readonly transcribeFolder: TranscribeFolder;
  /** Loads what the first message would wait for: the code that talks to the model, and skills. */
  readonly preloadModel: () => Promise<void>;
}

/** Makes the services. Reads the workspace's real path, so it must be there. */
export function wireServices(options: WiringOptions): WiredServices {
  const { loaded, world, journal, uptimeMs, shell = NO_SHELL } = options;
  const { config } = loaded;
  const workspace = realFolder(loaded.locations.workspace);
  const promptFiles = new DiskPromptFiles(workspace);
  const { models, provider, settings: ofModel, line: modelLine } = wireModels(options);
  const usage = wireUsage({
    agents: config.agents,
    journal,
    clock: world.clock,
    provider: provider.name,
  });
  const { spawn, isWhole: isScheduled = false } = options;
  const memory = wireMemory({
    ...{ loaded, world, journal, workspace, provider, usage, spawn, isScheduled },
    skills: dreamSkills(() => skills),
  });
  const { clock } = world;
  const recall = wireRecall({ loaded, clock, workspace, scopeOf: memory.scopeOf, spawn });
  const automation = wireAutomation({ loaded, world, journal, workspace, isScheduled });
  const readPrompt = (path: string) => promptFiles.read(path);
  const heartbeat = wireHeartbeat({ loaded, journal, provider, usage, readPrompt });
  const ofTools = { ...memory, read: (path: string) => promptFiles.read(path) };
  const rules = pathRules(loaded, workspace);
  const { hosts, line: hostsLine } = wireHosts(loaded, rules, world);
  const toolContext = toolContextOf(options, rules);
  const tools = [...toolsOf(loaded), recall.tool, automation.tool, ...shell.tools];
  const registry = new ToolRegistry(
    world.clock,
    tools.map((tool) =>
      foreignFilesTool(memoryTool(hostedTool(tool, hosts), ofTools), sentFolders(loaded))
    ),
  );
  const skills = wireSkills({
    ...{ loaded, clock, rules, shell },
    hasTool: (name) => registry.definitions().some((definition) => definition.name === name),
  });
  const prompts = new PromptBuilder(promptFiles, promptFacts(workspace), skills);
  void shell.works.then((works) => {
    if (!works) { for (const { name } of shell.tools) registry.hide(name); }
  });
  const added = new Map(tools.map(({ name, needs }) => [name, needs]));
  return {
    modelLine,
    memory,
    recall,
    automation,
    heartbeat,
    skills,
    preloadModel: async () => {
      await Promise.all([provider.preload(), skills.texts()]);
    },
    toolsLine: describeTools(tools, shell, loaded),
    hostsLine,
    hosts,
    needsOf: (tool) => added.get(tool),
    addTools: (more) => {
      for (const tool of more) {
        registry.add(tool);
        added.set(tool.name, tool.needs);
      }
    },
    offerTools: (group, tools) => {
      for (const { name, needs } of tools) if (!added.has(name)) added.set(name, needs);
      return registry.replaceGroup(group, tools);
    },
    settleTools: (settle) => registry.settleWith(settle),
    toolNames: tools.map(({ name }) => name),
    transcribeFolder: wireSpeech({
      config,
      fallbacks: loaded.process.transcription,
      clock: world.clock,
    }),
    shared: {
      settings: { ...settingsOf(options, workspace), ...ofModel },
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
      mcpServers: shownServers(Object.keys(loaded.config.tools.mcpServers)),
      readImage,
      searchUsage: wireSearchUsage(loaded, toolContext.net),
      readDocument: documentReader(hosts, world.clock, toolContext),
      provider,
      models,
      subagents: subagentRules(loaded, workspace, skills),
      ownFacts: ownFacts(loaded),
      tools: registry,
      toolContext,
      usage,
      clock: world.clock,
      newId: world.newId,
      uptimeMs,
    },
  };
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

function toolsOf(loaded: LoadedConfig): readonly Tool[] {
  const { web } = loaded.config.tools;
  const always = [...FILE_TOOLS, messageTool, ...selfTools(loaded)];
  const forWeb = web.enable ? webTools(webSettings(loaded)) : [];
  return [...always, ...forWeb];
}

/** Where channels put what people send. */
function sentFolders({ locations: { mediaFolder } }: LoadedConfig): readonly string[] {
  return [...new Set([mediaFolder, realFolderOr(mediaFolder)])];
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

function toolContextOf(
  { loaded: { config }, world, shell = NO_SHELL }: WiringOptions,
  rules: PathRules,
): SharedServices["toolContext"] {
  const { workspace } = rules;
  const files = new WorkspaceFiles(rules, world.newId);
  const net = createToolNet({
    clock: world.clock,
    allowedRanges: config.tools.ssrfWhitelist,
    allowedHosts: config.tools.allowedHosts,
    proxy: config.tools.web.proxy,
  });
  const filesFor = (origin: ToolOrigin) => files.forSession(origin);
  return { workspace, files, filesFor, processes: shell.processes ?? NO_PROCESSES, net };
}

const NO_PROCESSES: ToolProcesses = {
  run: () =>
    Promise.reject(new ToolError("not_available", "Cannot run commands: there is no shell")),
};

const OFF = { line: Promise.resolve("off"), works: Promise.resolve(false) };
const NO_SHELL: ShellOfServices = { processes: undefined, tools: [], ...OFF };
