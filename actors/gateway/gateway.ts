/**
 * A gateway: everything that a configuration describes, started in the order in which one part
 * needs the other, and stopped in reverse.
 * @module
 */

import type { LoadedConfig } from "../config/load_config.ts";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import { liveView } from "../kernel/live_view.ts";
import { untoldSubagents } from "../session/subagents/untold.ts";
import { startActors, type StartedActors } from "./actor_wiring.ts";
import { mediaFolderAt } from "./adapters/media_folder.ts";
import type { WiredApi } from "./api_wiring.ts";
import { withinFence } from "./backup/fenced_options.ts";
import { type Doors, openDoors } from "./doors.ts";
import { drain } from "./drain.ts";
import type { GatewayOptions } from "./gateway_options.ts";
import { type Ground, layGround } from "./ground.ts";
import { type HealthReport, type HealthSources, reportHealth } from "./health.ts";
import { type LiveConfig, startLiveConfig } from "./live/live_config.ts";
import { MediaKeeper } from "./media_keeper.ts";
import { announceRestart } from "./restart.ts";
import { checkRights } from "./rights/check_rights.ts";
import type { World } from "./world.ts";

/** A gate that nobody has passed yet is closed at once. */
const GATE_CLOSED_MS = 5_000;

/** Whoever waited for the start looks at `/health` by then, or did not wait for it. */
const LOOK_WAIT_MS = 60;

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
    return this.#parts.apiUrl;
  }

  /** `http://…/health`, or undefined where it is not served. */
  get healthUrl(): string | undefined {
    return this.#parts.healthUrl;
  }

  /**
   * Stops in reverse order: input, running turns (for a grace period), waiting replies, channels,
   * actors, journal. Stopping twice does nothing more.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#owned.disposed) return;
    const { core, channels, journal: { lost } } = this.#parts;
    await drain(core, channels, { lost, print: this.#print });
    await this.#owned.disposeAsync();
  }
}

/** What runs. */
interface Parts extends StartedActors, Doors {
  readonly journal: Journal;
  readonly report: () => Promise<HealthReport>;
}

async function startParts(asked: GatewayOptions, owned: AsyncDisposableStack): Promise<Parts> {
  const { fence, options: allowed } = await withinFence(asked);
  const { options, hasHealth } = withinRights(allowed);
  // Inside a fence there is a door and a health endpoint, and nothing acts by itself.
  const acting: GatewayOptions = { ...options, isWhole: options.isWhole && fence === null };
  const { loaded, world, print, isWhole, isApiOnly = false, edits } = options;
  const isScheduled = acting.isWhole && !isApiOnly;
  const ground = await layGround(options, isScheduled, owned);
  const { journal, services, system, watch } = ground;
  const { enabled: hasApi } = loaded.config.api;
  const api = acting.isWhole && hasApi ? await wiredApi(loaded, world) : undefined;
  const actors = startActors(withApi(acting, api), { ...ground, watch: watch.watching });
  if (fence !== null) await closeGate(actors.core);
  const live = edits && startLiveConfig({
    ...{ edits, actors, services, shell: ground.shell, mcp: ground.mcp },
    ...{ hooks: ground.hooks, print },
    spawn: (definition) => system.spawn(definition),
  });
  if (acting.isWhole) await announce(acting, ground, actors);
  const looked = Promise.withResolvers<void>();
  const report = async () => {
    const found = await reportHealth({
      ...healthSources(ground, actors, live),
      ...{ version: options.version, fence },
      heartbeat: isScheduled ? services.heartbeat.report : undefined,
    });
    looked.resolve();
    return found;
  };
  if (!isWhole) {
    // It is there for a question. Deno clears the terminal's line for what is imported later.
    const preloaded = services.preloadModel().catch(() => {}); // the question will say why
    print(await services.toolsLine);
    await preloaded;
    return { ...actors, journal, healthUrl: undefined, apiUrl: undefined, report };
  }
  const isFenced = fence !== null;
  const doors = await openDoors(options, owned, {
    ...ground,
    ...{ actors, live, api, hasHealth, isFenced, report },
  });
  const media = mediaFolderAt(loaded.locations.mediaFolder);
  const bounds = liveView(() => services.now().loaded.config.channels);
  owned.use(new MediaKeeper(world.clock, media, bounds));
  ground.tellServing();
  if (acting.isWhole) {
    recoverSoon(actors.core, { clock: world.clock, looked: looked.promise }, owned);
  }
  printOnceKnown(services.toolsLine, print, owned);
  return { ...actors, journal, ...doors, report };
}

/** A thousand waiting conversations take a while to wake: the first look should not wait for that. */
function recoverSoon(
  core: StartedActors["core"],
  { clock, looked }: { readonly clock: Clock; readonly looked: Promise<void> },
  owned: AsyncDisposableStack,
): void {
  const due = Promise.withResolvers<void>();
  const timer = clock.setTimer(LOOK_WAIT_MS, due.resolve);
  const ending = new AbortController();
  owned.defer(() => {
    timer.cancel();
    ending.abort();
  });
  void Promise.race([looked, due.promise]).then(() => {
    timer.cancel();
    if (!ending.signal.aborted) core.recover();
  });
}

async function wiredApi(loaded: LoadedConfig, world: World): Promise<WiredApi> {
  const { wireApi } = await import("./api_wiring.ts");
  return wireApi(loaded, world);
}

/** Who is asked how the gateway is. */
function healthSources(
  { journal, services: { automation }, system, mcp, uptimeMs }: Ground,
  { core: { gate, router, outboxes }, channels }: StartedActors,
  live: LiveConfig | undefined,
): Omit<HealthSources, "version" | "fence"> {
  return {
    ...{ journal, uptimeMs, gate, router, outboxes, channels },
    jobs: () => automation.report(),
    deadLetters: () => system.deadLetters,
    mcp: () => mcp.report(),
    config: live?.report,
  };
}

/** Tells whoever asked for a restart that it is over, and what is done by itself from now on. */
async function announce(
  { world: { clock }, print, isApiOnly = false }: GatewayOptions,
  { journal, services: { automation, heartbeat } }: Ground,
  { core }: StartedActors,
): Promise<void> {
  await announceRestart({ journal, clock, outbox: (name) => core.outboxes.get(name) });
  if (isApiOnly) return;
  print(await automation.line());
  print(heartbeat.line);
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
