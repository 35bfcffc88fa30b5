/**
 * The heartbeat, from the configuration: its actor, how its turns are told, and to whom.
 * @module
 */

import { join } from "node:path";
import type { Provider } from "../../providers/provider.ts";
import {
  HEARTBEAT_SESSION,
  heartbeatActor,
  type HeartbeatActorMessage,
  type HeartbeatTarget,
} from "../automation/heartbeat.ts";
import { isWorthTelling } from "../automation/heartbeat_model.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import { type Journal, SYSTEM_CHANNEL } from "../journal/journal.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { AskedModel } from "../memory/ask_once.ts";
import { DiskSessionShelf } from "../session/adapters/session_shelf.ts";
import type { HeartbeatPort } from "../session/ports.ts";
import { listSessions } from "../session/session_catalog.ts";
import type { UsageLedger } from "../session/usage_ledger.ts";
import type { Core } from "./core.ts";
import { countedCalls } from "./counted_calls.ts";

/** Conversations among which the one that was last active is looked for. */
const CANDIDATES_MAX = 200;
/** A decision is a call with a few words. */
const DECISION_TOKENS_MAX = 2_000;

/** What the heartbeat is made from. */
export interface HeartbeatWiring {
  readonly loaded: LoadedConfig;
  readonly journal: Journal;
  /** Real path. */
  readonly workspace: string;
  readonly provider: Provider;
  readonly usage: UsageLedger;
  readonly readPrompt: (path: string) => Promise<string | null>;
}

/** What it reaches once the gateway's actors run. */
export interface HeartbeatSurroundings {
  readonly spawn: (
    definition: ActorDefinition<HeartbeatActorMessage>,
  ) => ActorRef<HeartbeatActorMessage>;
  readonly core: Pick<Core, "accept" | "outboxes">;
}

/** The heartbeat, as the rest of the gateway sees it. */
export interface WiredHeartbeat {
  readonly port: HeartbeatPort;
  /** Starts the actor, if the heartbeat is on. */
  readonly start: (surroundings: HeartbeatSurroundings) => void;
  /** What is said at the start. */
  readonly line: string;
}

/** Wires it. */
export function wireHeartbeat(options: HeartbeatWiring): WiredHeartbeat {
  const { loaded: { config }, journal, readPrompt } = options;
  const { heartbeat } = config.gateway;
  const { timezone } = config.agents.defaults;
  const model = askedModel(options);
  return {
    port: {
      recentMessagesMax: heartbeat.keepRecentMessages,
      isWorthTelling: ({ content: task }, answer, signal) =>
        isWorthTelling(model, { task, answer }, signal),
    },
    start: ({ spawn, core }) => {
      if (!heartbeat.enabled) return;
      spawn(heartbeatActor({
        intervalMs: heartbeat.intervalS * 1_000,
        quietHours: heartbeat.quietHours,
        timezone,
        read: () => readPrompt("HEARTBEAT.md"),
        model,
        journal,
        runs: {
          accept: (inbound) => core.accept(inbound),
          find: (inputId) => journal.inbound(SYSTEM_CHANNEL, inputId),
        },
        target: () => Promise.resolve(targetOf(options, core)),
      }));
    },
    line: heartbeatLine(options),
  };
}

function askedModel({ loaded: { config }, journal, provider, usage }: HeartbeatWiring): AskedModel {
  const { model, temperature, maxTokens, reasoningEffort } = config.agents.defaults;
  const sessionKey = HEARTBEAT_SESSION;
  return {
    ...{ provider, model, temperature, reasoningEffort },
    tokensMax: Math.min(maxTokens, DECISION_TOKENS_MAX),
    ...countedCalls({ sessionKey, usage, journal, provider: provider.name, model }),
  };
}

/** The configured chat, or the one that was last active on a platform that is on. */
function targetOf(
  { loaded: { config }, workspace }: HeartbeatWiring,
  { outboxes }: HeartbeatSurroundings["core"],
): HeartbeatTarget | null {
  const { target } = config.gateway.heartbeat;
  if (target !== null) {
    const place = placeOf(target);
    return outboxes.has(place.channel) ? place : null;
  }
  const shelf = new DiskSessionShelf(join(workspace, "sessions"));
  const { sessions } = listSessions(shelf, { limit: CANDIDATES_MAX, offset: 0 });
  return sessions.map(({ key }) => placeOf(key)).find(({ channel, chatId }) =>
    // The terminal comes and goes; a thread's key names no chat.
    channel !== "cli" && outboxes.has(channel) && !chatId.includes(":")
  ) ?? null;
}

function placeOf(key: string): HeartbeatTarget {
  const colon = key.indexOf(":");
  return { channel: key.slice(0, Math.max(0, colon)), chatId: key.slice(colon + 1) };
}

function heartbeatLine({ loaded: { config } }: HeartbeatWiring): string {
  const { enabled, intervalS, quietHours, target } = config.gateway.heartbeat;
  if (!enabled) return "Heartbeat: off";
  const every = intervalS % 60 === 0 ? `${intervalS / 60} min` : `${intervalS} s`;
  const quiet = quietHours === null ? "" : `, but not ${quietHours}`;
  return `Heartbeat: every ${every}${quiet}, for ${target ?? "the chat that was last active"}`;
}
