/**
 * Keeps Discord's connection up: where it goes, and what its refusals mean.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import {
  type Entrance,
  keepConnection as keep,
  type KeepConnectionOptions as Keeping,
} from "../../event_gateway/connection.ts";
import type { GatewayDialect, SessionEnd } from "../../event_gateway/session.ts";
import type { DiscordApi } from "../api.ts";
import { DiscordCredentialsError, isUnauthorized, WRONG_TOKEN } from "../errors.ts";
import type { DiscordLink } from "../link.ts";
import { type Ready, readySchema } from "../wire_gateway.ts";
import type { Progress } from "./progress.ts";

const logger = getLogger(["troupe", "discord", "connection"]);

/** What keeping a connection needs. */
export interface KeepConnectionOptions
  extends Pick<Keeping, "clock" | "random" | "report" | "onEvent" | "onConnect"> {
  readonly link: DiscordLink;
  readonly api: DiscordApi;
  readonly token: string;
  readonly intents: number;
  readonly progress: Progress;
  /** A session began, or, without `ready`, goes on. Resolves as `onEvent` does. */
  readonly onSession: (ready: Ready | null) => Promise<boolean>;
}

/** Codes after which the session is over, so that a new one begins. */
const SESSION_OVER: ReadonlySet<number> = new Set([1000, 1001, 4003, 4005, 4007, 4009]);
/** Wrong token, shard, sharding, version, intents: only a person can help. */
const HOPELESS: ReadonlySet<number> = new Set([4004, 4010, 4011, 4012, 4013, 4014]);

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

/** The protocol as Discord speaks it. @param intents what it shall tell of, as a sum of its bits */
export function dialectFor(intents: number): GatewayDialect {
  return {
    identity: { intents, properties: { os: "linux", browser: "troupe", device: "troupe" } },
    isSessionOver: (code) => SESSION_OVER.has(code),
    isHopeless: (code) => HOPELESS.has(code),
  };
}

/**
 * Connects and reconnects until `signal` aborts.
 *
 * @throws {DiscordCredentialsError} when trying again is senseless
 */
export async function keepConnection(
  options: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { link, token, intents, progress, onSession } = options;
  await keep({
    ...options,
    dialect: dialectFor(intents),
    openSocket: (address, handlers) => link.openSocket(address, handlers),
    events: progress.events,
    find: async () => {
      const { resumeUrl: url } = progress;
      return url === null ? await findGateway(options, signal) : { url, token };
    },
    refusalOf: refusal,
    onReady: (data, sequence) => {
      const ready = readySchema.safeParse(data).data;
      if (ready === undefined) return null;
      progress.begin({ id: ready.session_id, url: ready.resume_gateway_url }, sequence);
      return onSession(ready);
    },
    onResumed: () => onSession(null),
  }, signal);
}

/** Where a new session begins, or why it cannot just now. */
async function findGateway(
  { api, clock, token }: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<Entrance | SessionEnd> {
  try {
    const { url, session_start_limit: { remaining, reset_after: waitMs } } = await api.gateway(
      signal,
    );
    if (remaining > 0) return { url, token };
    const hours = Math.ceil(waitMs / 3_600_000);
    const detail = `too many sessions were begun today; more are allowed in ${hours} h`;
    logger.error("{detail}", { detail, atMs: clock.now() });
    return { state: "lost", detail, code: null, canResume: false, waitMs };
  } catch (error) {
    if (signal.aborted) return { state: "closed" };
    if (isUnauthorized(error)) throw new DiscordCredentialsError(WRONG_TOKEN, { cause: error });
    const detail = error instanceof Error ? error.message : String(error);
    return { state: "lost", detail, code: null, canResume: false, waitMs: 0 };
  }
}

function refusal(code: number): DiscordCredentialsError {
  const reason = REFUSALS.get(code) ?? "the gateway refused the connection";
  return new DiscordCredentialsError(`${reason} (code ${code})`);
}
