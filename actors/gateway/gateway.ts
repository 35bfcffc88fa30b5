/**
 * A gateway: everything that a configuration describes, started in the order in which one part
 * needs the other, and stopped in reverse.
 * @module
 */

import { join } from "node:path";
import { getLogger } from "@logtape/logtape";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Journal } from "../journal/journal.ts";
import { openSqliteJournal } from "../journal/sqlite_journal.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { ActorSystem } from "../kernel/system.ts";
import { sessionActor } from "../session/session.ts";
import { syncWorkspace } from "../session/adapters/workspace_template.ts";
import { HealthServer } from "./adapters/health_server.ts";
import type { ChannelActorMessage } from "./channel_actor.ts";
import {
  type LocalChannel,
  localChannel,
  platformChannels,
  WORKER_ENTRY,
} from "./channel_wiring.ts";
import { type Core, startCore } from "./core.ts";
import { drain } from "./drain.ts";
import { type HealthReport, reportHealth } from "./health.ts";
import { wireServices } from "./service_wiring.ts";
import type { World } from "./world.ts";

const logger = getLogger(["troupe", "gateway"]);

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly loaded: LoadedConfig;
  readonly version: string;
  readonly world: World;
  /** Gets one line for each part that comes up, or stays off and why. */
  readonly print: (line: string) => void;
  /** Channels in this process, such as the terminal. */
  readonly localChannels?: readonly LocalChannel[];
  /** The configured platforms, recovery and the health endpoint; false for a single errand. */
  readonly isWhole: boolean;
  /** @default the module that hosts the channels there are */
  readonly workerEntry?: URL;
}

/** A running gateway; dispose of it to stop it. */
export class Gateway implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #owned: AsyncDisposableStack;

  /**
   * Starts everything, or nothing.
   *
   * @throws {JournalError} when another process holds the state folder, or it cannot be used
   * @throws {StartError} when a port is taken or the workspace cannot be made
   */
  static async start(options: GatewayOptions): Promise<Gateway> {
    await using opening = new AsyncDisposableStack();
    const parts = await startParts(options, opening);
    return new Gateway(parts, opening.move());
  }

  private constructor(parts: Parts, owned: AsyncDisposableStack) {
    this.#parts = parts;
    this.#owned = owned;
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
    await drain(this.#parts.core, this.#parts.channels);
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

async function startParts(options: GatewayOptions, owned: AsyncDisposableStack): Promise<Parts> {
  const { loaded, version, world, print, isWhole, workerEntry = WORKER_ENTRY } = options;
  const { config, locations } = loaded;
  const startedAtMs = world.clock.now();
  const uptimeMs = () => world.clock.now() - startedAtMs;

  const journal = owned.use(openJournal(locations.stateFolder, world));
  print(`Journal: ${join(locations.stateFolder, "journal.sqlite")}`);
  for (const path of await syncWorkspace(locations.workspace)) print(`Workspace: made ${path}`);
  print(`Workspace: ${locations.workspace}`);

  const services = wireServices({ loaded, version, world, journal, uptimeMs });
  print(services.modelLine);
  print(services.toolsLine);

  const system = owned.use(
    new ActorSystem({
      ...world,
      onDeadLetter: ({ actor, reason, error }) =>
        logger.warn("A message to {actor} was not handled ({reason}) {error}", {
          actor,
          reason,
          error: error?.message ?? "",
        }),
    }),
  );
  const platforms = isWhole ? platformChannels({ config, locations, workerEntry }) : [];
  const local = (options.localChannels ?? []).map((channel) =>
    localChannel(channel, locations.mediaFolder)
  );
  const core = startCore({
    system,
    journal,
    channels: [...local, ...platforms],
    permitsMax: config.agents.defaults.maxConcurrentRequests,
    isUnified: config.agents.defaults.unifiedSession,
    recovers: isWhole,
    progress: config.channels,
    sendAttemptsMax: config.channels.sendMaxRetries,
    startSession: (spawn, sessionKey, router, surroundings) =>
      spawn(sessionActor(sessionKey, { ...services.shared, ...surroundings }, router)),
  });
  const channels = core.startChannels();
  if (isWhole) printChannels(platforms.map(({ name }) => name), loaded, print);

  const report = () =>
    reportHealth({
      version,
      uptimeMs,
      deadLetters: () => system.deadLetters,
      journal,
      gate: core.gate,
      router: core.router,
      channels,
      outboxes: core.outboxes,
    });
  const { host, port } = config.gateway;
  const healthServer = isWhole ? owned.use(HealthServer.listen({ host, port, report })) : undefined;
  if (healthServer !== undefined) print(`Health: ${healthServer.url}`);
  return { core, channels, healthServer, report };
}

function openJournal(stateFolder: string, { clock, defer }: World): Journal {
  return openSqliteJournal({ path: join(stateFolder, "journal.sqlite"), clock, defer });
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
