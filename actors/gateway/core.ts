/**
 * The actors between the journal and the channels: gate, router, one outbox and one actor for each
 * channel. Everything they need is handed in, so that the simulated world runs them unchanged.
 * @module
 */

import type { ChannelSessions } from "../../channels/channel.ts";
import type { Accepted, ActedRow, Inbound, Journal, NewInbound } from "../journal/journal.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { ActorSystem } from "../kernel/system.ts";
import { idleCompactionActor, type IdleCompactionOptions } from "../session/idle_compaction.ts";
import type {
  GateMessage,
  IdleCompactionMessage,
  OutboxMessage,
  OwnersInformed,
} from "../session/ports.ts";
import type { SessionErased } from "../session/session_erasure.ts";
import { UNWATCHED, type Watch } from "../session/watch.ts";
import type { HookListener } from "../tools/hooks/hook_event.ts";
import { channelActor } from "./channel_actor.ts";
import type { ChannelActorMessage } from "./channel_protocol.ts";
import type { Failure } from "./delivery_retry.ts";
import { gateActor, type GateActorMessage } from "./gate.ts";
import { journalKeeperActor, type Retention } from "./journal_keeper.ts";
import { type CoreChannel, CoreChannels } from "./core_channels.ts";
import { outboxActor, type OutboxActorMessage, type ProgressRules } from "./outbox.ts";
import { addressesOf, type AlarmMessage, ownerNoticesActor } from "./owner_notices.ts";
import type { TroubleNote } from "./trouble_note.ts";
import { watchedDelivery } from "./watch/watched_delivery.ts";
import {
  routerActor,
  type RouterActorMessage,
  type RouterMessage,
  type StartSession,
} from "./router.ts";

export type { CoreChannel } from "./core_channels.ts";

/** Longest time for one delivery as its outbox sees it: beyond the channel's own limit. */
const DELIVERY_ANSWER_MS = 310_000;

/** Unless the configuration says otherwise. */
const SUBAGENTS_MAX = 3;

/** What the core is made of. */
export interface CoreOptions {
  readonly system: ActorSystem;
  readonly journal: Journal;
  readonly channels: readonly CoreChannel[];
  /** Turns at once; 0 or less: no limit. */
  readonly permitsMax: number;
  /** Subagents at once. @default 3 */
  readonly subagentsMax?: number;
  readonly isUnified: boolean;
  /** Sessions awake at once. @default 1_000 */
  readonly awakeMax?: number;
  readonly progress: ProgressRules;
  /** Attempts of the quick round, the first included. */
  readonly sendAttemptsMax: number;
  /** Who hears of alarms, each as `channel:sender`. @default nobody */
  readonly owners?: readonly string[];
  /** How long finished rows stay. @default for ever */
  readonly retention?: Retention;
  /** Ends the process in good order, so that it is started again. @default nothing can */
  readonly restart?: (() => void) | undefined;
  /** Tells the next gateway why. @default it does not know */
  readonly troubleNote?: TroubleNote | undefined;
  /** Conversations that nobody writes in are compacted. @default they are not */
  readonly idleCompaction?: Omit<IdleCompactionOptions, "router">;
  /** Deletes a conversation that is asleep. @default none is deleted */
  readonly eraseSession?: ((sessionKey: string) => Promise<SessionErased>) | undefined;
  /** The conversations of a channel, for its clients. @default none are told of */
  readonly sessionsOf?:
    | ((channel: string, router: ActorRef<RouterMessage>) => ChannelSessions)
    | undefined;
  /** Who watches deliveries. @default nobody does */
  readonly watch?: Watch | undefined;
  /** Told of each message that is taken in. @default nobody is */
  readonly onInbound?: ((inbound: Inbound) => void) | undefined;
  /** Told of messages and connections. @default nobody is */
  readonly hooks?: HookListener | undefined;
  readonly startSession: (
    ...args: [...Parameters<StartSession>, surroundings: SessionSurroundings]
  ) => ReturnType<StartSession>;
}

/** What a session reaches of the core. */
export interface SessionSurroundings {
  readonly gate: ActorRef<GateMessage>;
  readonly subagentPlaces?: ActorRef<GateMessage>;
  readonly outbox: (channel: string) => ActorRef<OutboxMessage> | undefined;
  readonly showsReasoning?: (channel: string) => boolean;
  readonly alarms?: ActorRef<OwnersInformed>;
  readonly compaction?: ActorRef<IdleCompactionMessage>;
}

/** The running actors. */
export interface Core {
  readonly gate: ActorRef<GateActorMessage>;
  readonly router: ActorRef<RouterActorMessage>;
  readonly outboxes: ReadonlyMap<string, ActorRef<OutboxActorMessage>>;
  readonly alarms: ActorRef<AlarmMessage>;
  /**
   * Takes in what comes from inside: a due job, a heartbeat, a subagent's result. It is a message
   * like any other, so that it happens once, whatever dies.
   *
   * @throws {JournalError} when it was not taken in
   */
  accept(inbound: NewInbound): Promise<Accepted>;
  /** A person acted on a row, and the journal has it. */
  rowChanged(acted: ActedRow): void;
  /** Starts the channels; everything that takes their messages is up by then. */
  startChannels(): ReadonlyMap<string, ActorRef<ChannelActorMessage>>;
  /** Wakes the sessions that an earlier process left unfinished; none is before. */
  recover(): void;
  /** Has these channels run, besides those that `isKept`; the map of \`startChannels\` follows. */
  changeChannels(
    channels: readonly CoreChannel[],
    isKept: (name: string) => boolean,
  ): Promise<void>;
  /** So many turns and subagents at once from now on; 0 or less: no limit. */
  limit(bounds: { readonly permitsMax: number; readonly subagentsMax: number }): void;
}

