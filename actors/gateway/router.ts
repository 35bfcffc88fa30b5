/**
 * The session router: wakes the actor of a session when something waits for it, and lets it sleep
 * when nothing does. What it forgets, the journal knows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Inbound, Journal, SessionsPage } from "../journal/journal.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome, StopReason } from "../kernel/actor.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import type { CompactSession, SessionEvent, SessionMessage } from "../session/ports.ts";
import type { SessionErased } from "../session/session_erasure.ts";
import { leaves } from "./leaving.ts";
import { UnfinishedLook } from "./unfinished_look.ts";
import { unfinishedSessions } from "./unfinished_sessions.ts";

const logger = getLogger(["troupe", "gateway", "router"]);

/** Past this many waiting messages, single ones turn into one look into the journal. */
const MAILBOX_MAX = 10_000;
/**
 * Sessions that are awake at once. Each holds its conversation in memory; those beyond it wait in
 * the journal, as their messages do.
 */
const AWAKE_MAX = 1_000;
/** Rows of the journal that one look for unfinished sessions reads. */
const PAGE_ROWS = 256;
/**
 * Sessions that were left unfinished wake so many at once, with a pause between: one keeps the event
 * loop for some two milliseconds, and those that wake first should get to their turn meanwhile.
 */
const WAKES_AT_ONCE = 4;
const WAKE_PAUSE_MS = 10;
/** Wait before a session that failed for good, or an unreadable journal, is looked at again. */
const RESCAN_MS = 5_000;

/** What the gateway tells the router. */
export type RouterMessage =
  | { readonly type: "inbound_accepted"; readonly inbound: Inbound }
  | { readonly type: "inbound_withdrawn"; readonly inbound: Inbound }
  /** Wake every session with unfinished business in the journal. */
  | { readonly type: "rescan" }
  | { readonly type: "report_sessions"; readonly replyTo: ReplyTo<SessionsReport> }
  | CompactSession
  | WakeSession
  /** Delete a conversation, unless somebody waits for an answer in it. */
  | {
    readonly type: "erase_session";
    readonly sessionKey: string;
    readonly replyTo: ReplyTo<SessionErased>;
  }
  | SessionEvent;

/** A session is to look what waits for it: what held that up may be over. */
export interface WakeSession {
  readonly type: "wake_session";
  readonly sessionKey: string;
}

/** Which sessions are awake. */
export interface SessionsReport {
  readonly awake: number;
  readonly awakeMax: number;
}

type Internal =
  | {
    readonly type: "session_erased";
    readonly sessionKey: string;
    readonly replyTo: ReplyTo<SessionErased>;
    readonly outcome: Outcome<SessionErased>;
  }
  | { readonly type: "session_stopped"; readonly sessionKey: string; readonly reason: StopReason }
  | { readonly type: "page_read"; readonly outcome: Outcome<SessionsPage> }
  | { readonly type: "withdrawn"; readonly inbound: Inbound; readonly outcome: Outcome<boolean> }
  | { readonly type: "pause_over" };

type Message = RouterMessage | Internal;

/** All that the router understands. */
export type RouterActorMessage = Message;

/** What the router is made of. */
export interface RouterOptions {
  readonly journal: Pick<Journal, "unfinishedSessions" | "noteKeys" | "withdraw">;
  /** Whether a router that starts, or starts anew, wakes the sessions that were left unfinished. */
  readonly recovers: boolean;
  /** @default 1_000 */
  readonly awakeMax?: number;
  readonly startSession: StartSession;
  /** Told of each message that is taken in, but for those of a rush. @default nobody is */
  readonly onInbound?: ((inbound: Inbound) => void) | undefined;
  /** Deletes a conversation that nobody has awake. @default none is deleted */
  readonly eraseSession?: ((sessionKey: string) => Promise<SessionErased>) | undefined;
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

/** A conversation that is being deleted, and what came for it meanwhile. */
interface Erasing {
  readonly wasAwake: boolean;
  wasTold: boolean;
  readonly withdrawn: Inbound[];
}

class Router implements Actor<Message> {
  readonly #context: ActorContext<Message>;
  readonly #options: RouterOptions;
  readonly #awakeMax: number;
  readonly #sessions = new Map<string, Entry>();
  /** Sessions that have nothing to do and their idle times, the longest first. */
  readonly #resting = new Map<string, string>();
  /** Conversations that are being deleted. */
  readonly #erasing = new Map<string, Erasing>();
  /** Sessions that were found unfinished and wait for room, oldest first. */
  #line: string[] = [];
  readonly #unfinished: UnfinishedLook;
  /** Some were woken, and others have their turn before the next. */
  #isPausing = false;

