/**
 * The heartbeat, from the configuration: its actor, how its turns are told, and to whom.
 * @module
 */

import {
  HEARTBEAT_SESSION,
  heartbeatActor,
  type HeartbeatActorMessage,
  type HeartbeatLook,
  type HeartbeatTarget,
} from "../automation/heartbeat.ts";
import { isWorthTelling } from "../automation/heartbeat_model.ts";
import type { HeartbeatConfig } from "../config/schema/servers.ts";
import {
  heartbeatWordId,
  type Inbound,
  type Journal,
  type NewInbound,
  SYSTEM_CHANNEL,
} from "../journal/journal.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import { derived, liveView } from "../kernel/live_view.ts";
import type { NewId } from "../kernel/random.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { AskedModel } from "../memory/ask_once.ts";
import type { HeartbeatPort } from "../session/ports.ts";
import { TurnPermit } from "../session/turn_permit.ts";
import type { UsageLedger } from "../session/usage_ledger.ts";
import type { Core } from "./core.ts";
import { countedCalls } from "./counted_calls.ts";
import type { HeldConfig } from "./held_config.ts";
import { HeartbeatTargets } from "./heartbeat_target.ts";
import { ownerCheck } from "./rights/owner_check.ts";

/** A decision is a call with a few words. */
const DECISION_TOKENS_MAX = 2_000;

/** What the heartbeat is made from. */
export interface HeartbeatWiring {
  readonly now: () => HeldConfig;
  readonly journal: Journal;
  readonly newId: NewId;
  readonly usage: UsageLedger;
  readonly readPrompt: (path: string) => Promise<string | null>;
}

/** What it reaches once the gateway's actors run. */
export interface HeartbeatSurroundings {
  readonly spawn: (
    definition: ActorDefinition<HeartbeatActorMessage>,
  ) => ActorRef<HeartbeatActorMessage>;
  /** Ends it, and waits for that. */
  readonly stop: (actor: ActorRef<HeartbeatActorMessage>) => Promise<void>;
  readonly core: Pick<Core, "accept" | "gate" | "outboxes">;
}

/** The heartbeat, as the rest of the gateway sees it. */
export interface WiredHeartbeat {
  readonly port: HeartbeatPort;
  /** Starts the actor, if the heartbeat is on. */
  readonly start: (surroundings: HeartbeatSurroundings) => void;
  /** Goes by the configuration that holds now. */
  readonly change: () => Promise<void>;
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
  const { now, journal, newId, readPrompt } = options;
  const settings = () => now().loaded.config.gateway.heartbeat;
  const model = liveView(derived(now, (held) => askedModel(options, held)));
  const owners = derived(now, ({ loaded }) => ownerCheck(loaded.config.owners));
  const targets = new HeartbeatTargets({
    journal,
    isOwner: (sender) => owners()(sender),
    get configured() {
      return settings().target;
    },
    get isUnified() {
      return now().loaded.config.agents.defaults.unifiedSession;
    },
  });
  const target = () => targets.find((name) => surroundings?.core.outboxes.has(name) ?? false);
  let last: HeartbeatLook | null = null;
  let surroundings: HeartbeatSurroundings | undefined;
  let actor: ActorRef<HeartbeatActorMessage> | undefined;
  const start = ({ spawn, core: { accept, gate } }: HeartbeatSurroundings) => {
    const { enabled, intervalS, quietHours } = settings();
    if (!enabled) return;
    actor = spawn(heartbeatActor({
      intervalMs: intervalS * 1_000,
      quietHours,
      timezone: now().loaded.config.agents.defaults.timezone,
      read: () => readPrompt("HEARTBEAT.md"),
      model,
      journal,
      runs: {
        accept,
        find: (inputId) => journal.inbound(SYSTEM_CHANNEL, inputId),
      },
      target,
      permitFor: (holder) => new TurnPermit({ gate, holder, newId, isBackground: true }),
      onLook: (look) => last = look,
    }));
  };
  return {
    port: {
      sessionKey: HEARTBEAT_SESSION,
      get recentMessagesMax() {
        return settings().keepRecentMessages;
      },
      isWorthTelling: ({ content: task }, answer, signal) =>
        isWorthTelling(model, { task, answer }, signal),
      tell: async (home, answer) => {
        const whom = await target();
        if (whom !== null) await surroundings?.core.accept(wordFor(whom, home, answer));
      },
    },
    start: (reached) => {
      surroundings = reached;
      start(reached);
    },
    change: async () => {
      if (surroundings === undefined) return;
      const before = actor;
      actor = undefined;
      // What it began goes on as a turn, and is found by its time.
      if (before !== undefined) await surroundings.stop(before);
      start(surroundings);
    },
    saw: (inbound) => targets.saw(inbound),
    report: () => settings().enabled ? { everyS: settings().intervalS, last } : null,
    line: heartbeatLine(settings()),
  };
}

/** What is said in the conversation of a person, as if it had been found there. */
function wordFor(
  { channel, chatId, sessionKey, context }: HeartbeatTarget,
  { platformId }: Inbound,
  content: string,
): NewInbound {
  return {
    ...{ sessionKey, chatId, context, content },
    channel: SYSTEM_CHANNEL,
    platformId: heartbeatWordId(platformId),
    replyChannel: channel,
    senderId: "heartbeat",
    media: [],
    wantsStream: false,
  };
}

function askedModel(
  { journal, usage }: HeartbeatWiring,
  { loaded: { config }, provider }: HeldConfig,
): AskedModel {
  const { model, temperature, maxTokens, reasoningEffort } = config.agents.defaults;
  const sessionKey = HEARTBEAT_SESSION;
  return {
    ...{ provider, model, temperature, reasoningEffort },
    tokensMax: Math.min(maxTokens, DECISION_TOKENS_MAX),
    ...countedCalls({ sessionKey, usage, journal, provider: provider.name, model }),
  };
}

function heartbeatLine({ enabled, intervalS, quietHours, target }: HeartbeatConfig): string {
  if (!enabled) return "Heartbeat: off";
  const every = intervalS % 60 === 0 ? `${intervalS / 60} min` : `${intervalS} s`;
  const quiet = quietHours === null ? "" : `, but not ${quietHours}`;
  return `Heartbeat: every ${every}${quiet}, for ${target ?? "the chat where a person last wrote"}`;
}
