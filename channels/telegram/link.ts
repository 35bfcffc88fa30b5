/**
 * What the channel asks of the Bot API. Behind it stands the library, loaded at first use.
 * @module
 */

import type { Choice } from "../channel.ts";
import type { Entity } from "./render/styled.ts";
import type { BotInfo, TelegramUpdate } from "./wire.ts";

/** Where a message goes. */
export interface Place {
  readonly chatId: string;
  /** The topic; undefined outside of topics. */
  readonly threadId?: number | undefined;
  /** The message to quote; a missing one is no hindrance. */
  readonly replyToId?: number | undefined;
}

/** A message that is there. */
export interface SentMessage {
  readonly chatId: string;
  readonly messageId: number;
}

/** A text with its marks beside it. */
export interface TextBody {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Buttons below it. @default none; a message that is changed has none any more */
  readonly choices?: readonly Choice[];
}

/** How a file is shown. */
export type FileKind = "photo" | "animation" | "video" | "audio" | "voice" | "document";

/** A file to send. */
export interface FileBody {
  readonly kind: FileKind;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A file of a person's. */
export interface IncomingFile {
  readonly body: ReadableStream<Uint8Array>;
  readonly contentType: string;
}

/** What stands in the menu of commands. */
export interface MenuCommand {
  readonly command: string;
  readonly description: string;
}

/** Which updates are asked for. */
export interface UpdatesQuery {
  /** The first that is not confirmed; undefined for the first that there is. */
  readonly offset: number | undefined;
  /** How long to wait for one. */
  readonly timeoutSeconds: number;
}

/**
 * The Bot API for one token. Sends are never repeated by themselves, as nothing has a key.
 *
 * All methods throw {@link TelegramRefusedError} and {@link TelegramUnreachableError}, and the
 * signal's reason.
 */
export interface TelegramLink extends Disposable {
  getMe(signal: AbortSignal): Promise<BotInfo>;
  getUpdates(query: UpdatesQuery, signal: AbortSignal): Promise<readonly TelegramUpdate[]>;
  /** Takes a webhook away; what waits stays. */
  deleteWebhook(signal: AbortSignal): Promise<void>;
  setMyCommands(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void>;
  /** @returns the message's id */
  sendText(place: Place, body: TextBody, signal: AbortSignal): Promise<number>;
  /** @returns the message's id */
  sendFile(place: Place, body: FileBody, signal: AbortSignal): Promise<number>;
  editText(message: SentMessage, body: TextBody, signal: AbortSignal): Promise<void>;
  /** Tells the one who pressed a button that it arrived. */
  answerPress(pressId: string, signal: AbortSignal): Promise<void>;
  deleteMessage(message: SentMessage, signal: AbortSignal): Promise<void>;
  /** @param emoji null takes the reaction away */
  react(message: SentMessage, emoji: string | null, signal: AbortSignal): Promise<void>;
  /** Shows for five seconds that something is being written. */
  showTyping(place: Place, signal: AbortSignal): Promise<void>;
  /** Fetches a file of a person's; the body must be read or cancelled. */
  openFile(fileId: string, signal: AbortSignal): Promise<IncomingFile>;
}
