/**
 * A gateway: everything that a configuration describes, started in the order in which one part
 * needs the other, and stopped in reverse.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { join } from "node:path";
import type { FindLocalServers } from "../../providers/local_servers.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Journal } from "../journal/journal.ts";
import { openEventPublisher } from "../kernel/adapters/event_channel.ts";
import { asError } from "../kernel/errors.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { KernelEvent } from "../kernel/events.ts";
import { ActorSystem } from "../kernel/system.ts";
import type { AuditPort } from "../tools/audit/audit_entry.ts";
import { listSessionFiles } from "../session/adapters/session_folder.ts";
import { sessionActor } from "../session/session.ts";
import { eraseSession } from "../session/session_erasure.ts";
import { syncWorkspace } from "../session/adapters/workspace_template.ts";
import { placeBundledSkills } from "../session/skills/adapters/bundled_skills.ts";
import { channelSessions } from "./channel_sessions.ts";
import { listenControl } from "./adapters/control_socket.ts";
import { lacksFolder, userHomeFolder } from "./adapters/local_folders.ts";
import { mediaFolderAt } from "./adapters/media_folder.ts";
import { HealthServer } from "./adapters/health_server.ts";
import { processId } from "./adapters/lock_file.ts";
import type { ChannelActorMessage } from "./channel_actor.ts";
import {
  type LocalChannel,
  localChannel,
  platformChannels,
  WORKER_ENTRY,
} from "./channel_wiring.ts";
import { ControlDoor } from "./control_door.ts";
import type { ControlHandler } from "./control_handler.ts";
import { gatewayHandlers } from "./control_handlers.ts";
import { type Core, startCore } from "./core.ts";
import { drain } from "./drain.ts";
import { wakeEndedSessions } from "./ended_sessions.ts";
import { type HealthReport, reportHealth } from "./health.ts";
import { missingFolderLines } from "./extra_folders.ts";
import { takeLocks } from "./locks.ts";
import { type McpConnector, mcpConnector } from "./mcp_servers.ts";
import { type WiredMcp, wireMcp } from "./mcp_wiring.ts";
import { MediaKeeper } from "./media_keeper.ts";
import { wirePlugins } from "./plugin_wiring.ts";
import { preloadOnce } from "./preload.ts";
import { type WiredServices, wireServices } from "./service_wiring.ts";
import { approvalRules } from "./rights/approval_rules.ts";
import { checkRights } from "./rights/check_rights.ts";
import { openAudit } from "./rights/open_audit.ts";
import { ownerCheck } from "./rights/owner_check.ts";
import { wireShell } from "./shell_wiring.ts";
import { journalPath, openJournal } from "./state_journal.ts";
import { announceRestart, restartPort } from "./restart.ts";
import { sessionHandlers } from "./session_desk.ts";
import { strandedIn, type StrandedMessages } from "./stranded.ts";
import type { World } from "./world.ts";

const logger = getLogger(["troupe", "gateway"]);

const DEFAULT_COMMAND = "gateway";

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly loaded: LoadedConfig;
  readonly version: string;
  readonly world: World;
  /** Gets one line for each part that comes up, or stays off and why. */
  readonly print: (line: string) => void;
  /** Channels in this process, such as the terminal. */
  readonly localChannels?: readonly LocalChannel[];
  /** Platforms, recovery, health endpoint and control door; false for a single errand. */
  readonly isWhole: boolean;
  /** What this process was started as, for others that meet its locks. @default "gateway" */
  readonly command?: string;
  /**
   * Ends the process in good order, so that it is started again.
   *
   * @default nobody can ask for it
   */
  readonly onRestart?: () => void;
  /** Answered at the control door besides the gateway's own requests. */
  readonly handlers?: readonly ControlHandler[];
  /** @default the module that hosts the channels there are */
  readonly workerEntry?: URL;
  /** Model servers to offer while none is set up. @default nobody looks for them */
  readonly findLocalServers?: FindLocalServers;
}

