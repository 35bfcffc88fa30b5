/**
 * Starts the actors of a gateway: the core first, then the channels, then what acts by itself.
 * @module
 */

import { join } from "node:path";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Inbound, Journal } from "../journal/journal.ts";
import { DiskTextFiles } from "../kernel/adapters/text_files.ts";
import { userHomeFolder } from "../kernel/adapters/user_home.ts";
import { derived, liveView } from "../kernel/live_view.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { ActorSystem } from "../kernel/system.ts";
import { listSessionFiles } from "../session/adapters/session_folder.ts";
import type { SessionServices } from "../session/ports.ts";
import { sessionActor } from "../session/session.ts";
import { eraseSession } from "../session/session_erasure.ts";
import type { Watch } from "../session/watch.ts";
import type { AuditPort } from "../tools/audit/audit_entry.ts";
import type { HooksPort } from "../tools/hooks/hook_event.ts";
import type { ChannelActorMessage } from "./channel_protocol.ts";
import { channelSessions } from "./channel_sessions.ts";
import { localChannel, platformChannels, WORKER_ENTRY } from "./channel_wiring.ts";
import { type Core, startCore } from "./core.ts";
import type { GatewayOptions } from "./gateway_options.ts";
import { preloadOnce } from "./preload.ts";
import { restartPort } from "./restart.ts";
import { approvalRules } from "./rights/approval_rules.ts";
import { ownerCheck } from "./rights/owner_check.ts";
import type { WiredServices } from "./service_wiring.ts";
import { TroubleNote } from "./trouble_note.ts";

/** What the actors stand on. */
export interface ActorGround {
  readonly system: ActorSystem;
  readonly journal: Journal;
  readonly services: WiredServices;
  readonly audit: AuditPort;
  readonly hooks: HooksPort | undefined;
  readonly watch: Watch;
}

/** What was started. */
export interface StartedActors {
  readonly core: Core;
  readonly channels: ReadonlyMap<string, ActorRef<ChannelActorMessage>>;
  /** Has the platforms of another configuration run; those whose section is the same go on. */
  readonly changeChannels: (next: LoadedConfig) => Promise<void>;
}

/** Starts them, and prints which channels are on. */
export function startActors(
  options: GatewayOptions,
  { system, journal, services, audit, hooks, watch }: ActorGround,
): StartedActors {
  const { loaded, print, isWhole, localChannels = [], workerEntry = WORKER_ENTRY } = options;
  const hasPlatforms = isWhole && options.isApiOnly !== true;
  const { locations } = loaded;
  const { onRestart: request, world: { clock } } = options;
  const restart = request && restartPort({ clock, request });
  const { transcribeFolder, now } = services;
  const platformsOf = ({ config }: LoadedConfig) =>
    hasPlatforms ? platformChannels({ config, locations, workerEntry, transcribeFolder }) : [];
  const platforms = platformsOf(loaded);
  const local = localChannels.map((channel) => localChannel(channel, locations.mediaFolder));
  const { workspace } = services.shared.settings;
  const list = () => listSessionFiles(join(workspace, "sessions"));
  const preloadModel = preloadOnce(services.preloadModel);
  const listeners = new Map(localChannels.map(({ name, listenerOf }) => [name, listenerOf]));
  const listenerOf = (home: Inbound) => listeners.get(home.channel)?.(home);
  const rules = derived(
    now,
    ({ loaded }) => rulesOf(loaded, workspace, platformsOf(loaded).map(({ name }) => name)),
  );
  const revised = derived(services.revised, (revised) => ({ ...revised, ...rules() }));
  const shared = { ...services.shared, ...rules(), restart, audit, hooks, revised, listenerOf };
  const { agents: { defaults } } = loaded.config;
  const idleMs = defaults.idleCompactAfterMinutes * 60_000;
  const { files } = services.shared;
  const core = startCore({
    ...{ system, journal, watch, hooks, restart: request },
    troubleNote: new TroubleNote(new DiskTextFiles(locations.stateFolder)),
    channels: [...local, ...platforms],
    permitsMax: defaults.maxConcurrentRequests,
    subagentsMax: defaults.maxConcurrentSubagents,
    isUnified: defaults.unifiedSession,
    progress: liveView(() => now().loaded.config.channels),
    get sendAttemptsMax() {
      return now().loaded.config.channels.sendMaxRetries;
    },
    get owners() {
      return now().loaded.config.owners;
    },
    ...(isWhole && { retention: liveView(() => now().loaded.config.gateway.retention) }),
    ...(isWhole && idleMs > 0 && { idleCompaction: { clock, idleMs, files, list } }),
    onInbound: (inbound) => services.heartbeat.saw(inbound),
    eraseSession: (sessionKey) => eraseSession(sessionKey, services.shared),
    sessionsOf: (channel, router) => channelSessions(channel, { ...services.shared, list, router }),
    startSession: (spawn, sessionKey, router, surroundings) => {
      preloadModel(); // beside the session's own beginning
      return spawn(sessionActor(sessionKey, { ...shared, ...surroundings }, router));
    },
  });
  const { gate, alarms } = core;
  services.memory.connect({ gate, alarms, outbox: (name) => core.outboxes.get(name) });
  const channels = core.startChannels();
  services.automation.start({ spawn: (definition) => system.spawn(definition), core });
  if (hasPlatforms) {
    services.heartbeat.start({
      spawn: (definition) => system.spawn(definition),
      stop: (actor) => system.stop(actor),
      core,
    });
    printChannels(platforms.map(({ name }) => name), loaded, print);
  }
  const isLocal = (name: string) => local.some((channel) => channel.name === name);
  return {
    core,
    channels,
    changeChannels: (next) => core.changeChannels(platformsOf(next), isLocal),
  };
}

/** Whom the configuration trusts, and with what. */
function rulesOf(
  { config, secrets }: LoadedConfig,
  workspace: string,
  platforms: readonly string[],
): Pick<SessionServices, "isOwner" | "approval"> {
  const surroundings = { folder: workspace, home: userHomeFolder() };
  return {
    isOwner: ownerCheck(config.owners),
    approval: approvalRules({ config, platforms, secrets: secrets.values, surroundings }),
  };
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
