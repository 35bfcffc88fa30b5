/**
 * Keeps the long connection up: who may go on, and how long to wait before the next try.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import { jitter, type Random } from "../../actors/kernel/random.ts";
import type { ConnectionState } from "../channel.ts";
import { networkWait } from "../network_wait.ts";
import { FeishuCredentialsError } from "./errors.ts";
import type { ConnectionEnd, ConnectionHandlers, FeishuLink } from "./link.ts";
import { SilenceWatch } from "./silence.ts";

const logger = getLogger(["troupe", "feishu", "connection"]);

/** What keeping a connection needs. */
export interface KeepConnectionOptions {
  readonly appId: string;
  readonly link: FeishuLink;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (state: ConnectionState) => void;
  readonly onMessage: ConnectionHandlers["onMessage"];
  readonly onPress: ConnectionHandlers["onPress"];
  readonly onEvent: ConnectionHandlers["onEvent"];
}

const READY_DETAIL = "Connected by long connection; no public address needed";

/** The endpoint is busy: as the platform's operators ask for. */
const BUSY_WAITS_MS: readonly number[] = [2_000, 5_000, 10_000];
const BUSY_WAIT_MS_MAX = 30_000;
/** All places for connections are taken: another gateway must leave first. */
const CROWDED_WAIT_MS = 120_000;
/** Retries of many gateways must not fall together. */
const JITTER_SHARE = 0.2;
/** A connection that held so long had no fault of ours: waits begin anew. */
const STABLE_AFTER_MS = 30_000;

const BUSY_CODE = 1;
const CROWDED_CODE = 1000040350;
/** Codes of the endpoint after which only a person can help. */
const HOPELESS: ReadonlyMap<number, string> = new Map([
  [403, "the bot is not enabled, or long connections are not allowed for this app"],
  [514, "the app secret is wrong"],
  [10003, "there is no such app"],
  [10014, "the app secret is wrong"],
]);

/**
 * Connects and reconnects until `signal` aborts.
 *
 * @throws {FeishuCredentialsError} when trying again is senseless
 */
export async function keepConnection(
  options: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, report } = options;
  for (let failures = 0; !signal.aborted;) {
    const { end, heldMs } = await connectOnce(options, signal);
    if (end.state === "closed") return;
    if (heldMs >= STABLE_AFTER_MS) failures = 0;
    const waitMs = waitAfter(end, failures++, options);
    logger.info("Connection ended ({detail}); trying again in {waitMs} ms", {
      detail: detailOf(end),
      waitMs,
    });
    report({
      state: "reconnecting",
      detail: `${detailOf(end)}; attempt ${failures} in ${Math.ceil(waitMs / 1_000)} s`,
    });
    await sleep(clock, waitMs, signal).catch(() => {});
  }
}

/** One connection from its start to its end. */
async function connectOnce(
  { link, clock, report, onMessage, onPress, onEvent }: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<{ readonly end: ConnectionEnd; readonly heldMs: number }> {
  let readyAtMs: number | null = null;
  let watch: SilenceWatch | undefined;
  const reportReady = (): void => report({ state: "ready", detail: READY_DETAIL });
  const onReady = (): void => {
    readyAtMs ??= clock.now();
    reportReady();
    watch ??= new SilenceWatch({
      clock,
      onHeard: reportReady,
      onSilent: (silentMs) => {
        const minutes = Math.floor(silentMs / 60_000);
        logger.warn("Connected, but nothing was heard for {minutes} minutes", { minutes });
        report({ state: "ready", detail: `Connected, but silent for ${minutes} minutes` });
      },
    });
  };
  try {
    const onFrame = (): void => watch?.heard();
    const end = await link.connect({ onReady, onFrame, onMessage, onPress, onEvent }, signal);
    return { end, heldMs: readyAtMs === null ? 0 : clock.now() - readyAtMs };
  } finally {
    watch?.[Symbol.dispose]();
  }
}

/**
 * The wait before attempt `failures + 1`.
 *
 * @throws {FeishuCredentialsError} when trying again is senseless
 */
export function waitAfter(
  end: Exclude<ConnectionEnd, { state: "closed" }>,
  failures: number,
  { appId, random }: Pick<KeepConnectionOptions, "appId" | "random">,
): number {
  if (end.state === "lost") {
    return Math.min(networkWait(failures, random), end.retryAtMostMs ?? Infinity);
  }
  const hopeless = HOPELESS.get(end.code);
  if (hopeless !== undefined) {
    throw new FeishuCredentialsError(appId, `${hopeless} (code ${end.code})`);
  }
  switch (end.code) {
    case BUSY_CODE:
      return BUSY_WAITS_MS[failures] ?? BUSY_WAIT_MS_MAX;
    case CROWDED_CODE:
      return jitter(random, CROWDED_WAIT_MS, JITTER_SHARE);
    default:
      return networkWait(failures, random);
  }
}

function detailOf(end: Exclude<ConnectionEnd, { state: "closed" }>): string {
  if (end.state === "lost") return end.detail;
  switch (end.code) {
    case BUSY_CODE:
      return "the platform is busy";
    case CROWDED_CODE:
      return "all connections of this app are in use, perhaps by another gateway";
    default:
      return `the platform refused the connection (code ${end.code})`;
  }
}
