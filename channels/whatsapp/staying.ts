/**
 * Stays connected: what the end of a connection means, and when to try again.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { Random } from "../../actors/kernel/random.ts";
import type { ConnectionState } from "../channel.ts";
import { networkWait } from "../network_wait.ts";
import { WhatsAppSignInError } from "./errors.ts";
import type { Connection, Ending } from "./link.ts";

const logger = getLogger(["troupe", "whatsapp", "staying"]);

/** What staying connected needs. */
export interface StayingOptions {
  /** Begins a connection. @param onOpen is called once it is signed in */
  readonly connect: (onOpen: () => void) => Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (state: ConnectionState) => void;
  /** The connection of now; null when there is none. */
  readonly onConnection: (connection: Connection | null) => void;
  /** The device was logged out: its keys open nothing any more. */
  readonly onLoggedOut: () => void;
}

/** The server wants a new connection, as it does after a device was linked. */
const RESTART_CODE = 515;
/** More of them in a row are no good sign. */
const RESTARTS_MAX = 3;
const LOGIN = "link it again with `channels login whatsapp`";

/** Reasons for which going on is senseless, by the library's code. */
const FINAL: ReadonlyMap<number, string> = new Map([
  [401, `the device was logged out; ${LOGIN}`],
  [403, "WhatsApp has blocked the account; look into the app on the phone"],
  [405, "WhatsApp takes this version of the program no longer; a newer one is needed"],
  [411, `the account cannot have linked devices; ${LOGIN}`],
  [440, "another program uses this device; stop it, then start the gateway again"],
]);
const LOGGED_OUT_CODE = 401;

/**
 * Connects again and again until the signal aborts.
 *
 * @throws {WhatsAppSignInError} when WhatsApp no longer lets the device in
 */
export async function stayConnected(options: StayingOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, report, onConnection } = options;
  let failures = 0;
  let restarts = 0;
  while (!signal.aborted) {
    let hasOpened = false;
    const ending = await oneConnection(options, signal, () => {
      hasOpened = true;
      report({ state: "ready", detail: "Connected" });
    });
    onConnection(null);
    if (signal.aborted) return;
    const reason = FINAL.get(ending.code);
    if (reason !== undefined) throw finalError(ending, reason, options);
    if (hasOpened) failures = 0;
    restarts = ending.code === RESTART_CODE ? restarts + 1 : 0;
    if (restarts > 0 && restarts <= RESTARTS_MAX) continue;
    const waitMs = networkWait(failures++, random);
    const { code, detail } = ending;
    logger.info("{detail} ({code}); trying again in {waitMs} ms", { detail, code, waitMs });
    report({ state: hasOpened ? "reconnecting" : "connecting", detail });
    await sleep(clock, waitMs, signal);
  }
}

async function oneConnection(
  { connect, onConnection }: StayingOptions,
  signal: AbortSignal,
  onOpen: () => void,
): Promise<Ending> {
  await using connection = connect(onOpen);
  onConnection(connection);
  const stopped = Promise.withResolvers<Ending>();
  const stop = (): void => stopped.resolve({ code: 0, detail: "the channel stops" });
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([connection.ended, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function finalError(
  { code, detail }: Ending,
  reason: string,
  { onLoggedOut }: StayingOptions,
): WhatsAppSignInError {
  if (code === LOGGED_OUT_CODE) onLoggedOut();
  return new WhatsAppSignInError(reason, { cause: new Error(`${detail} (${code})`) });
}
