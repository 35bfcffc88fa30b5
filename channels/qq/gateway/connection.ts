/**
 * Keeps QQ's connection up: where it goes, and what its ends mean
 * (https://bot.q.qq.com/wiki/develop/api-v2/dev-prepare/error-trace/websocket.html).
 * @module
 */

import { getLogger } from "@logtape/logtape";
import {
  type Entrance,
  keepConnection as keep,
  type KeepConnectionOptions as Keeping,
} from "../../event_gateway/connection.ts";
import type { GatewayDialect, SessionEnd } from "../../event_gateway/session.ts";
import type { QqApi } from "../api.ts";
import { QqCredentialsError, toldWaitOf } from "../errors.ts";
import type { QqLink } from "../link.ts";
import { readySchema } from "../wire.ts";
import type { Progress } from "./progress.ts";

const logger = getLogger(["troupe", "qq", "connection"]);

/** What keeping a connection needs. */
export interface KeepConnectionOptions
  extends Pick<Keeping, "clock" | "random" | "report" | "onEvent" | "onConnect"> {
  readonly link: QqLink;
  readonly api: QqApi;
  readonly progress: Progress;
  /** A session began or goes on, or an event need not come again. */
  readonly onRead: () => void;
}

/** Direct messages of guilds; chats with one person, and groups. */
const INTENTS = (1 << 12) | (1 << 25);
/** Ends after which a session goes on: a token that is no longer good, a rate, its time. */
const KEEPING: ReadonlySet<number> = new Set([4004, 4008, 4009]);
const STALE_TOKEN_CODE = 4004;

/** What to do about a connection that is refused for good, by its code. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [4010, "the platform wants the bot's connection to be divided"],
  [4011, "the bot is in too many guilds for one connection"],
  [4012, "the platform no longer takes this version of its gateway"],
  [4013, "the platform does not know what it shall tell of"],
  [4014, "the bot may not hear of direct, group or guild messages; ask for that on q.qq.com"],
  [4914, "the bot was taken down; only its sandbox is open"],
  [4915, "the bot was banned"],
]);

/** The protocol as QQ speaks it. */
export const DIALECT: GatewayDialect = {
  identity: { intents: INTENTS, shard: [0, 1], properties: {} },
  isSessionOver: (code) => code >= 4000 && code < 5000 && !KEEPING.has(code),
  isHopeless: (code) => REFUSALS.has(code),
};

/**
 * Connects and reconnects until `signal` aborts.
 *
 * @throws {QqCredentialsError} when trying again is senseless
 */
export async function keepConnection(
  options: KeepConnectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { link, api, progress, onRead } = options;
  let token = "";
  await keep({
    ...options,
    dialect: DIALECT,
    openSocket: link.openSocket,
    events: progress.events,
    find: async () => {
      const place = await findGateway(api, signal);
      if ("token" in place) token = place.token;
      return "token" in place ? { ...place, token: gatewayToken(token) } : place;
    },
    // Nothing else tells of what was missed; the platform says when a session is over.
    resumptionsMax: Infinity,
    refusalOf: refusal,
    onReady: (data, sequence) => {
      const ready = readySchema.safeParse(data).data;
      if (ready === undefined) return null;
      logger.info("The bot is {name} ({id})", { name: ready.user.username, id: ready.user.id });
      progress.events.begin(ready.session_id, sequence);
      onRead();
      return Promise.resolve(true);
    },
    onResumed: () => {
      onRead();
      return Promise.resolve(true);
    },
    onLost: (code) => {
      if (code === STALE_TOKEN_CODE) api.invalidate(token);
    },
  }, signal);
}

/** A token as it signs in. */
export function gatewayToken(token: string): string {
  return `QQBot ${token}`;
}

/** Where to connect, and a token for it; or why that cannot be just now. */
async function findGateway(api: QqApi, signal: AbortSignal): Promise<Entrance | SessionEnd> {
  try {
    const url = await api.gatewayUrl(signal);
    return { url, token: await api.token(signal) };
  } catch (error) {
    if (signal.aborted) return { state: "closed" };
    if (error instanceof QqCredentialsError) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    return { state: "lost", detail, code: null, canResume: true, waitMs: toldWaitOf(error) };
  }
}

function refusal(code: number): QqCredentialsError {
  return new QqCredentialsError(`${REFUSALS.get(code) ?? "the gateway refused"} (code ${code})`);
}
