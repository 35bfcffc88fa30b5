/**
 * The heartbeat, from the configuration: its actor, how its turns are told, and to whom.
 * @module
 */

import type { Provider } from "../../providers/provider.ts";
import {
  HEARTBEAT_SESSION,
  heartbeatActor,
  type HeartbeatActorMessage,
  type HeartbeatLook,
} from "../automation/heartbeat.ts";
import { isWorthTelling } from "../automation/heartbeat_model.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import { type Inbound, type Journal, SYSTEM_CHANNEL } from "../journal/journal.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { AskedModel } from "../memory/ask_once.ts";
import type { HeartbeatPort } from "../session/ports.ts";
import type { UsageLedger } from "../session/usage_ledger.ts";
import type { Core } from "./core.ts";
import { countedCalls } from "./counted_calls.ts";
import { HeartbeatTargets } from "./heartbeat_target.ts";
import { ownerCheck } from "./rights/owner_check.ts";

/** A decision is a call with a few words. */
const DECISION_TOKENS_MAX = 2_000;

/** What the heartbeat is made from. */
export interface HeartbeatWiring {
  readonly loaded: LoadedConfig;
  readonly journal: Journal;
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
  /** A message was taken in: a person's says where results go. */
  readonly saw: (inbound: Inbound) => void;
  /** How it stands; null where it is off. */
  readonly report: () => HeartbeatReport | null;
  /** What is said at the start. */
  readonly line: string;
}

/** How it stands with the heartbeat. */
export interface HeartbeatReport {
  readonly everyS: number;
  /** Null before the first one of this process. */
  readonly last: HeartbeatLook | null;
}

/** Wires it. */
export function wireHeartbeat(options: HeartbeatWiring): WiredHeartbeat {
  const { loaded: { config }, journal, readPrompt } = options;
  const { heartbeat } = config.gateway;
  const { timezone } = config.agents.defaults;
  const model = askedModel(options);
  const isOwner = ownerCheck(config.owners);
  const targets = new HeartbeatTargets({ journal, isOwner, configured: heartbeat.target });
  let last: HeartbeatLook | null = null;
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
        target: () => targets.find((name) => core.outboxes.has(name)),
        onLook: (look) => last = look,
      }));
    },
    saw: (inbound) => targets.saw(inbound),
    report: () => heartbeat.enabled ? { everyS: heartbeat.intervalS, last } : null,
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

function heartbeatLine({ loaded: { config } }: HeartbeatWiring): string {
  const { enabled, intervalS, quietHours, target } = config.gateway.heartbeat;
  if (!enabled) return "Heartbeat: off";
  const every = intervalS % 60 === 0 ? `${intervalS / 60} min` : `${intervalS} s`;
  const quiet = quietHours === null ? "" : `, but not ${quietHours}`;
  return `Heartbeat: every ${every}${quiet}, for ${target ?? "the chat where a person last wrote"}`;
}