  constructor(context: ActorContext<Message>, options: RouterOptions) {
    this.#context = context;
    this.#options = options;
    this.#awakeMax = options.awakeMax ?? AWAKE_MAX;
    this.#unfinished = new UnfinishedLook(options.recovers);
    this.#fill();
  }

  receive(message: Message): void {
    switch (message.type) {
      case "inbound_accepted":
        this.#options.onInbound?.(message.inbound);
        return this.#accepted(message.inbound);
      case "inbound_withdrawn":
        return this.#withdraw(message.inbound);
      case "withdrawn":
        return this.#withdrawn(message.inbound, message.outcome);
      case "rescan":
        return this.#rescan();
      case "compact_session":
        return this.#compactSession(message.sessionKey, message.idleMs);
      case "erase_session":
        return this.#eraseSession(message.sessionKey, message.replyTo);
      case "session_erased":
        return this.#sessionErased(message);
      case "wake_session":
        return this.#wakeAgain(message.sessionKey);
      case "page_read":
        return this.#pageRead(message.outcome);
      case "pause_over":
        return this.#pauseOver();
      case "session_resting":
        return this.#sessionResting(message.sessionKey, message.idleId);
      case "session_idle":
        return this.#letSleep(message.sessionKey, message.idleId);
      case "session_stopped":
        return this.#sessionStopped(message.sessionKey, message.reason);
      case "report_sessions":
        return message.replyTo.reply({ awake: this.#sessions.size, awakeMax: this.#awakeMax });
      default:
        return unreachable(message);
    }
  }

  get #hasRoom(): boolean {
    return this.#sessions.size < this.#awakeMax;
  }

  /** It is awake, or there is room for one more beside all that are known to wait for theirs. */
  #mayHear(sessionKey: string): boolean {
    if (this.#sessions.has(sessionKey)) return true;
    return this.#unfinished.isOver && this.#sessions.size + this.#line.length < this.#awakeMax;
  }

  /** Without room, or behind others that wait for it, the journal tells of it when its time comes. */
  #accepted(inbound: Inbound): void {
    const { sessionKey, seq } = inbound;
    if (this.#mayHear(sessionKey)) {
      return this.#tell(sessionKey, { type: "inbound_accepted", inbound });
    }
    this.#unfinished.passBy(seq);
    this.#fill();
  }

