/**
 * What a channel asks of the gateway: to take messages in, to complete or drop them, to remember
 * something, to write down what was said.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ChannelInbound, ChannelSessions, Transcription } from "../../channels/channel.ts";
import type { FromChannel } from "../../channels/host_protocol.ts";
import type { Accepted, Durability, Inbound, Journal, Step } from "../journal/journal.ts";
import type { Outcome } from "../kernel/actor.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import type { HookListener } from "../tools/hooks/hook_event.ts";
import { isOnTheWay } from "./courier.ts";
import { messageIn } from "./message_news.ts";
import type { OutboxControl } from "./outbox.ts";
import type { RouterMessage } from "./router.ts";
import { effectiveSessionKey } from "./session_key.ts";

const logger = getLogger(["troupe", "gateway", "channel"]);

/** Drafts in one page. */
const DRAFTS_MAX = 256;

/** Those of a channel's messages that want an answer. */
export type ChannelRequest = Extract<FromChannel, { readonly replyTo: unknown }>;

type RequestOf<Type extends ChannelRequest["type"]> = Extract<
  ChannelRequest,
  { readonly type: Type }
>;

/** Writes down what is said in a sound file of a channel's media folder; never rejects. */
export type Transcribe = (path: string, signal: AbortSignal) => Promise<Transcription>;

/** What a desk works with. */
export interface ChannelDeskOptions {
  /** Runtime name of the channel. */
  readonly name: string;
  readonly journal: Journal;
  readonly router: ActorRef<RouterMessage>;
  readonly outbox: ActorRef<OutboxControl>;
  readonly isUnified: boolean;
  /** @default nobody does */
  readonly transcribe?: Transcribe | undefined;
  /** The channel's own conversations. @default it is told of none */
  readonly sessions?: ChannelSessions | undefined;
  /** Told of messages that were taken in, and of the connection. @default nobody is */
  readonly hooks?: HookListener | undefined;
  /** Runs work beside the mailbox; `done` is not called once the actor has ended. */
  readonly pipe: <T>(
    work: (signal: AbortSignal) => Promise<T>,
    done: (outcome: Outcome<T>) => void,
  ) => void;
}

/** Answers the requests of one channel. Only what is durable is acknowledged. */
export class ChannelDesk {
  readonly #options: ChannelDeskOptions;
  #takesInput = true;
  /** Why the last message was refused; null when it was not. */
  #lastRefusal: string | null = null;

  constructor(options: ChannelDeskOptions) {
    this.#options = options;
  }

  /** Takes nothing more in. Drafts may still be completed; the next start works on them. */
  stopIntake(): void {
    this.#takesInput = false;
  }

  /** Answers a request, at once or later. */
  receive(request: ChannelRequest): void {
    switch (request.type) {
      case "hand_in":
        return this.#handIn(request);
      case "complete_inbound":
        return this.#complete(request);
      case "list_drafts":
        return this.#listDrafts(request);
      case "withdraw_inbound":
        return this.#withdraw(request);
      case "remember":
        return this.#remember(request);
      case "remember_inbound":
        return this.#rememberInbound(request);
      case "recall_inbound":
        return this.#recallInbound(request);
      case "list_sessions":
        return this.#pass(() => this.#sessions.list(), request.replyTo, (listed) => listed);
      case "read_session":
        return this.#pass(() => this.#sessions.read(request.key), request.replyTo, (read) => read);
      case "erase_session":
        return this.#pass(() => this.#sessions.erase(request.key), request.replyTo, (end) => end);
      case "read_cursor":
        return this.#readCursor(request);
      case "keep_cursor":
        return this.#keepCursor(request);
      case "transcribe":
        return this.#transcribe(request);
      default:
        return unreachable(request);
    }
  }