/** A running gateway; dispose of it to stop it. */
export class Gateway implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #owned: AsyncDisposableStack;
  readonly #print: (line: string) => void;

  /**
   * Starts everything, or nothing.
   *
   * @throws {LockedError} when another process has the state folder or the workspace
   * @throws {StartError} when one of them, the journal or the port cannot be used
   */
  static async start(options: GatewayOptions): Promise<Gateway> {
    await using opening = new AsyncDisposableStack();
    const parts = await startParts(options, opening);
    return new Gateway(parts, opening.move(), options.print);
  }

  private constructor(parts: Parts, owned: AsyncDisposableStack, print: (line: string) => void) {
    this.#parts = parts;
    this.#owned = owned;
    this.#print = print;
  }

  /** How it is. */
  health(): Promise<HealthReport> {
    return this.#parts.report();
  }

  /** `http://…/health`, or undefined where it is not served. */
  get healthUrl(): string | undefined {
    return this.#parts.healthServer?.url;
  }

  /**
   * Stops in reverse order: input, running turns (for a grace period), waiting replies, channels,
   * actors, journal. Stopping twice does nothing more.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#owned.disposed) return;
    await drain(this.#parts.core, this.#parts.channels, this.#print);
    await this.#owned.disposeAsync();
  }
}

/** What runs. */
interface Parts {
  readonly core: Core;
  readonly channels: ReadonlyMap<string, ActorRef<ChannelActorMessage>>;
  readonly healthServer: HealthServer | undefined;
  readonly report: () => Promise<HealthReport>;
}

async function startParts(asked: GatewayOptions, owned: AsyncDisposableStack): Promise<Parts> {
  const { options, hasHealth } = withinRights(asked);
  const { loaded, version, world, print, isWhole, findLocalServers } = options;
  const startedAtMs = world.clock.now();
  const uptimeMs = () => world.clock.now() - startedAtMs;

  const { command = DEFAULT_COMMAND } = options;
  owned.use(await takeLocks(loaded.locations, { clock: world.clock, command }));
  const journal = owned.use(await openGround(options));
  const { promise: isServing, resolve: tellServing } = Promise.withResolvers<void>();
  const shell = owned.use(wireShell(loaded, world, isWhole ? isServing : undefined));
  owned.defer(tellServing); // of a start that fails, too: the shell's end waits for its beginning
  // It outlives the actors, whose last calls it records.
  let needsOf: WiredServices["needsOf"] = () => undefined;
  const audit = owned.use(
    await openAudit(loaded, { ...world, needsOf: (tool) => needsOf(tool) }),
  );
  // It outlives the actors, too, which end their servers.
  const connector = owned.use(mcpConnector({ loaded, version, world }));
  const events = owned.use(openEventPublisher<KernelEvent>("gateway"));
  const system = owned.use(
    new ActorSystem({
      ...world,
      onEvent: (event) => events.publish(event),
      onDeadLetter: ({ actor, reason, error }) =>
        logger.warn("A message to {actor} was not handled ({reason}) {error}", {
          actor,
          reason,
          error: error?.message ?? "",
        }),
    }),
  );
  const shellTools = shell.tools((definition) => system.spawn(definition));
  const services = wireServices({
    ...{ loaded, version, world, journal, uptimeMs, isWhole },
    spawn: (definition) => system.spawn(definition),
    findLocalServers,
    shell: { ...shell, tools: shellTools },
  });
  owned.use(services.hosts);
  needsOf = services.needsOf;
  await addPlugins(options, services, owned);
  const mcp = connector && addMcp(options, services, { system, connector });
  print(services.modelLine);
  print(await services.memory.line);
  if (services.hostsLine !== undefined) print(services.hostsLine);
  for (const line of missingFolderLines(loaded.config.tools, lacksFolder)) print(line);

  const { core, channels } = startActors(options, { system, journal, services, audit });
  if (isWhole) {
    const outbox = (name: string) => core.outboxes.get(name);
    await announceRestart({ journal, clock: world.clock, outbox });
  }
  const { automation } = services;
  if (isWhole) {
    for (const line of [await automation.line(), services.heartbeat.line]) {
      print(line);
    }
  }
  const report = () =>
    reportHealth({
      version,
      jobs: () => automation.report(),
      uptimeMs,
      deadLetters: () => system.deadLetters,
      journal,
      gate: core.gate,
      router: core.router,
      channels,
      outboxes: core.outboxes,
      mcp: mcp && (() => mcp.report()),
    });
  if (!isWhole) {
    print(await services.toolsLine);
    return { core, channels, healthServer: undefined, report };
  }
  const { host, port } = loaded.config.gateway;
  const healthServer = hasHealth
    ? owned.use(HealthServer.listen({ host, port, report }))
    : undefined;
  const healthUrl = healthServer?.url ?? "";
  print(`Health: ${healthServer?.url ?? "off"}`);
  const { modelLine: model } = services;
  const stranded = strandedIn(journal, (acted) => core.rowChanged(acted));
  const ofSessions = sessionHandlers({ recall: services.recall, router: core.router });
  const sessions = [...ofSessions, ...automation.handlers()];
  await openControl(options, owned, { startedAtMs, model, healthUrl, report, stranded, sessions });
  const media = mediaFolderAt(loaded.locations.mediaFolder);
  owned.use(new MediaKeeper(world.clock, media, loaded.config.channels));
  tellServing();
  printOnceKnown(services.toolsLine, print, owned);
  return { core, channels, healthServer, report };
}

