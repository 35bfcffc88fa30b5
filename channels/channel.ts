/**
 * The channel contract. A channel talks to one platform, inside a Worker of its own (the terminal:
 * in the main process). It knows its platform and this page, and nothing of the agent.
 * @module
 */

import { GatewayError, type Recovery } from "../actors/kernel/errors.ts";
import type { Clock } from "../actors/kernel/clock.ts";
import type { JsonObject, JsonValue } from "../actors/kernel/json.ts";
import type { NewId, Random } from "../actors/kernel/random.ts";

/** A message from the platform, after the checks that need no I/O (sender, policy, allow-list). */
export interface ChannelInbound {
  /** The platform's id of the message; the journal de-duplicates by it. */
  readonly platformId: string;
  readonly chatId: string;
  readonly senderId: string;
  readonly content: string;
  /** Absolute paths of downloaded attachments. */
  readonly media: readonly string[];
  /** What this channel needs to answer in the right place; comes back with each delivery. */
  readonly context: JsonObject;
  /** Session of a thread or topic; without it the session is `channel:chatId`. */
  readonly sessionKey?: string;
  /**
   * Makes it a draft: accepted, and so acknowledged, before its text and media are there. The
   * channel finds them by this and hands them in with `complete`; nobody works on it before.
   */
  readonly draft?: JsonObject;
}

/** What a draft lacked. */
export type InboundContents = Pick<ChannelInbound, "content" | "media">;

/** Speech as text. `off`: nobody is set up to write it down. */
export type Transcription =
  | { readonly state: "transcribed"; readonly text: string }
  | { readonly state: "off" }
  | { readonly state: "failed"; readonly reason: string };

/** What the gateway did with a message. `refused`: do not acknowledge, the platform may send again. */
export type HandInResult = "accepted" | "duplicate" | "refused";

/** Where a connection is; `detail` is one sentence for people, without secrets. */
export interface ConnectionState {
  readonly state: "connecting" | "ready" | "reconnecting" | "failed" | "stopped";
  readonly detail: string;
}

/** How the inbounds that a delivery answers ended, for reactions. */
export interface Settled {
  readonly platformId: string;
  readonly outcome: "done" | "failed" | "stopped";
  /** What `rememberInbound` last stored for it; null without. */
  readonly channelState: JsonValue;
}

/** An answer that can be given by a button. */
export interface Choice {
  /** What the button shows; at most 20 characters. */
  readonly label: string;
  /**
   * What the one who presses says thereby, as if written in the chat: the channel hands it in as a
   * message of theirs, under the same checks, with the chat, session and context of the delivery,
   * and under a platform id of its own.
   */
  readonly says: string;
}

/**
 * A message for a chat. A growing one comes several times under the same key, each time with the
 * whole text so far; the last time it is final. A final one may come again after a failure or a
 * restart: with the same key it must not show twice where the platform allows that.
 */
export interface Delivery {
  /** Idempotency key. */
  readonly key: string;
  readonly chatId: string;
  readonly phase: "growing" | "final";
  /** Whole text so far, Markdown unless `isPlain`. May be blank in a final one: then only settle. */
  readonly text: string;
  readonly isPlain: boolean;
  /** What runs just now (tool hints), shown while growing; "" when nothing does. */
  readonly activity: string;
  /**
   * What the model thinks on the way, the end of it as plain text, while growing; only for a channel
   * whose section asks for it. It is progress: a channel shows it beside the text, or not at all.
   */
  readonly reasoning?: string;
  /** Files, sent before the text; absolute paths. */
  readonly media: readonly string[];
  readonly context: JsonObject;
  /** What `remember` last stored under this key; null at first. */
  readonly channelState: JsonValue;
  readonly settles: readonly Settled[];
  /**
   * Stands before what is sent now: an earlier attempt may have arrived, and nobody can tell. Parts
   * that surely arrived are not sent again. @default nothing
   */
  readonly notice?: string;
  /**
   * Answers that a final one suggests, as buttons where the platform has them; its text says how to
   * answer without. A press counts once, and may come when the answer means nothing any more.
   *
   * @default none
   */
  readonly choices?: readonly Choice[];
  /**
   * The key of the delivery whose choices mean nothing from now on: a channel takes its buttons away
   * if it still knows them, and shows this text in their place.
   *
   * @default none
   */
  readonly closes?: string;
}

/**
 * What a look at the platform tells of a delivery in doubt. `arrived`: all of it is there, and
 * settled now; `absent`: what is not known to be there surely is not, so that it can be delivered
 * (again) and nothing shows twice; `cannot_tell`: neither.
 */
export type LookUp = "arrived" | "absent" | "cannot_tell";

/**
 * What outlives what: `written` a crash of the gateway, `synced` a power cut as well, for which
 * the disk is waited for.
 */
export type Keeping = "synced" | "written";

/** What the platform gave for a delivery. */
export interface DeliveryReceipt {
  /** Platform message ids, in order. Empty when there was nothing to show. */
  readonly messageIds: readonly string[];
}

/** What failed at the platform, and whether trying again can help. */
export type DeliveryFailure = "delivery_permanent" | "delivery_transient" | "delivery_unknown";