  get #sessions(): ChannelSessions {
    return this.#options.sessions ?? NO_SESSIONS;
  }

  #handIn({ inbound, wantsStream, replyTo }: RequestOf<"hand_in">): void {
    if (!this.#takesInput) return replyTo.reply("refused");
    const { name: channel, isUnified, journal, pipe } = this.#options;
    const { sessionKey: override, ...message } = inbound;
    const { chatId, platformId } = message;
    const sessionKey = effectiveSessionKey({ channel, chatId, override, isUnified });
    pipe(() => journal.accept({ ...message, channel, sessionKey, wantsStream }), (outcome) => {
      if (outcome.state === "ok") return replyTo.reply(this.#accepted(outcome.value));
      this.#noteRefusal(platformId, outcome.error.message);
      replyTo.reply("refused");
    });
  }

  /** Platforms send what was refused again and again: each reason is told once until it passes. */
  #noteRefusal(platformId: string, reason: string): void {
    const level = reason === this.#lastRefusal ? "debug" : "error";
    this.#lastRefusal = reason;
    logger[level]("Cannot accept message {platformId}: {reason}", { platformId, reason });
  }

  #accepted(accepted: Accepted): "accepted" | "duplicate" {
    this.#lastRefusal = null;
    if (accepted.state === "duplicate") return "duplicate";
    const { inbound } = accepted;
    if (inbound.draft === null) this.#takenIn(inbound);
    return "accepted";
  }

  #takenIn(inbound: Inbound): void {
    this.#options.hooks?.tell(messageIn(inbound));
    this.#tellRouter({ type: "inbound_accepted", inbound });
  }

  #complete({ platformId, contents, replyTo }: RequestOf<"complete_inbound">): void {
    const { name: channel, journal } = this.#options;
    const completing = () => journal.complete({ channel, platformId, ...contents });
    this.#pass(completing, replyTo, (inbound) => {
      if (inbound !== null) this.#takenIn(inbound);
      return "completed";
    });
  }

  #listDrafts({ replyTo }: RequestOf<"list_drafts">): void {
    const { name, journal } = this.#options;
    const listing = () => journal.drafts(name, 0, DRAFTS_MAX);
    this.#pass(listing, replyTo, (drafts) => drafts.map(asChannelInbound));
  }

  /** Its session decides: only that knows what a turn is about to begin with. */
  #withdraw({ platformId, replyTo }: RequestOf<"withdraw_inbound">): void {
    const { name, journal, router } = this.#options;
    this.#pass(() => journal.inbound(name, platformId), replyTo, (inbound) => {
      if (inbound?.state === "accepted") router.tell({ type: "inbound_withdrawn", inbound });
      return "withdrawn";
    });
  }

  #transcribe({ path, replyTo }: RequestOf<"transcribe">): void {
    const { transcribe } = this.#options;
    if (transcribe === undefined) return replyTo.reply({ state: "off" });
    this.#pass((signal) => transcribe(path, signal), replyTo, (transcription) => transcription);
  }

  #remember({ key, channelState, keeping, replyTo }: RequestOf<"remember">): void {
    if (isOnTheWay(key)) return replyTo.reply("remembered");
    this.#store({ outboundChanges: [{ key, channelState }] }, keeping, replyTo, () => {
      this.#options.outbox.tell({ type: "state_remembered", key, channelState });
    });
  }

  #rememberInbound(request: RequestOf<"remember_inbound">): void {
    const { platformId, channelState, replyTo } = request;
    const { name: channel } = this.#options;
    const inboundMemory = [{ channel, platformId, channelState }];
    this.#store({ inboundMemory }, "written", replyTo);
  }

  #recallInbound({ platformId, replyTo }: RequestOf<"recall_inbound">): void {
    const { name, journal } = this.#options;
    this.#pass(() => journal.inboundMemory(name, platformId), replyTo, (memory) => memory);
  }

  #readCursor({ replyTo }: RequestOf<"read_cursor">): void {
    const { name, journal } = this.#options;
    this.#pass(() => journal.note(cursorNote(name)), replyTo, (cursor) => cursor);
  }

  #keepCursor({ cursor, replyTo }: RequestOf<"keep_cursor">): void {
    const notes = [{ key: cursorNote(this.#options.name), value: cursor }];
    this.#store({ notes }, "written", replyTo);
  }

  /** Once the gateway stops, what becomes ready is left to the next start. */
  #tellRouter(message: RouterMessage): void {
    if (this.#takesInput) this.#options.router.tell(message);
  }

  #store(
    step: Step,
    durability: Durability,
    replyTo: ReplyTo<"remembered">,
    stored: () => void = () => {},
  ): void {
    this.#pass(() => this.#options.journal.commit(step, durability), replyTo, () => {
      stored();
      return "remembered";
    });
  }

  #pass<T, Answer>(
    work: (signal: AbortSignal) => Promise<T>,
    replyTo: ReplyTo<Answer>,
    answerOf: (value: T) => Answer,
  ): void {
    this.#options.pipe(work, (outcome) => {
      if (outcome.state === "ok") replyTo.reply(answerOf(outcome.value));
      else replyTo.refuse(outcome.error);
    });
  }
}

const NO_SESSIONS: ChannelSessions = {
  list: () => Promise.resolve([]),
  read: () => Promise.resolve(null),
  erase: () => Promise.resolve("missing"),
};

/** How far a channel has read its platform. */
function cursorNote(channel: string): string {
  return `cursor:${channel}`;
}

function asChannelInbound(inbound: Inbound): ChannelInbound {
  const { platformId, chatId, senderId, content, media, context, sessionKey, draft } = inbound;
  const message = { platformId, chatId, senderId, content, media, context, sessionKey };
  return draft === null ? message : { ...message, draft };
}
