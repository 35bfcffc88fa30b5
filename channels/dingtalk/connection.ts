/**
 * Keeps a stream open: when to open another one, how long to wait before, and whether it lives.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { Random } from "../../actors/kernel/random.ts";
import type { ConnectionState } from "../channel.ts";
import { networkWait } from "../network_wait.ts";
import type { DingTalkApi } from "./api.ts";
import { refusalOf, toldWaitOf } from "./errors.ts";
import type { DingTalkLink } from "./link.ts";
import { type RobotHandler, Stream, type StreamEnd } from "./stream.ts";

const logger = getLogger(["troupe", "dingtalk", "connection"]);

/** What keeping a connection needs. */
export interface KeepConnectionOptions {
  readonly api: Pick<DingTalkApi, "streamAddress">;
  readonly link: Pick<DingTalkLink, "open">;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (state: ConnectionState) => void;
  readonly onMessage: RobotHandler;
}

const READY_DETAIL = "Connected by Stream mode; no public address needed";
/** A connection that held so long had no fault of ours: waits begin anew. */
const STABLE_AFTER_MS = 30_000;
/** DingTalk may want another stream at once so often; more of that is a fault. */
const QUICK_RENEWALS_MAX = 3;

/**
 * Connects and reconnects until `signal` aborts. Where DingTalk wants a new stream, it is open before
 * the old one closes: DingTalk brings nothing over one that it wants to end.
 *
 * @throws {DingTalkCredentialsError} when trying again is senseless
 */
export async function keepConnection(
  options: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, report } = options;
  let old: Stream | null = null;
  let quickRenewals = 0;
  for (let failures = 0; !signal.aborted;) {
    const { end, stream, heldMs } = await hold(options, old, signal);
    const isStable = heldMs >= STABLE_AFTER_MS;
    quickRenewals = isStable ? 0 : quickRenewals + 1;
    const isRenewal = end.state === "renew" && quickRenewals <= QUICK_RENEWALS_MAX;
    old = isRenewal && !signal.aborted ? stream : null;
    if (old === null) await stream?.close();
    if (signal.aborted) break;
    if (isStable) failures = 0;
    if (isRenewal) continue;
    const waitMs = Math.max(networkWait(failures++, random), end.waitMs ?? 0);
    const { detail } = end;
    logger.info("Connection ended ({detail}); trying again in {waitMs} ms", { detail, waitMs });
    const seconds = Math.ceil(waitMs / 1_000);
    report({ state: "reconnecting", detail: `${detail}; attempt ${failures} in ${seconds} s` });
    await sleep(clock, waitMs, signal).catch(() => {});
  }
  await old?.close();
}

/** How one stream ended; null when there was none. */
interface Held {
  readonly stream: Stream | null;
  readonly end: StreamEnd & { readonly waitMs?: number };
  readonly heldMs: number;
}

/** Opens a stream, lets the old one go, and waits for its end. */
async function hold(
  { api, link, clock, report, onMessage }: KeepConnectionOptions,
  old: Stream | null,
  signal: AbortSignal,
): Promise<Held> {
  let stream: Stream;
  try {
    stream = await Stream.open({
      address: await api.streamAddress(signal),
      ...{ link, clock, onMessage },
    }, signal);
  } catch (error) {
    await old?.close();
    if (signal.aborted) return { stream: null, end: STOPPED, heldMs: 0 };
    const refusal = refusalOf(error);
    if (refusal !== null) throw refusal;
    const detail = error instanceof Error ? error.message : String(error);
    return { stream: null, end: { state: "lost", detail, waitMs: toldWaitOf(error) }, heldMs: 0 };
  }
  const openedAtMs = clock.now();
  report({ state: "ready", detail: READY_DETAIL });
  const closing = old?.close();
  const end = await stream.ended(signal);
  await closing;
  return { stream, end, heldMs: clock.now() - openedAtMs };
}

const STOPPED: StreamEnd = { state: "lost", detail: "the channel stops" };
