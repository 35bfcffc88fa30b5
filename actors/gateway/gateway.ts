/**
 * A gateway: everything that a configuration describes, started in the order in which one part
 * needs the other, and stopped in reverse.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Journal } from "../journal/journal.ts";
import type { SqliteJournal } from "../journal/sqlite_journal.ts";
import { openEventPublisher } from "../kernel/adapters/event_channel.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import type { KernelEvent } from "../kernel/events.ts";
import { liveView } from "../kernel/live_view.ts";
import { ActorSystem } from "../kernel/system.ts";
import type { HooksPort } from "../tools/hooks/hook_event.ts";
import { syncWorkspace } from "../session/adapters/workspace_template.ts";
import { placeBundledSkills } from "../session/skills/adapters/bundled_skills.ts";
import { untoldSubagents } from "../session/subagents/untold.ts";
import { startActors, type StartedActors } from "./actor_wiring.ts";
import type { ApiServer } from "./adapters/api_server.ts";
import { withinFence } from "./backup/fenced_options.ts";
import { snapshotHandler } from "./backup/snapshot.ts";
import { HealthServer } from "./adapters/health_server.ts";
import { lacksFolder, realFolder } from "./adapters/local_folders.ts";
import { mediaFolderAt } from "./adapters/media_folder.ts";
import { wireApi, type WiredApi } from "./api_wiring.ts";
import { openControl } from "./control_opening.ts";
import { drain } from "./drain.ts";
import { missingFolderLines } from "./extra_folders.ts";
import { DEFAULT_COMMAND, type GatewayOptions } from "./gateway_options.ts";
import { type HealthReport, reportHealth } from "./health.ts";
import { wireHooks } from "./hook_wiring.ts";
import { knownSecrets } from "./live/known_secrets.ts";
import { startLiveConfig } from "./live/live_config.ts";
import { takeLocks } from "./locks.ts";
import { type McpConnector, mcpConnector } from "./mcp_servers.ts";
import { type WiredMcp, wireMcp } from "./mcp_wiring.ts";
import { MediaKeeper } from "./media_keeper.ts";
import { wirePlugins } from "./plugin_wiring.ts";
import { announceRestart } from "./restart.ts";
import { checkRights } from "./rights/check_rights.ts";
import { openAudit } from "./rights/open_audit.ts";
import { type WiredServices, wireServices } from "./service_wiring.ts";
import { sessionHandlers } from "./session_desk.ts";
import { wireShell } from "./shell_wiring.ts";
import { journalPath, openJournal } from "./state_journal.ts";
import { strandedIn } from "./stranded.ts";
import { type WiredWatch, wireWatch } from "./watch/watch_wiring.ts";
import type { World } from "./world.ts";

const logger = getLogger(["troupe", "gateway"]);

/** A gate that nobody has passed yet is closed at once. */
const GATE_CLOSED_MS = 5_000;

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

  /** Subagents of a conversation that work, or whose result waits. @throws {JournalError} */
  untoldSubagents(sessionKey: string): Promise<number> {
    return untoldSubagents(sessionKey, this.#parts.journal);
  }

  /** Where the API is, as clients call its base URL; undefined where it is not served. */
  get apiUrl(): string | undefined {
    return this.#parts.apiServer?.url;
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
interface Parts extends StartedActors {
  readonly journal: Journal;
  readonly healthServer: HealthServer | undefined;
  readonly apiServer: ApiServer | undefined;
  readonly report: () => Promise<HealthReport>;
}

async function startParts(asked: GatewayOptions, owned: AsyncDisposableStack): Promise<Parts> {
  const { fence, options: allowed } = await withinFence(asked);
  const { options, hasHealth } = withinRights(allowed);
  // Inside a fence there is a door and a health endpoint, and nothing acts by itself.
  const acting: GatewayOptions = { ...options, isWhole: options.isWhole && fence === null };
  const { loaded, version, world, print, isWhole, isApiOnly = false, findLocalServers } = options;
  const isScheduled = acting.isWhole && !isApiOnly;
  const startedAtMs = world.clock.now();
  const uptimeMs = () => world.clock.now() - startedAtMs;

  const { command = DEFAULT_COMMAND } = options;
  owned.use(await takeLocks(loaded.locations, { clock: world.clock, command }));
  const journal = owned.use(await openGround(options));
  const { promise: isServing, resolve: tellServing } = Promise.withResolvers<void>();
  const shell = owned.use(wireShell(loaded, world, isWhole ? isServing : undefined));
  owned.defer(tellServing); // of a start that fails, too: the shell's end waits for its beginning
  let inForce = () => loaded;
  const secretsNow = knownSecrets(() => inForce());
  // It outlives the actors, whose last calls it records.
  let needsOf: WiredServices["needsOf"] = () => undefined;
  const audit = owned.use(
    await openAudit(loaded, { ...world, needsOf: (tool) => needsOf(tool), secretsNow }),
  );
  // They hear of what the actors do last.
  const hooks = await addHooks(options, secretsNow, owned);
  // It outlives the actors, too, which end their servers.
  const connector = owned.use(mcpConnector({ loaded, version, world }));
  const watch = await wireWatch(() => inForce(), world);
  const system = openSystem(world, watch, owned);
  const shellTools = shell.tools((definition) => system.spawn(definition));
  const services = wireServices({
    ...{ loaded, version, world, journal, uptimeMs, isScheduled },
    watch: watch.watching,
    spawn: (definition) => system.spawn(definition),
    ...{ findLocalServers, provider: options.provider, providers: options.providers },
    shell: { ...shell, tools: shellTools },
  });
  inForce = () => services.now().loaded;
  owned.use(services.hosts);
  needsOf = services.needsOf;
  addOwnTools(options, services);
  await addPlugins(options, services, owned);
  const mcp = connector && addMcp(options, services, { system, connector });
  print(services.modelLine);
  print(await services.memory.line);
  if (services.hostsLine !== undefined) print(services.hostsLine);
  for (const line of missingFolderLines(loaded.config.tools, lacksFolder)) print(line);

  const api = acting.isWhole && loaded.config.api.enabled ? wireApi(loaded, world) : undefined;
  const actors = startActors(withApi(acting, api), {
    ...{ system, journal, services, hooks },
    audit: watch.audit(audit),
    watch: watch.watching,
  });
  const { core, channels } = actors;
  if (fence !== null) await closeGate(core);
  const { edits } = options;
  const live = edits && startLiveConfig({
    ...{ edits, actors, services, shell, print },
    spawn: (definition) => system.spawn(definition),
  });
  const { automation, heartbeat } = services;
  if (acting.isWhole) {
    const outbox = (name: string) => core.outboxes.get(name);
    await announceRestart({ journal, clock: world.clock, outbox });
    if (!isApiOnly) print(await automation.line());
    if (!isApiOnly) print(heartbeat.line);
  }
  const report = () =>
    reportHealth({
      version,
      jobs: () => automation.report(),
      heartbeat: isScheduled ? services.heartbeat.report : undefined,
      fence,
      uptimeMs,
      deadLetters: () => system.deadLetters,
      journal,
      gate: core.gate,
      router: core.router,
      channels,
      outboxes: core.outboxes,
      mcp: mcp && (() => mcp.report()),
      config: live?.report,
    });
  if (!isWhole) {
    print(await services.toolsLine);
    return { journal, ...actors, healthServer: undefined, apiServer: undefined, report };
  }
  const healthServer = hasHealth ? owned.use(listenForHealth(loaded, report, watch)) : undefined;
  if (!isApiOnly) print(`Health: ${healthServer?.url ?? "off"}`);
  const apiServer = api && owned.use(api.listen(journal, () => services.now().loaded));
  if (apiServer !== undefined) print(`API: ${apiServer.url}`);
  const { recall, shared: { settings: { workspace } } } = services;
  const { stateFolder } = loaded.locations;
  const snapshotGround = { journal, stateFolder, workspace, newId: world.newId };
  const replayed = { workspace, journal, defer: world.defer };
  const sessions = sessionHandlers({ recall, router: core.router, journal, replayed });
  await openControl(options, owned, {
    startedAtMs,
    model: services.modelLine,
    healthUrl: healthServer?.url ?? "",
    report,
    stranded: strandedIn(journal, (acted) => core.rowChanged(acted)),
    isFenced: fence !== null,
    sessions: [
      snapshotHandler(snapshotGround),
      ...sessions,
      ...automation.handlers(),
      ...live?.handlers ?? [],
      watch.top({ report, glances: () => system.glances() }),
    ],
  });
  const media = mediaFolderAt(loaded.locations.mediaFolder);
  const bounds = liveView(() => services.now().loaded.config.channels);
  owned.use(new MediaKeeper(world.clock, media, bounds));
  tellServing();
  printOnceKnown(services.toolsLine, print, owned);
  return { journal, ...actors, healthServer, apiServer, report };
}

/** The API is one more channel. */
function withApi(options: GatewayOptions, api: WiredApi | undefined): GatewayOptions {
  if (api === undefined) return options;
  return { ...options, localChannels: [...options.localChannels ?? [], api.local] };
}

/** Whatever wakes a session inside a fence, no turn begins. */
async function closeGate({ gate }: Pick<StartedActors["core"], "gate">): Promise<void> {
  await gate.ask<"empty">((replyTo) => ({ type: "close_gate", replyTo }), {
    timeoutMs: GATE_CLOSED_MS,
  });
}

/** The actors' home, whose events go out, and whose dead letters are logged. */
function openSystem(
  world: World,
  watch: WiredWatch,
  owned: AsyncDisposableStack,
): ActorSystem {
  const events = owned.use(openEventPublisher<KernelEvent>("gateway"));
  return owned.use(
    new ActorSystem({
      ...world,
      onEvent: (event) => {
        watch.happened(event);
        events.publish(event);
      },
      onDeadLetter: ({ actor, reason, error }) =>
        logger.warn("A message to {actor} was not handled ({reason}) {error}", {
          actor,
          reason,
          error: error?.message ?? "",
        }),
    }),
  );
}

function listenForHealth(
  { config: { gateway: { host, port } } }: LoadedConfig,
  report: () => Promise<HealthReport>,
  watch: WiredWatch,
): HealthServer {
  return HealthServer.listen({ host, port, report, metrics: watch.metrics });
}

/** Adds the tools of the program around the gateway. */
function addOwnTools(
  { tools = [] }: GatewayOptions,
  { addTools, toolNames }: WiredServices,
): void {
  const names = tools.map(({ name }) => name);
  const taken = names.find((name, index) =>
    toolNames.includes(name) || names.indexOf(name) < index
  );
  if (taken !== undefined) throw new TypeError(`Cannot add tool "${taken}": its name is taken`);
  addTools(tools);
}

/** Adds the tools of others; what is wrong with one of them is told, and costs that one. */
async function addPlugins(
  { loaded, world, print, tools = [] }: GatewayOptions,
  { addTools, toolNames, shared }: WiredServices,
  owned: AsyncDisposableStack,
): Promise<void> {
  if (loaded.config.tools.plugins.length === 0) return;
  const { workspace } = shared.settings;
  const taken = new Set([...toolNames, ...tools.map(({ name }) => name)]);
  const plugins = owned.use(await wirePlugins({ loaded, workspace, world, taken }));
  addTools(plugins.tools);
  for (const line of plugins.lines) print(line);
}

/** Starts the owner's own code; what is wrong with a piece of it is told. */
async function addHooks(
  { loaded, world, print }: GatewayOptions,
  secretsNow: () => readonly string[],
  owned: AsyncDisposableStack,
): Promise<HooksPort | undefined> {
  const workspace = realFolder(loaded.locations.workspace);
  const hooks = await wireHooks({ loaded, workspace, world, secretsNow });
  if (hooks === undefined) return undefined;
  owned.use(hooks);
  for (const line of hooks.lines) print(line);
  return hooks.port;
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
  return { options: { ...options, loaded }, hasHealth: !isHealthOff && options.isApiOnly !== true };
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
async function openGround({ loaded, world, print }: GatewayOptions): Promise<SqliteJournal> {
  const { stateFolder, workspace } = loaded.locations;
  await using opening = new AsyncDisposableStack();
  const journal = opening.use(openJournal(stateFolder, world));
  print(`Journal: ${journalPath(stateFolder)}`);
  const { made, renewed } = await syncWorkspace(workspace);
  for (const path of made) print(`Workspace: made ${path}`);
  for (const path of renewed) print(`Workspace: renewed ${path}, which nobody had changed`);
  await placeBundledSkills(loaded.locations.configFolder);
  print(`Workspace: ${workspace}`);
  opening.move();
  return journal;
}