/** Adds the tools of others; what is wrong with one of them is told, and costs that one. */
async function addPlugins(
  { loaded, world, print }: GatewayOptions,
  { addTools, toolNames, shared }: WiredServices,
  owned: AsyncDisposableStack,
): Promise<void> {
  if (loaded.config.tools.plugins.length === 0) return;
  const { workspace } = shared.settings;
  const taken = new Set(toolNames);
  const plugins = owned.use(await wirePlugins({ loaded, workspace, world, taken }));
  addTools(plugins.tools);
  for (const line of plugins.lines) print(line);
}

/** Connects to servers in the background; turns wait a while for those that are on their way. */
function addMcp(
  { loaded, print }: GatewayOptions,
  { offerTools, settleTools }: WiredServices,
  { system, connector }: { readonly system: ActorSystem; readonly connector: McpConnector },
): WiredMcp {
  const spawn = <M>(definition: ActorDefinition<M>) => system.spawn(definition);
  const mcp = wireMcp({ loaded, connector, print, spawn, offerTools });
  settleTools((signal) => mcp.settled(signal));
  return mcp;
}

/** The options without what this process has no right to; a line tells of each missing flag. */
function withinRights(
  options: GatewayOptions,
): { readonly options: GatewayOptions; readonly hasHealth: boolean } {
  if (!options.isWhole) return { options, hasHealth: false };
  const { loaded, isHealthOff, lines } = checkRights(options.loaded);
  for (const line of lines) options.print(line);
  return { options: { ...options, loaded }, hasHealth: !isHealthOff };
}

/** Prints a line that the start does not wait for; one that comes after the end stays unsaid. */
function printOnceKnown(
  line: Promise<string>,
  print: (line: string) => void,
  owned: AsyncDisposableStack,
): void {
  const ending = new AbortController();
  owned.defer(() => ending.abort());
  void line.then((text) => ending.signal.aborted || print(text));
}

/** The journal and the workspace, which the locks keep for this process alone. */
async function openGround({ loaded, world, print }: GatewayOptions): Promise<Journal> {
  const { stateFolder, workspace } = loaded.locations;
  await using opening = new AsyncDisposableStack();
  const journal = opening.use(openJournal(stateFolder, world));
  print(`Journal: ${journalPath(stateFolder)}`);
  for (const path of await syncWorkspace(workspace)) print(`Workspace: made ${path}`);
  await placeBundledSkills(loaded.locations.configFolder);
  print(`Workspace: ${workspace}`);
  opening.move();
  return journal;
}

/** What the actors stand on. */
interface Ground {
  readonly system: ActorSystem;
  readonly journal: Journal;
  readonly services: WiredServices;
  readonly audit: AuditPort;
}

