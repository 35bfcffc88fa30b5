/**
 * Keeps a socket open: when to open another one, how long to wait before, and whether it lives.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep, type Timer } from "../../actors/kernel/clock.ts";
import type { Random } from "../../actors/kernel/random.ts";
import type { ConnectionState } from "../channel.ts";
import { networkWait } from "../network_wait.ts";
import type { SlackApi } from "./api.ts";
import {
  CREDENTIAL_REASONS,
  isRefusedFor,
  SlackCredentialsError,
  type SlackRefusedError,
} from "./errors.ts";
import type { SlackLink, SlackSocket, SocketEnd, SocketHandlers } from "./link.ts";

const logger = getLogger(["troupe", "slack", "connection"]);

/** What keeping a connection needs. */
export interface KeepConnectionOptions {
  readonly api: Pick<SlackApi, "socketAddress">;
  readonly link: Pick<SlackLink, "open">;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (state: ConnectionState) => void;
  readonly onEnvelope: SocketHandlers["onEnvelope"];
  /** Events come, after a time without. */
  readonly onResumed: () => void;
  /** Events stopped coming. */
  readonly onLost: () => void;
}

const READY_DETAIL = "Connected by Socket Mode; no public address needed";

/** Slack itself sends a ping about every half minute, and answers ours at once. */
const PING_INTERVAL_MS = 15_000;
/** Pings without any sign of life after them. */
const UNANSWERED_MAX = 3;
/** How long Slack may take to greet. */
const GREETING_MS = 20_000;
/** A connection that held so long had no fault of ours: waits begin anew. */
const STABLE_AFTER_MS = 30_000;

/** Slack may want another socket at once so often; more of that is a fault. */
const QUICK_RENEWALS_MAX = 3;

/** How a connection ended, and how long it had worked. */
interface Held {
  readonly end: SocketEnd;
  readonly heldMs: number;
}

/**
 * Connects and reconnects until `signal` aborts. Where Slack wants a new socket, it is open before
 * the old one closes.
 *
 * @throws {SlackCredentialsError} when trying again is senseless
 */
export async function keepConnection(
  options: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, report } = options;
  let old: SlackSocket | null = null;
  let quickRenewals = 0;
  for (let failures = 0; !signal.aborted;) {
    const connection: Connection = new Connection(options, old);
    const { end, heldMs } = await connection.run(signal);
    quickRenewals = heldMs >= STABLE_AFTER_MS ? 0 : quickRenewals + 1;
    const isRenewal = end.state === "refresh" && heldMs > 0 && quickRenewals <= QUICK_RENEWALS_MAX;
    old = isRenewal && !signal.aborted ? connection.socket : null;
    if (old === null) await connection.close();
    if (signal.aborted) break;
    if (heldMs >= STABLE_AFTER_MS) failures = 0;
    if (isRenewal) continue;
    options.onLost();
    const { detail, waitMs } = whatNext(end, networkWait(failures++, random));
    logger.info("Connection ended ({detail}); trying again in {waitMs} ms", { detail, waitMs });
    const seconds = Math.ceil(waitMs / 1_000);
    report({ state: "reconnecting", detail: `${detail}; attempt ${failures} in ${seconds} s` });
    await sleep(clock, waitMs, signal).catch(() => {});
  }
  await old?.close();
}

/** One socket from its address to its end. */
class Connection {
  readonly #options: KeepConnectionOptions;
  /** Closed as soon as this one is greeted. */
  readonly #old: SlackSocket | null;
  readonly #greeted = Promise.withResolvers<void>();
  readonly #silent = Promise.withResolvers<SocketEnd>();
  socket: SlackSocket | null = null;
  #readyAtMs: number | null = null;
  #unanswered = 0;
  #timer: Timer | null = null;

  constructor(options: KeepConnectionOptions, old: SlackSocket | null) {
    this.#options = options;
    this.#old = old;
  }

  /** Runs until another socket is needed, or `signal` aborts. */
  async run(signal: AbortSignal): Promise<Held> {
    const { clock } = this.#options;
    const stop = (): void => this.#silent.resolve({ state: "closed" });
    signal.addEventListener("abort", stop, { once: true });
    try {
      const end = await this.#open(signal);
      return { end, heldMs: this.#readyAtMs === null ? 0 : clock.now() - this.#readyAtMs };
    } finally {
      signal.removeEventListener("abort", stop);
      this.#timer?.cancel();
    }
  }

  /** Closes both sockets; never rejects. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await Promise.all([this.socket?.close(), this.#old?.close()]);
  }

  async #open(signal: AbortSignal): Promise<SocketEnd> {
    const { api, link, onEnvelope, clock } = this.#options;
    try {
      const url = await api.socketAddress(signal);
      this.socket = await link.open(url, {
        onReady: () => this.#ready(),
        onFrame: () => void (this.#unanswered = 0),
        onEnvelope,
      }, signal);
    } catch (error) {
      if (signal.aborted) return { state: "closed" };
      if (isRefusedFor(error, CREDENTIAL_REASONS)) throw credentialsError(error);
      return { state: "lost", detail: error instanceof Error ? error.message : String(error) };
    }
    this.#timer = clock.setTimer(GREETING_MS, () => {
      this.#silent.resolve({ state: "lost", detail: "Slack did not greet in time" });
    });
    return await Promise.race([this.socket.end, this.#silent.promise]);
  }

  #ready(): void {
    if (this.#readyAtMs !== null) return;
    const { clock, report, onResumed } = this.#options;
    this.#readyAtMs = clock.now();
    this.#greeted.resolve();
    this.#timer?.cancel();
    this.#watch();
    void this.#old?.close();
    report({ state: "ready", detail: READY_DETAIL });
    onResumed();
  }

  /** Asks for a sign of life, again and again. */
  #watch(): void {
    this.#timer = this.#options.clock.setTimer(PING_INTERVAL_MS, () => {
      if (this.#unanswered >= UNANSWERED_MAX) {
        this.#silent.resolve({ state: "lost", detail: "nothing was heard any more" });
        return;
      }
      this.#unanswered++;
      this.socket?.ping();
      this.#watch();
    });
  }
}

/** Words for an end, and the wait after it. */
function whatNext(
  end: SocketEnd,
  waitMs: number,
): { readonly detail: string; readonly waitMs: number } {
  switch (end.state) {
    case "disabled":
      throw new SlackCredentialsError(
        "channels.slack.appToken",
        'Socket Mode was switched off; switch it on at "Socket Mode" of the app',
      );
    case "lost":
      return { detail: end.detail, waitMs };
    default:
      return { detail: "Slack ended the connection", waitMs };
  }
}

function credentialsError(error: SlackRefusedError): SlackCredentialsError {
  const reason = CREDENTIAL_REASONS.get(error.reason) ?? error.reason;
  return new SlackCredentialsError(
    "channels.slack.appToken",
    `${reason} (${error.reason}); it is an app-level token with the scope connections:write`,
    { cause: error },
  );
}
