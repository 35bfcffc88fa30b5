/**
 * The session router: wakes the actor of a session when something waits for it, and lets it sleep
 * when nothing does. What it forgets, the journal knows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Inbound, Journal } from "../journal/journal.ts";
import type { Actor, ActorContext, ActorDefinition, StopReason } from "../kernel/actor.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import type { SessionEvent, SessionMessage } from "../session/ports.ts";

const logger = getLogger(["troupe", "gateway", "router"]);

/** Past this many waiting messages, single ones turn into one look into the journal. */
const MAILBOX_MAX = 10_000;
/** Wait before a session that failed for good, or an unreadable journal, is looked at again. */
const RESCAN_MS = 5_000;

/** What the gateway tells the router. */
export type RouterMessage =
  | { readonly type: "inbound_accepted"; readonly inbound: Inbound }
  | { readonly type: "inbound_withdrawn"; readonly inbound: Inbound }
  /** Wake every session with unfinished business in the journal. */
  | { readonly type: "rescan" }
  | { readonly type: "report_sessions"; readonly replyTo: ReplyTo<SessionsReport> }
  | SessionEvent;

/** Which sessions are awake. */
export interface SessionsReport {
  readonly awake: number;
}

type Internal =
  | { readonly type: "session_stopped"; readonly sessionKey: string; readonly reason: StopReason }
  | { readonly type: "unfinished_found"; readonly sessionKeys: readonly string[] }
  | { readonly type: "rescan_failed" };

type Message = RouterMessage | Internal;

/** All that the router understands. */
export type RouterActorMessage = Message;

/** What the router is made of. */
export interface RouterOptions {
  readonly journal: Journal;
  /** Whether sessions that an earlier process left unfinished are woken. */
  readonly recovers: boolean;
  readonly startSession: StartSession;
}

/** Starts the actor of a session as a child of the router, which hears its events. */
export type StartSession = (
  spawn: <M>(definition: ActorDefinition<M>) => ActorRef<M>,
  sessionKey: string,
  router: ActorRef<SessionEvent>,
) => ActorRef<SessionMessage>;

/** Defines the router; sessions are its children. */
export function routerActor(options: RouterOptions): ActorDefinition<RouterActorMessage> {
  return {
    name: "router",
    mailboxMax: MAILBOX_MAX,
    overflow: { type: "merge", merge: mergeIntoRescan },
    create: (context) => new Router(context, options),
  };
}

/** Two accepted messages that cannot both wait become one look into the journal. */
function mergeIntoRescan(waiting: Message, incoming: Message): Message | undefined {
  if (incoming.type !== "inbound_accepted") return undefined;
  const isNews = waiting.type === "inbound_accepted" || waiting.type === "rescan";
  return isNews ? { type: "rescan" } : undefined;
}

/** A session that is awake, or about to fall asleep. */
interface Entry {
  readonly ref: ActorRef<SessionMessage>;
  /** The idle time in which it was let sleep. */
  idleId: string | undefined;
  /** Something was told since then, which may have come too late. */
  wasTold: boolean;
}

class Router implements Actor<Message> {
  readonly #context: ActorContext<Message>;
  readonly #options: RouterOptions;
  readonly #sessions = new Map<string, Entry>();
  #isScanning = false;

  constructor(context: ActorContext<Message>, options: RouterOptions) {
    this.#context = context;
    this.#options = options;
    if (options.recovers) this.#rescan();
  }

  receive(message: Message): void {
    switch (message.type) {
      case "inbound_accepted":
      case "inbound_withdrawn":
        return this.#tell(message.inbound.sessionKey, message);
      case "rescan":
        return this.#rescan();
      case "unfinished_found":
        return this.#wakeAll(message.sessionKeys);
      case "rescan_failed":
        return this.#rescanLater();
      case "session_idle":
        return this.#letSleep(message.sessionKey, message.idleId);
      case "session_stopped":
        return this.#sessionStopped(message.sessionKey, message.reason);
      case "report_sessions":
        return message.replyTo.reply({ awake: this.#sessions.size });
      default:
        return unreachable(message);
    }
  }

  #tell(sessionKey: string, message: SessionMessage): void {
    const entry = this.#sessions.get(sessionKey) ?? this.#wake(sessionKey);
    entry.wasTold = true;
    // A session whose mailbox is full reads the rest from the journal when it gets there.
    entry.ref.tell(message);
  }

  #wake(sessionKey: string): Entry {
    const ref = this.#options.startSession(
      (definition) => this.#context.spawn(definition),
      sessionKey,
      this.#context.self,
    );
    this.#context.watch(ref, (reason) => ({ type: "session_stopped", sessionKey, reason }));
    const entry: Entry = { ref, idleId: undefined, wasTold: true };
    this.#sessions.set(sessionKey, entry);
    return entry;
  }

  /** A message may have crossed the session's last word, so that it has the last say. */
  #letSleep(sessionKey: string, idleId: string): void {
    const entry = this.#sessions.get(sessionKey);
    if (entry === undefined || entry.idleId === idleId) return;
    entry.idleId = idleId;
    entry.wasTold = false;
    entry.ref.tell({ type: "sleep", idleId });
  }

  #sessionStopped(sessionKey: string, reason: StopReason): void {
    const entry = this.#sessions.get(sessionKey);
    this.#sessions.delete(sessionKey);
    if (reason.type === "failed") {
      logger.error("Session {sessionKey} failed for good: {reason}", {
        sessionKey,
        reason: reason.error.message,
      });
      return this.#rescanLater();
    }
    if (entry?.wasTold) this.#tell(sessionKey, { type: "wake" });
  }

  #rescan(): void {
    if (this.#isScanning) return;
    this.#isScanning = true;
    this.#context.pipe(
      () => this.#options.journal.unfinishedSessions(),
      (outcome) =>
        outcome.state === "ok"
          ? { type: "unfinished_found", sessionKeys: outcome.value }
          : { type: "rescan_failed" },
    );
  }

  #rescanLater(): void {
    this.#isScanning = false;
    this.#context.after(RESCAN_MS, { type: "rescan" });
  }

  #wakeAll(sessionKeys: readonly string[]): void {
    this.#isScanning = false;
    for (const sessionKey of sessionKeys) this.#tell(sessionKey, { type: "wake" });
  }
}