  /** Its session knows what a turn is about to begin with; where it is asleep, none is. */
  #withdraw(inbound: Inbound): void {
    const { sessionKey, seq } = inbound;
    const erasing = this.#erasing.get(sessionKey);
    if (erasing !== undefined) return void erasing.withdrawn.push(inbound);
    if (this.#sessions.has(sessionKey) || this.#hasRoom) {
      return this.#tell(sessionKey, { type: "inbound_withdrawn", inbound });
    }
    this.#context.pipe(
      () => this.#options.journal.withdraw(seq),
      (outcome) => ({ type: "withdrawn", inbound, outcome }),
    );
  }

  /** Where it was a draft, it held up what its chat wrote after it. */
  #withdrawn({ sessionKey, seq }: Inbound, outcome: Outcome<boolean>): void {
    if (outcome.state === "failed") {
      const { message: reason } = outcome.error;
      logger.error("Cannot take back message {seq}, which will be answered: {reason}", {
        seq,
        reason,
      });
    } else if (outcome.value) this.#wakeAgain(sessionKey);
  }

  /** Only where there is room: it can wait, and whoever keeps time asks again. */
  #compactSession(sessionKey: string, idleMs: number): void {
    if (this.#mayHear(sessionKey)) this.#tell(sessionKey, { type: "compact", idleMs });
  }

  /** A conversation that is awake is put to sleep first; one that is at work is left alone. */
  #eraseSession(sessionKey: string, replyTo: ReplyTo<SessionErased>): void {
    const entry = this.#sessions.get(sessionKey);
    const { eraseSession } = this.#options;
    if (this.#erasing.has(sessionKey) || eraseSession === undefined) return replyTo.reply("busy");
    this.#erasing.set(sessionKey, { wasTold: false, wasAwake: entry !== undefined, withdrawn: [] });
    this.#context.pipe(
      async () => {
        if (entry !== undefined) {
          if (!await leaves(entry.ref)) return "busy";
          await this.#context.stop(entry.ref); // all that it still writes
        }
        return await eraseSession(sessionKey);
      },
      (outcome) => ({ type: "session_erased", sessionKey, replyTo, outcome }),
    );
  }

  #sessionErased(
    { sessionKey, replyTo, outcome }: Extract<Internal, { readonly type: "session_erased" }>,
  ): void {
    const erasing = this.#erasing.get(sessionKey);
    this.#erasing.delete(sessionKey);
    if (outcome.state === "ok") replyTo.reply(outcome.value);
    else replyTo.refuse(outcome.error);
    for (const inbound of erasing?.withdrawn ?? []) this.#withdraw(inbound);
    // It may have been about to look for work.
    const isLeft = erasing?.wasAwake && (outcome.state === "failed" || outcome.value === "busy");
    if (erasing?.wasTold || isLeft) this.#wakeAgain(sessionKey);
  }

  #tell(sessionKey: string, message: SessionMessage): void {
    const erasing = this.#erasing.get(sessionKey);
    if (erasing !== undefined) {
      erasing.wasTold = true; // the journal has what it was told
      return;
    }
    const entry = this.#sessions.get(sessionKey) ?? this.#wake(sessionKey);
    entry.wasTold = true;
    this.#resting.delete(sessionKey);
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

  #sessionResting(sessionKey: string, idleId: string): void {
    this.#resting.delete(sessionKey);
    this.#resting.set(sessionKey, idleId);
    this.#makeRoom();
  }

  /** A message may have crossed the session's last word, so that it has the last say. */
  #letSleep(sessionKey: string, idleId: string): void {
    this.#resting.delete(sessionKey);
    const entry = this.#sessions.get(sessionKey);
    if (entry === undefined || entry.idleId === idleId) return;
    entry.idleId = idleId;
    entry.wasTold = false;
    entry.ref.tell({ type: "sleep", idleId });
  }

  #sessionStopped(sessionKey: string, reason: StopReason): void {
    const entry = this.#sessions.get(sessionKey);
    this.#sessions.delete(sessionKey);
    this.#resting.delete(sessionKey);
    if (reason.type === "failed") {
      logger.error("Session {sessionKey} failed for good: {reason}", {
        sessionKey,
        reason: reason.error.message,
      });
      this.#rescanLater();
    } else if (entry?.wasTold && !this.#erasing.has(sessionKey)) {
      this.#wakeAgain(sessionKey);
    }
    this.#fill();
  }

  /** Wakes a session, or puts it behind those that wait for room. */
  #wakeAgain(sessionKey: string): void {
    if (this.#mayHear(sessionKey)) this.#tell(sessionKey, { type: "wake" });
    else {
      if (!this.#line.includes(sessionKey)) this.#line.push(sessionKey);
      this.#fill();
    }
  }

  #rescan(): void {
    this.#unfinished.startOver();
    this.#fill();
  }

  #rescanLater(): void {
    this.#context.after(RESCAN_MS, { type: "rescan" });
  }

  /** Wakes those that wait, oldest first, as far as there is room, and looks for more. */
  #fill(): void {
    if (this.#isPausing) return;
    for (let woken = 0; this.#hasRoom; woken++) {
      const [sessionKey] = this.#line;
      if (sessionKey === undefined) return this.#readOn();
      if (woken === WAKES_AT_ONCE) return this.#pause();
      this.#line.shift();
      this.#tell(sessionKey, { type: "wake" });
    }
    this.#makeRoom();
  }

  #pause(): void {
    this.#isPausing = true;
    this.#context.after(WAKE_PAUSE_MS, { type: "pause_over" });
  }

  #pauseOver(): void {
    this.#isPausing = false;
    this.#fill();
  }

  /** Lets those sleep that have rested longest, as many as others wait for their room. */
  #makeRoom(): void {
    const isCrowded = this.#line.length > 0 || !this.#unfinished.isOver;
    if (this.#hasRoom || !isCrowded) return;
    const wanted = Math.max(1, this.#line.length);
    for (const [sessionKey, idleId] of [...this.#resting].slice(0, wanted)) {
      this.#letSleep(sessionKey, idleId);
    }
  }

  #readOn(): void {
    const cursor = this.#unfinished.begin();
    if (cursor === null) return;
    this.#context.pipe(
      () => unfinishedSessions(this.#options.journal, cursor, PAGE_ROWS),
      (outcome) => ({ type: "page_read", outcome }),
    );
  }

  #pageRead(outcome: Outcome<SessionsPage>): void {
    if (outcome.state === "failed") {
      this.#unfinished.failed();
      return this.#rescanLater();
    }
    const { sessionKeys, next } = outcome.value;
    this.#unfinished.ended(next);
    for (const sessionKey of sessionKeys) {
      // Those that are awake look once more: they may have been told of nothing.
      if (this.#sessions.has(sessionKey)) this.#tell(sessionKey, { type: "wake" });
      else if (!this.#line.includes(sessionKey)) this.#line.push(sessionKey);
    }
    this.#fill();
  }
}
