/**
 * What the channel asks of WhatsApp. Behind it stands the library, loaded at first use.
 * @module
 */

import type { PersonIds } from "./ids.ts";
import type { FileMessage, ReceivedMessage } from "./wire.ts";

/** A message of somebody's, to be quoted or reacted to. */
export interface MessageRef {
  readonly chatJid: string;
  readonly id: string;
  /** Who wrote it, in a group. */
  readonly participantJid?: string | undefined;
}

/** What a message quotes. */
export interface Quote extends MessageRef {
  /** Its words, as far as they are known. */
  readonly text: string;
}

/** How a file is shown. */
export type FileKind = "image" | "video" | "gif" | "audio" | "voice" | "document";

/** A file to send. */
export interface FileBody {
  readonly kind: FileKind;
  readonly name: string;
  readonly mimetype: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What is sent. */
export type OutgoingBody =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly file: FileBody };

/** A message on its way. */
export interface Outgoing {
  readonly chatJid: string;
  /** The same for the same message, however often it is tried. */
  readonly id: string;
  readonly body: OutgoingBody;
  /** @default none */
  readonly quote?: Quote | undefined;
}

/** Whether the bot seems to write in a chat. */
export type Presence = "composing" | "paused";

/** Sends for a linked device. All throw {@link WhatsAppUnreachableError} and {@link WhatsAppRefusedError}. */
export interface WhatsAppLink {
  /** Resolves when the server has the message. */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<void>;
  /** @param emoji null takes the reaction away */
  react(message: MessageRef, emoji: string | null, signal: AbortSignal): Promise<void>;
  showPresence(chatJid: string, presence: Presence): Promise<void>;
  /** Shows a message as read. */
  markRead(message: MessageRef): Promise<void>;
}

/** The servers for files, which need no connection. Throws as {@link WhatsAppLink} does. */
export interface FileSource {
  /** Fetches a file of a person's; the body must be read or cancelled, and fails when its sum is wrong. */
  openFile(
    file: FileMessage,
    kind: FileKind,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>;
}

/** How a connection ended. */
export interface Ending {
  /** The library's code, which follows HTTP; 0 when we ended it. */
  readonly code: number;
  readonly detail: string;
}

/** What a connection tells. */
export interface ConnectionEvents {
  /** Signed in: messages come and go. */
  opened(self: PersonIds): void;
  /** A text to be scanned as a code, which links this device; the next one replaces it. */
  codeShown(code: string): void;
  /** A phone has linked this device. */
  linked(): void;
  /** The server names a person, as a message of theirs arrives; it may take a moment to be read. */
  named(person: PersonIds): void;
  /** Is a message to be kept? Asked before the server learns that it arrived. */
  isWanted(message: ReceivedMessage): boolean;
  /** A message was kept. */
  kept(): void;
}

/** One connection, until it ends. */
export interface Connection extends WhatsAppLink, AsyncDisposable {
  /** Never rejects. */
  readonly ended: Promise<Ending>;
  /** Asks for a code that is typed into the phone with this number, instead of a scan. */
  requestCode(digits: string): Promise<string>;
}