function startActors(
  options: GatewayOptions,
  { system, journal, services, audit }: Ground,
): Pick<Parts, "core" | "channels"> {
  const { loaded, print, isWhole, localChannels = [], workerEntry = WORKER_ENTRY } = options;
  const { config, locations } = loaded;
  const { onRestart: request, world: { clock } } = options;
  const restart = request && restartPort({ clock, request });
  const { defaults } = config.agents;
  const { transcribeFolder } = services;
  const platforms = isWhole
    ? platformChannels({ config, locations, workerEntry, transcribeFolder })
    : [];
  const local = localChannels.map((channel) => localChannel(channel, locations.mediaFolder));
  const { workspace } = services.shared.settings;
  const sessions = join(workspace, "sessions");
  const approval = approvalRules({
    config,
    platforms: platforms.map(({ name }) => name),
    secrets: loaded.secrets.values,
    surroundings: { folder: workspace, home: userHomeFolder() },
  });
  const isOwner = ownerCheck(config.owners);
  const preloadModel = preloadOnce(services.preloadModel);
  const shared = { ...services.shared, isOwner, restart, audit, approval };
  const core = startCore({
    system,
    journal,
    channels: [...local, ...platforms],
    permitsMax: defaults.maxConcurrentRequests,
    subagentsMax: defaults.maxConcurrentSubagents,
    isUnified: defaults.unifiedSession,
    recovers: isWhole,
    progress: config.channels,
    sendAttemptsMax: config.channels.sendMaxRetries,
    owners: config.owners,
    ...(isWhole && { retention: config.gateway.retention }),
    ...(isWhole && defaults.idleCompactAfterMinutes > 0 && {
      idleCompaction: {
        clock,
        idleMs: defaults.idleCompactAfterMinutes * 60_000,
        files: services.shared.files,
        list: () => listSessionFiles(sessions),
      },
    }),
    eraseSession: (sessionKey) => eraseSession(sessionKey, services.shared),
    sessionsOf: (channel, router) => {
      const list = () => listSessionFiles(sessions);
      return channelSessions(channel, { ...services.shared, list, router });
    },
    startSession: (spawn, sessionKey, router, surroundings) => {
      preloadModel(); // beside the session's own beginning
      return spawn(sessionActor(sessionKey, { ...shared, ...surroundings }, router));
    },
  });
  const { gate, alarms } = core;
  services.memory.connect({ gate, alarms, outbox: (name) => core.outboxes.get(name) });
  if (isWhole) void wakeEndedSessions(journal, core.router);
  const channels = core.startChannels();
  services.automation.start({ spawn: (definition) => system.spawn(definition), core });
  if (isWhole) services.heartbeat.start({ spawn: (definition) => system.spawn(definition), core });
  if (isWhole) printChannels(platforms.map(({ name }) => name), loaded, print);
  return { core, channels };
}

/** What the control door tells of. */
interface ControlFacts {
  readonly startedAtMs: number;
  readonly model: string;
  readonly healthUrl: string;
  readonly report: () => Promise<HealthReport>;
  readonly stranded: StrandedMessages;
  readonly sessions: readonly ControlHandler[];
}

/** Opens the control door; a gateway without one still serves its chats. */
async function openControl(
  { loaded, version, world, print, command, handlers = [] }: GatewayOptions,
  owned: AsyncDisposableStack,
  { report, stranded, sessions, ...facts }: ControlFacts,
): Promise<void> {
  const { configFile, workspace, stateFolder } = loaded.locations;
  try {
    const own = gatewayHandlers({
      facts: {
        ...facts,
        pid: processId(),
        command: command ?? DEFAULT_COMMAND,
        configFile,
        workspace,
        stateFolder,
      },
      health: report,
      stranded,
    });
    const door = owned.use(
      new ControlDoor({
        listener: await listenControl(stateFolder),
        handlers: [...own, ...sessions, ...handlers],
        clock: world.clock,
        version,
      }),
    );
    print(`Control: ${door.place}`);
  } catch (error) {
    print(`Control: off, so commands cannot reach this gateway: ${asError(error).message}`);
  }
}

function printChannels(
  enabled: readonly string[],
  { config }: LoadedConfig,
  print: (line: string) => void,
): void {
  if (enabled.length === 0) print("Channels: none is enabled (set channels.<name>.enabled)");
  else print(`Channels: ${enabled.join(", ")}`);
  for (const [name, { allowFrom }] of Object.entries(config.channels.enabled)) {
    if (allowFrom.length === 0) {
      print(`  ${name}: channels.${name}.allowFrom is empty, so nobody may write to it`);
    }
  }
}