/** A delivery that failed. `delivery_unknown`: it may have arrived. */
export class DeliveryError extends GatewayError {
  override readonly name = "DeliveryError";
  readonly code: DeliveryFailure;
  readonly recovery: Recovery;
  /** The wait the platform asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: DeliveryFailure,
    message: string,
    options?: ErrorOptions & { readonly retryAfterMs?: number | undefined },
  ) {
    super(message, options);
    this.code = code;
    this.recovery = code === "delivery_transient" ? "retry" : "give_up";
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** A command that people can write to the assistant, for a platform's own menu of commands. */
export interface ChannelCommand {
  /**
   * Without the slash: lower case letters and hyphens, 32 at most. An underscore is understood for a
   * hyphen, where a platform takes no hyphens.
   */
  readonly name: string;
  /** What may follow the name, in one word; null when nothing may. */
  readonly argument: string | null;
  /** At most 100 characters. */
  readonly description: string;
}

/** A conversation of a channel's own, in a list. */
export interface ChannelSession {
  /** Begins with the channel's name and a colon. */
  readonly key: string;
  /** Epoch milliseconds. */
  readonly updatedAtMs: number;
}

/** One thing that was said in a conversation, without what went on between model and tools. */
export interface ChannelSessionMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** Epoch milliseconds; null where nobody knows. */
  readonly atMs: number | null;
}

/** What became of a conversation that was to be deleted. `busy`: somebody waits for an answer in it. */
export type SessionEnd = "deleted" | "missing" | "busy";

/** The conversations of a channel, for those whose clients may look through them. */
export interface ChannelSessions {
  /** The latest first, up to a bound. */
  list(): Promise<readonly ChannelSession[]>;
  /** What was said, oldest first; null when there is no such conversation of this channel. */
  read(key: string): Promise<readonly ChannelSessionMessage[] | null>;
  /** Deletes a conversation for good. */
  erase(key: string): Promise<SessionEnd>;
}

/** What a channel is given. */
export interface ChannelContext {
  /** Runtime name: `feishu`, or `feishu.<instance>`. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  /** The only folder the channel may write to, but for the one of its keys. */
  readonly mediaFolder: string;
  /** For keys that must outlive the channel; only where its manifest says that it keeps some. */
  readonly stateFolder?: string;
  /** Where the agent's files are; addresses in its texts that name no folder begin here. */
  readonly workspaceFolder?: string;
  /** What people can command, in order: for platforms with menus of commands. @default none */
  readonly commands?: readonly ChannelCommand[];
  /** Aborts when the channel must stop. */
  readonly signal: AbortSignal;
  /** Hands a message in; resolves when it is durable. Acknowledge the platform only then. */
  handIn(inbound: ChannelInbound): Promise<HandInResult>;
  /** Completes a draft; resolves when that is durable. What was stopped meanwhile stays stopped. */
  complete(platformId: string, contents: InboundContents): Promise<void>;
  /** Drafts that wait to be completed, oldest first: a page; ask again when these are complete. */
  drafts(): Promise<readonly ChannelInbound[]>;
  /** A person took a message back: it is dropped, unless it is being worked on. */
  withdraw(platformId: string): Promise<void>;
  /** Writes down what is said in a sound file of the media folder; never rejects. */
  transcribe(path: string): Promise<Transcription>;
  /**
   * Stores what is needed to finish the delivery `key` after a crash; resolves when durable.
   *
   * @param keeping `written` is enough for what can be found out again. @default "synced"
   */
  remember(key: string, channelState: JsonValue, keeping?: Keeping): Promise<void>;
  /** The same for an inbound (a reaction's id); a power cut may lose it. */
  rememberInbound(platformId: string, channelState: JsonValue): Promise<void>;
  /** What `rememberInbound` last stored for an inbound; null without. @default it cannot look */
  recallInbound?(platformId: string): Promise<JsonValue>;
  /** Where an earlier life of the channel stopped reading, as `keepCursor` last stored it; or null. */
  readCursor(): Promise<JsonValue>;
  /**
   * Stores how far the platform was read, for platforms that do not know it themselves. Call it only
   * for what was handed in; a power cut may lose the last ones, so what lies behind may come again.
   */
  keepCursor(cursor: JsonValue): Promise<void>;
  /**
   * Tells the owners that something went wrong that shows nowhere else: a message that had been
   * sent came back. Returns at once. @default nobody is told
   */
  informOwners?(text: string): void;
  /** The channel's own conversations. @default it cannot look at them */
  readonly sessions?: ChannelSessions;
  /** Says where the connection is. */
  report(state: ConnectionState): void;
}

/** A platform's connection. */
export interface Channel {
  /** Shows answers while they grow. */
  readonly isStreaming: boolean;
  /**
   * Connects, receives and reconnects until the context's signal aborts; then closes everything
   * and resolves. A rejection with a {@link GatewayError} whose recovery is `give_up` says that
   * going on is senseless (bad credentials); after any other the channel is started again.
   */
  run(): Promise<void>;
  /**
   * Shows a delivery; resolves when the platform has it. At most one call per key at a time; for
   * a growing delivery the promise is the pace: the next one comes after it.
   *
   * @throws {DeliveryError}
   */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt>;
  /**
   * Finds out whether a final delivery arrived whose attempt had no clear end, once the platform's
   * keys no longer protect a repetition. Channels that have no way leave it out.
   *
   * @throws {DeliveryError} when the platform cannot be asked just now
   */
  lookUp?(delivery: Delivery, signal: AbortSignal): Promise<LookUp>;
  /**
   * A message that was handed in waits for its turn, or waits no more; its answer settles it in any
   * case. Returns at once and never throws. Channels that have no way to show it leave it out.
   */
  noteWaiting?(platformId: string, isWaiting: boolean): void;
}

/** Makes a channel from its section of the config. */
export type ChannelFactory<Config> = (config: Config, context: ChannelContext) => Channel;