/** Starts gate, outboxes and router; the channels come when `startChannels` is called. */
export function startCore(options: CoreOptions): Core {
  const { system, journal, retention } = options;
  const channels: CoreChannels = new CoreChannels({
    system,
    startOutbox: (channel) => startOutbox(channel, options, { alarms, channels }),
    startChannel: (channel, outbox) => startChannel(channel, outbox),
  });
  const { outboxes } = channels;
  const gate = system.spawn(gateActor(options.permitsMax));
  const { subagentsMax = SUBAGENTS_MAX } = options;
  const subagentPlaces = system.spawn(gateActor(subagentsMax, "subagent_places"));
  const alarms = system.spawn(ownerNoticesActor({
    journal,
    get owners() {
      return addressesOf(options.owners ?? [], (name) => outboxes.has(name));
    },
    outbox: (name) => outboxes.get(name),
  }));
  const { restart, troubleNote: note } = options;
  if (retention !== undefined) {
    system.spawn(journalKeeperActor({ journal, retention, alarms, restart, note }));
  }
  for (const channel of options.channels) channels.add(channel);
  let late: Pick<SessionSurroundings, "compaction"> = {};
  let recovers = false;
  const router = system.spawn(routerActor({
    journal,
    get recovers() {
      return recovers;
    },
    eraseSession: options.eraseSession,
    onInbound: options.onInbound,
    ...(options.awakeMax !== undefined && { awakeMax: options.awakeMax }),
    startSession: (...args) =>
      options.startSession(...args, {
        ...{ gate, subagentPlaces },
        outbox: (name) => outboxes.get(name),
        showsReasoning: (name) => channels.get(name)?.showsReasoning === true,
        alarms,
        ...late,
      }),
  }));
  const { idleCompaction } = options;
  if (idleCompaction !== undefined) {
    late = { compaction: system.spawn(idleCompactionActor({ ...idleCompaction, router })) };
  }
  const startChannel = (
    { name, startHost, transcribe }: CoreChannel,
    outbox: ActorRef<OutboxActorMessage>,
  ) =>
    system.spawn(channelActor({
      ...{ name, journal, router, outbox, alarms, startHost, transcribe },
      ...{ isUnified: options.isUnified, hooks: options.hooks },
      sessions: options.sessionsOf?.(name, router),
    }));
  return {
    gate,
    router,
    outboxes,
    alarms,
    async accept(inbound) {
      const accepted = await journal.accept(inbound);
      if (accepted.state === "accepted") {
        router.tell({ type: "inbound_accepted", inbound: accepted.inbound });
      }
      return accepted;
    },
    rowChanged({ kind, row }) {
      if (kind === "outbound") {
        outboxes.get(row.channel)?.tell({ type: "row_changed", key: row.key });
      } else if (row.state === "accepted") router.tell({ type: "inbound_accepted", inbound: row });
      else router.tell({ type: "wake_session", sessionKey: row.sessionKey }); // others go on
    },
    startChannels() {
      channels.start();
      return channels.actors;
    },
    recover() {
      recovers = true;
      router.tell({ type: "rescan" });
    },
    changeChannels: (wanted, isKept) => channels.change(wanted, isKept),
    limit({ permitsMax, subagentsMax }) {
      gate.tell({ type: "limit_permits", permitsMax });
      subagentPlaces.tell({ type: "limit_permits", permitsMax: subagentsMax });
    },
  };
}

/** What an outbox leads to. */
interface Surroundings {
  readonly alarms: ActorRef<AlarmMessage>;
  readonly channels: Pick<CoreChannels, "actors">;
}

function startOutbox(
  { name, idempotencyMs, sparesMessages }: CoreChannel,
  options: CoreOptions,
  { alarms, channels }: Surroundings,
): ActorRef<OutboxActorMessage> {
  const timeoutMs = DELIVERY_ANSWER_MS;
  const { system, journal, progress, hooks, watch = UNWATCHED } = options;
  return system.spawn(outboxActor({
    channel: name,
    journal,
    progress,
    sparesMessages,
    retry: {
      get quickAttemptsMax() {
        return options.sendAttemptsMax;
      },
      idempotencyMs,
    },
    alarms,
    hooks,
    deliver: (delivery, signal) =>
      watchedDelivery(
        watch,
        { channel: name, key: delivery.key },
        async () =>
          await channels.actors.get(name)?.ask(
            (replyTo) => ({ type: "deliver", delivery, askedAtMs: system.clock.now(), replyTo }),
            { timeoutMs, signal },
          ) ?? notStarted(name),
      ),
    lookUp: async (delivery, signal) =>
      await channels.actors.get(name)?.ask(
        (replyTo) => ({ type: "look_up", delivery, replyTo }),
        { timeoutMs, signal },
      ) ?? notStarted(name),
    noteWaiting: (note) => channels.actors.get(name)?.tell({ type: "note_waiting", ...note }),
  }));
}

function notStarted(name: string): Failure {
  const message = `Cannot deliver to "${name}": the channel has not started`;
  return { state: "failed", code: "delivery_transient", message };
}
