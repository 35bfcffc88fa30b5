/**
 * What the actors of a gateway stand on, each part after those that it needs: locks, journal, shell,
 * hooks, model, memory, tools.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { SqliteJournal } from "../journal/sqlite_journal.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import { openEventPublisher } from "../kernel/adapters/event_channel.ts";
import type { KernelEvent } from "../kernel/events.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { ActorSystem } from "../kernel/system.ts";
import { syncWorkspace } from "../session/adapters/workspace_template.ts";
import { placeBundledSkills } from "../session/skills/adapters/bundled_skills.ts";
import type { AuditPort } from "../tools/audit/audit_entry.ts";
import { lacksFolder, realFolder } from "./adapters/local_folders.ts";
import { missingFolderLines } from "./extra_folders.ts";
import { DEFAULT_COMMAND, type GatewayOptions } from "./gateway_options.ts";
import { LiveHooks } from "./hook_wiring.ts";
import { knownSecrets } from "./live/known_secrets.ts";
import { takeLocks } from "./locks.ts";
import { McpConnector } from "./mcp_servers.ts";
import type { LiveToolbox } from "./live_toolbox.ts";
import { type WiredMcp, wireMcp } from "./mcp_wiring.ts";
import { wirePlugins } from "./plugin_wiring.ts";
import { openAudit } from "./rights/open_audit.ts";
import { type WiredServices, wireServices } from "./service_wiring.ts";
import { type WiredShell, wireShell } from "./shell_wiring.ts";
import { journalPath, openJournal } from "./state_journal.ts";
import { type WiredWatch, wireWatch } from "./watch/watch_wiring.ts";
import type { World } from "./world.ts";

const logger = getLogger(["troupe", "gateway"]);

/** All of it. */
export interface Ground {
  readonly startedAtMs: number;
  readonly uptimeMs: () => number;
  readonly journal: SqliteJournal;
  readonly shell: WiredShell;
  readonly audit: AuditPort;
  readonly hooks: LiveHooks;
  readonly watch: WiredWatch;
  readonly system: ActorSystem;
  readonly services: WiredServices;
  /** Undefined where no server is set up. */
  readonly mcp: WiredMcp;
  /** The gateway serves: what would have held up its start may begin. */
  readonly tellServing: () => void;
}

/**
 * Lays it, and tells of each part.
 *
 * @param isScheduled jobs, heartbeat and Dream run by themselves
 * @throws {LockedError} {StartError}
 */
export async function layGround(
  options: GatewayOptions,
  isScheduled: boolean,
  owned: AsyncDisposableStack,
): Promise<Ground> {
  const { loaded, version, world, print, isWhole, command = DEFAULT_COMMAND } = options;
  const { findLocalServers, provider, providers } = options;
  const startedAtMs = world.clock.now();
  const uptimeMs = () => world.clock.now() - startedAtMs;
  owned.use(await takeLocks(loaded.locations, { clock: world.clock, command }));
  const journal = owned.use(await openStores(options));
  const { promise: isServing, resolve: tellServing } = Promise.withResolvers<void>();
  const shell = owned.use(wireShell(loaded, world, isWhole ? isServing : undefined));
  owned.defer(tellServing); // of a start that fails, too: the shell's end waits for its beginning
  let inForce = () => loaded;
  const secretsNow = knownSecrets(() => inForce());
  // It outlives the actors, whose last calls it records.
  let needsOf: LiveToolbox["needsOf"] = () => undefined;
  const audit = owned.use(
    await openAudit(loaded, { ...world, needsOf: (tool) => needsOf(tool), secretsNow }),
  );
  // They hear of what the actors do last.
  const hooks = await addHooks(options, secretsNow, owned);
  // It outlives the actors, too, which end their servers.
  const connector = owned.use(new McpConnector({ loaded: () => inForce(), version, world }));
  const watch = await wireWatch(() => inForce(), world);
  const system = openSystem(world, watch, owned);
  const shellTools = shell.tools((definition) => system.spawn(definition));
  const services = wireServices({
    ...{ loaded, version, world, journal, uptimeMs, isScheduled },
    ...{ findLocalServers, provider, providers },
    watch: watch.watching,
    spawn: (definition) => system.spawn(definition),
    shell: { ...shell, tools: shellTools },
  });
  inForce = () => services.now().loaded;
  const { toolbox } = services;
  owned.use(toolbox);
  needsOf = (tool) => toolbox.needsOf(tool);
  addOwnTools(options, services);
  await addPlugins(options, services, owned);
  const mcp = addMcp(options, services, { system, connector });
  print(services.modelLine);
  print(await services.memory.line);
  if (toolbox.now.hostsLine !== undefined) print(toolbox.now.hostsLine);
  for (const line of missingFolderLines(loaded.config.tools, lacksFolder)) print(line);
  return {
    ...{ startedAtMs, uptimeMs, journal, shell, hooks, watch, system, services, mcp, tellServing },
    audit: watch.audit(audit),
  };
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

/** Adds the tools of the program around the gateway. */
function addOwnTools(
  { tools = [] }: GatewayOptions,
  { toolbox }: WiredServices,
): void {
  const names = tools.map(({ name }) => name);
  const made = toolbox.now.tools.map(({ name }) => name);
  const taken = names.find((name, index) => made.includes(name) || names.indexOf(name) < index);
  if (taken !== undefined) throw new TypeError(`Cannot add tool "${taken}": its name is taken`);
  toolbox.add(tools);
}

/** Adds the tools of others; what is wrong with one of them is told, and costs that one. */
async function addPlugins(
  { loaded, world, print, tools = [] }: GatewayOptions,
  { toolbox, shared }: WiredServices,
  owned: AsyncDisposableStack,
): Promise<void> {
  if (loaded.config.tools.plugins.length === 0) return;
  const { workspace } = shared.settings;
  const taken = new Set([...toolbox.now.tools, ...tools].map(({ name }) => name));
  const plugins = owned.use(await wirePlugins({ loaded, workspace, world, taken }));
  toolbox.add(plugins.tools);
  for (const line of plugins.lines) print(line);
}

/** Starts the owner's own code; what is wrong with a piece of it is told. */
async function addHooks(
  { loaded, world, print }: GatewayOptions,
  secretsNow: () => readonly string[],
  owned: AsyncDisposableStack,
): Promise<LiveHooks> {
  const workspace = realFolder(loaded.locations.workspace);
  return owned.use(await LiveHooks.open({ loaded, workspace, world, secretsNow, print }));
}

/** Connects to servers in the background; turns wait a while for those that are on their way. */
function addMcp(
  { loaded, print }: GatewayOptions,
  { toolbox }: WiredServices,
  { system, connector }: { readonly system: ActorSystem; readonly connector: McpConnector },
): WiredMcp {
  const spawn = <M>(definition: ActorDefinition<M>) => system.spawn(definition);
  const stop = (actor: ActorRef<never>) => system.stop(actor);
  const offerTools = toolbox.offer.bind(toolbox);
  const mcp = wireMcp({ loaded, connector, print, spawn, stop, offerTools });
  toolbox.settleWith((signal) => mcp.settled(signal));
  return mcp;
}

/** The journal and the workspace, which the locks keep for this process alone. */
async function openStores({ loaded, world, print }: GatewayOptions): Promise<SqliteJournal> {
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
