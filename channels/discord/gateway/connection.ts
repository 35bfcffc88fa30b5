/**
 * Keeps the gateway connection up: signs in, resumes where reading stopped, and waits between
 * tries.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import type { Random } from "../../../actors/kernel/random.ts";
import type { ConnectionState } from "../../channel.ts";
import { networkWait } from "../../network_wait.ts";
import type { DiscordApi } from "../api.ts";
import { DiscordCredentialsError, isUnauthorized, WRONG_TOKEN } from "../errors.ts";
import type { DiscordLink } from "../link.ts";
import type { Ready } from "../wire_gateway.ts";
import type { Progress } from "./progress.ts";
import { Session, type SessionEnd } from "./session.ts";

const logger = getLogger(["troupe", "discord", "connection"]);

/** What keeping a connection needs. */
export interface KeepConnectionOptions {
  readonly link: DiscordLink;
  readonly api: DiscordApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly token: string;
  readonly intents: number;
  readonly progress: Progress;
  readonly report: (state: ConnectionState) => void;
  /** A session began, or, without `ready`, goes on. Resolves as `onEvent` does. */
  readonly onSession: (ready: Ready | null) => Promise<boolean>;
  /**
   * An event came. Resolves to whether it need not come again; if it must, the connection is made
   * anew.
   */
  readonly onEvent: (type: string, data: unknown) => Promise<boolean>;
  /** Called before each connection. */
  readonly onConnect: () => void;
}

const READY_DETAIL = "Connected to the gateway; no public address needed";
/** A connection that held so long had no fault of ours: waits begin anew. */
const STABLE_AFTER_MS = 30_000;
/** After so many tries in vain a new session begins, perhaps elsewhere. */
const RESUMPTIONS_MAX = 5;

/** What to do about a connection that is refused for good, by its code. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [4004, WRONG_TOKEN],
  [4011, "the bot is in too many servers for one connection"],
  [4012, "the platform no longer takes this version of its gateway"],
  [4013, "channels.discord.intents is no sum of known intents"],
  [
    4014,
    "the bot may not have these intents; switch on Message Content Intent on the developer " +
    "portal, page Bot",
  ],
]);

/**
 * Connects and reconnects until `signal` aborts.
 *
 * @throws {DiscordCredentialsError} when trying again is senseless
 */
export async function keepConnection(
  options: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, report, progress } = options;
  for (let failures = 0; !signal.aborted;) {
    options.onConnect();
    const startedAtMs = clock.now();
    const end = await connectOnce(options, signal);
    if (end.state === "closed") return;
    if (end.state === "refused") throw refusal(end.code);
    if (clock.now() - startedAtMs >= STABLE_AFTER_MS) failures = 0;
    progress.rewind();
    if (!end.canResume || failures >= RESUMPTIONS_MAX) progress.endSession();
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
  const { progress, report } = options;
  const { resumption } = progress;
  const place = resumption === null ? await findGateway(options, signal) : resumption;
  if ("state" in place) return place;
  const takenOrLost = (taking: Promise<boolean>, taken: () => void): void => {
    void taking.then((isTaken) => {
      if (isTaken) taken();
      else session.giveUp("a message could not be taken in just now");
    });
  };
  const begun = (ready: Ready | null): void => {
    report({ state: "ready", detail: READY_DETAIL });
    takenOrLost(options.onSession(ready), () => {});
  };
  const session: Session = new Session({
    ...options,
    url: place.url,
    resumption,
    sequence: () => progress.sequence,
    onReady: (ready, sequence) => {
      progress.begin({ id: ready.session_id, url: ready.resume_gateway_url }, sequence);
      begun(ready);
    },
    onResumed: () => begun(null),
    onEvent: (sequence, type, data) => {
      takenOrLost(options.onEvent(type, data), progress.open(sequence));
    },
  }, signal);
  return await session.ended;
}

/** Where a new session begins, or why it cannot just now. */
async function findGateway(
  { api, clock }: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<{ readonly url: string } | SessionEnd> {
  try {
    const { url, session_start_limit: { remaining, reset_after: waitMs } } = await api.gateway(
      signal,
    );
    if (remaining > 0) return { url };
    const hours = Math.ceil(waitMs / 3_600_000);
    const detail = `too many sessions were begun today; more are allowed in ${hours} h`;
    logger.error("{detail}", { detail, atMs: clock.now() });
    return { state: "lost", detail, canResume: false, waitMs };
  } catch (error) {
    if (signal.aborted) return { state: "closed" };
    if (isUnauthorized(error)) throw new DiscordCredentialsError(WRONG_TOKEN, { cause: error });
    const detail = error instanceof Error ? error.message : String(error);
    return { state: "lost", detail, canResume: false, waitMs: 0 };
  }
}

function refusal(code: number): DiscordCredentialsError {
  const reason = REFUSALS.get(code) ?? "the gateway refused the connection";
  return new DiscordCredentialsError(`${reason} (code ${code})`);
}
