/**
 * Keeps a connection to a platform's gateway up: signs in, resumes where reading stopped, and waits
 * between tries.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { Random } from "../../actors/kernel/random.ts";
import type { ConnectionState } from "../channel.ts";
import { networkWait } from "../network_wait.ts";
import type { ReadEvents } from "./read_events.ts";
import { type GatewayDialect, type Resumption, Session, type SessionEnd } from "./session.ts";
import type { OpenSocket } from "./socket.ts";

const logger = getLogger(["troupe", "channels", "event_gateway"]);

/** Where a connection goes, and what lets it in. */
export interface Entrance {
  readonly url: string;
  readonly token: string;
}

/** What keeping a connection needs. */
export interface KeepConnectionOptions {
  readonly dialect: GatewayDialect;
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: ReadEvents;
  readonly report: (state: ConnectionState) => void;
  /**
   * Finds where to connect, or why that cannot be just now.
   *
   * @throws what the channel ends with
   */
  readonly find: (
    resumption: Resumption | null,
    signal: AbortSignal,
  ) => Promise<Entrance | SessionEnd>;
  /** What the channel ends with when a connection is refused for good. */
  readonly refusalOf: (code: number) => Error;
  /**
   * A session began; resolves as `onEvent` does.
   *
   * @returns null when what tells of it has another shape
   */
  readonly onReady: (data: unknown, sequence: number) => Promise<boolean> | null;
  /** A session goes on; resolves as `onEvent` does. */
  readonly onResumed: () => Promise<boolean>;
  /**
   * An event came. Resolves to whether it need not come again; if it must, the connection is made
   * anew.
   */
  readonly onEvent: (type: string, data: unknown) => Promise<boolean>;
  /** Called before each connection. */
  readonly onConnect: () => void;
  /** After so many tries in vain a new session begins, perhaps elsewhere. @default 5 */
  readonly resumptionsMax?: number;
  /** An event need not come again, from now on. @default nobody is told */
  readonly onRead?: () => void;
  /** A connection was lost, by its code if the platform ended it. @default nobody is told */
  readonly onLost?: (code: number | null) => void;
}

const READY_DETAIL = "Connected to the gateway; no public address needed";
/** A connection that held so long had no fault of ours: waits begin anew. */
const STABLE_AFTER_MS = 30_000;
const RESUMPTIONS_MAX = 5;

/**
 * Connects and reconnects until `signal` aborts.
 *
 * @throws what `find` throws and `refusalOf` gives: trying again is senseless then
 */
export async function keepConnection(
  options: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, report, events, resumptionsMax = RESUMPTIONS_MAX } = options;
  for (let failures = 0; !signal.aborted;) {
    options.onConnect();
    const startedAtMs = clock.now();
    const end = await connectOnce(options, signal);
    if (end.state === "closed") return;
    if (end.state === "refused") throw options.refusalOf(end.code);
    options.onLost?.(end.code);
    if (clock.now() - startedAtMs >= STABLE_AFTER_MS) failures = 0;
    events.rewind();
    if (!end.canResume || failures >= resumptionsMax) events.endSession();
    const waitMs = Math.max(networkWait(failures++, random), end.waitMs);
    const seconds = Math.ceil(waitMs / 1_000);
    logger.info("Connection ended: {detail}; trying again in {waitMs} ms", {
      detail: end.detail,
      waitMs,
    });
    report({
      state: "reconnecting",
      detail: `${end.detail}; attempt ${failures} in ${seconds} s`,
    });
    await sleep(clock, waitMs, signal).catch(() => {});
  }
}

/** One connection from its start to its end. */
async function connectOnce(
  options: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<SessionEnd> {
  const { events, report, find, onReady, onResumed, onEvent } = options;
  const { resumption } = events;
  const place = await find(resumption, signal);
  if ("state" in place) return place;
  const takenOrLost = (taking: Promise<boolean>, taken: () => void): void => {
    void taking.then((isTaken) => {
      if (isTaken) taken();
      else session.giveUp("a message could not be taken in just now");
    });
  };
  const begun = (taking: Promise<boolean>): void => {
    report({ state: "ready", detail: READY_DETAIL });
    takenOrLost(taking, () => {});
  };
  const session: Session = new Session({
    ...options,
    ...place,
    resumption,
    sequence: () => events.sequence,
    onReady: (data, sequence) => {
      const taking = onReady(data, sequence);
      if (taking !== null) begun(taking);
      return taking !== null;
    },
    onResumed: () => begun(onResumed()),
    onEvent: (sequence, type, data) => {
      const taken = events.open(sequence);
      takenOrLost(onEvent(type, data), () => {
        taken();
        options.onRead?.();
      });
    },
  }, signal);
  return await session.ended;
}
