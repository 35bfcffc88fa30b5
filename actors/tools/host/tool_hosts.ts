/**
 * The tool hosts of a gateway: started at first use, a further one where the others are busy,
 * ended when nobody has needed them for a while.
 * @module
 */

import type { Clock, Timer } from "../../kernel/clock.ts";
import { ToolError } from "../tool.ts";
import type { StartHost } from "./host_link.ts";
import type { HostCall, HostKind, HostSetup } from "./host_protocol.ts";
import { type HostAnswer, ToolHost } from "./tool_host.ts";

/** A host without calls is kept this long. */
const IDLE_MS = 5 * 60_000;
/** A host whose oldest call runs longer than this may be stuck: other calls go elsewhere. */
const BUSY_AFTER_MS = 250;
/** Hosts of one kind at once; past it calls share the one with the fewest. */
const HOSTS_MAX = 4;

/** What the hosts are made from. */
export interface ToolHostsOptions {
  /** What a host of a kind is started with; asked at each start. */
  readonly setupOf: (kind: HostKind) => HostSetup;
  readonly start: StartHost;
  readonly clock: Clock;
}

interface Kept {
  readonly host: ToolHost;
  idle: Timer | undefined;
}

/** Owns the hosts; disposing ends them. */
export class ToolHosts implements Disposable, AsyncDisposable {
  readonly #options: ToolHostsOptions;
  readonly #kept = new Map<HostKind, Set<Kept>>();
  /** Started and not gone yet. */
  readonly #started = new Set<ToolHost>();
  #isDisposed = false;

  constructor(options: ToolHostsOptions) {
    this.#options = options;
  }

  /** How many run now. */
  get size(): number {
    return [...this.#kept.values()].reduce((sum, hosts) => sum + hosts.size, 0);
  }

  /**
   * Runs a call in a host of `kind`, which is started if need be.
   *
   * @throws as {@link ToolHost.call}
   */
  async call(kind: HostKind, call: HostCall, signal: AbortSignal): Promise<HostAnswer> {
    signal.throwIfAborted();
    if (this.#isDisposed) {
      throw new ToolError("host_failed", "Cannot run a tool: the gateway stops");
    }
    const kept = this.#choose(kind);
    kept.idle?.cancel();
    kept.idle = undefined;
    return await kept.host.call(call, signal);
  }

  /** Ends all hosts and waits for that; calls that still run get an error. */
  async [Symbol.asyncDispose](): Promise<void> {
    const started = [...this.#started];
    this[Symbol.dispose]();
    await Promise.all(started.map(({ gone }) => gone));
  }

  /** The same without waiting for their processes to be gone. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const host of this.#started) host.kill("the gateway stops");
  }

  #choose(kind: HostKind): Kept {
    const hosts = this.#kept.get(kind) ?? new Set<Kept>();
    this.#kept.set(kind, hosts);
    const ranked = [...hosts]
      .filter(({ host }) => host.isAlive)
      .toSorted((a, b) => a.host.callsOpen - b.host.callsOpen);
    const free = ranked.find(({ host }) => host.busyForMs <= BUSY_AFTER_MS);
    if (free !== undefined) return free;
    const [leastBusy] = ranked;
    if (leastBusy !== undefined && ranked.length >= HOSTS_MAX) return leastBusy;
    return this.#start(kind, hosts);
  }

  #start(kind: HostKind, hosts: Set<Kept>): Kept {
    const { setupOf, start, clock } = this.#options;
    const kept: Kept = {
      host: new ToolHost({
        setup: setupOf(kind),
        start,
        clock,
        onEnd: () => {
          kept.idle?.cancel();
          hosts.delete(kept);
        },
        onIdle: () => {
          kept.idle?.cancel();
          if (this.#isDisposed || !kept.host.isAlive) return;
          kept.idle = clock.setTimer(IDLE_MS, () => {
            hosts.delete(kept);
            kept.host.close();
          });
        },
      }),
      idle: undefined,
    };
    hosts.add(kept);
    this.#started.add(kept.host);
    void kept.host.gone.then(() => this.#started.delete(kept.host));
    return kept;
  }
}
