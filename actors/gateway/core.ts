/**
 * The actors between the journal and the channels: gate, router, one outbox and one actor for each
 * channel. Everything they need is handed in, so that the simulated world runs them unchanged.
 * @module
 */

import type { Journal } from "../journal/journal.ts";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { ActorSystem } from "../kernel/system.ts";
import type { GateMessage, OutboxMessage } from "../session/ports.ts";
import {
  channelActor,
  type ChannelActorMessage,
  type StartHost,
  unanswered,
} from "./channel_actor.ts";
import type { Transcribe } from "./channel_desk.ts";
import { gateActor, type GateActorMessage } from "./gate.ts";
import { outboxActor, type OutboxActorMessage, type ProgressRules } from "./outbox.ts";
import { routerActor, type RouterActorMessage, type StartSession } from "./router.ts";

/** Longest time for one delivery as its outbox sees it: beyond the channel's own limit. */
const DELIVERY_ANSWER_MS = 310_000;

/** One channel, ready to be started. */
export interface CoreChannel {
  readonly name: string;
  /** How long a send under the same key may be repeated; 0: never. */
  readonly idempotencyMs: number;
  readonly startHost: StartHost;
  /** Writes down what is said in its sound files. @default nobody does */
  readonly transcribe?: Transcribe;
}

/** What the core is made of. */
export interface CoreOptions {
  readonly system: ActorSystem;
  readonly journal: Journal;
  readonly channels: readonly CoreChannel[];
  /** Turns at once; 0 or less: no limit. */
  readonly permitsMax: number;
  readonly isUnified: boolean;
  /** Whether sessions that an earlier process left unfinished are woken. */
  readonly recovers: boolean;
  readonly progress: ProgressRules;
  /** Attempts of the quick round, the first included. */
  readonly sendAttemptsMax: number;
  readonly startSession: (
    ...args: [...Parameters<StartSession>, surroundings: SessionSurroundings]
  ) => ReturnType<StartSession>;
}

/** What a session reaches of the core. */
export interface SessionSurroundings {
  readonly gate: ActorRef<GateMessage>;
  readonly outbox: (channel: string) => ActorRef<OutboxMessage> | undefined;
}

/** The running actors. */
export interface Core {
  readonly gate: ActorRef<GateActorMessage>;
  readonly router: ActorRef<RouterActorMessage>;
  readonly outboxes: ReadonlyMap<string, ActorRef<OutboxActorMessage>>;
  /** Starts the channels; everything that takes their messages is up by then. */
  startChannels(): ReadonlyMap<string, ActorRef<ChannelActorMessage>>;
}

/** Starts gate, outboxes and router; the channels come when `startChannels` is called. */
export function startCore(options: CoreOptions): Core {
  const { system, journal, progress, sendAttemptsMax } = options;
  const channelActors = new Map<string, ActorRef<ChannelActorMessage>>();
  const gate = system.spawn(gateActor(options.permitsMax));
  const outboxes = new Map(options.channels.map(({ name, idempotencyMs }) => [
    name,
    system.spawn(outboxActor({
      channel: name,
      journal,
      progress,
      retry: { quickAttemptsMax: sendAttemptsMax, idempotencyMs },
      deliver: async (delivery) => {
        const channel = channelActors.get(name);
        if (channel === undefined) return notStarted(name);
        try {
          return await channel.ask((replyTo) => ({ type: "deliver", delivery, replyTo }), {
            timeoutMs: DELIVERY_ANSWER_MS,
          });
        } catch (error) {
          return unanswered(asError(error));
        }
      },
    })),
  ]));
  const router = system.spawn(routerActor({
    journal,
    recovers: options.recovers,
    startSession: (...args) =>
      options.startSession(...args, { gate, outbox: (name) => outboxes.get(name) }),
  }));
  return {
    gate,
    router,
    outboxes,
    startChannels() {
      for (const { name, startHost, transcribe } of options.channels) {
        const outbox = outboxes.get(name);
        if (outbox === undefined) continue;
        const { isUnified } = options;
        const definition = channelActor({
          name,
          journal,
          router,
          outbox,
          isUnified,
          startHost,
          transcribe,
        });
        channelActors.set(name, system.spawn(definition));
      }
      return channelActors;
    },
  };
}

function notStarted(name: string) {
  const message = `Cannot deliver to "${name}": the channel has not started`;
  return { state: "failed", code: "delivery_transient", message } as const;
}
