/**
 * The ways into a running gateway for programs: health and metrics, the API, the control door.
 * @module
 */

import type { StartedActors } from "./actor_wiring.ts";
import { healthServer } from "./adapters/health_server.ts";
import type { WiredApi } from "./api_wiring.ts";
import { snapshotHandler } from "./backup/snapshot.ts";
import type { ControlHandler } from "./control_handler.ts";
import { openControl } from "./control_opening.ts";
import type { GatewayOptions } from "./gateway_options.ts";
import type { Ground } from "./ground.ts";
import type { HealthReport } from "./health.ts";
import type { LiveConfig } from "./live/live_config.ts";
import { sessionHandlers } from "./session_desk.ts";
import { strandedIn } from "./stranded.ts";

/** Where they are, as people and programs are told; undefined where there is none. */
export interface Doors {
  readonly healthUrl: string | undefined;
  readonly apiUrl: string | undefined;
}

/** What they lead to. */
export interface DoorsGround extends Ground {
  readonly actors: StartedActors;
  readonly live: LiveConfig | undefined;
  readonly api: WiredApi | undefined;
  /** Whether there is to be a health endpoint. */
  readonly hasHealth: boolean;
  readonly isFenced: boolean;
  readonly report: () => Promise<HealthReport>;
}

/**
 * Opens them, once all else is up.
 *
 * @throws {StartError} when a port is taken, or a host no address of this machine
 */
export async function openDoors(
  options: GatewayOptions,
  owned: AsyncDisposableStack,
  ground: DoorsGround,
): Promise<Doors> {
  const { loaded, print, isApiOnly = false } = options;
  const { journal, services, watch, report, api, hasHealth, isFenced, startedAtMs } = ground;
  const { host, port } = loaded.config.gateway;
  const { metrics } = watch;
  const health = hasHealth
    ? owned.use(await healthServer({ host, port, report, metrics }))
    : undefined;
  if (!isApiOnly) print(`Health: ${health?.url ?? "off"}`);
  const serving = api && owned.use(await api.listen(journal, () => services.now().loaded));
  if (serving !== undefined) print(`API: ${serving.url}`);
  await openControl(options, owned, {
    ...{ startedAtMs, report, isFenced },
    model: () => services.modelLine,
    healthUrl: health?.url ?? "",
    stranded: strandedIn(journal, (acted) => ground.actors.core.rowChanged(acted)),
    sessions: handlersOf(options, ground),
  });
  return { healthUrl: health?.url, apiUrl: serving?.url };
}

/** What is answered at the control door besides questions about the gateway itself. */
function handlersOf(
  { loaded, world }: GatewayOptions,
  { journal, services, system, watch, report, live, actors: { core: { router } } }: DoorsGround,
): readonly ControlHandler[] {
  const { recall, automation, shared: { settings: { workspace } } } = services;
  const { stateFolder } = loaded.locations;
  const { newId, defer } = world;
  return [
    snapshotHandler({ journal, stateFolder, workspace, newId }),
    ...sessionHandlers({ recall, router, journal, replayed: { workspace, journal, defer } }),
    ...automation.handlers(),
    ...live?.handlers ?? [],
    watch.top({ report, glances: () => system.glances() }),
  ];
}
