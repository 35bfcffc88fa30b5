/**
 * What a simulated workspace holds: people, channels, messages, files.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { Blocks } from "./blocks.ts";

/** A person. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
}

/** A channel or direct chat. */
export interface Conversation {
  readonly id: string;
  readonly name: string;
  readonly kind: "channel" | "im";
  /** Of a direct chat. */
  readonly userId: string;
}

/** A file. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mimetype: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** It stands in a message. */
  isShared: boolean;
}

/** A message. */
export interface StoredMessage {
  readonly channel: string;
  readonly ts: string;
  readonly user: string;
  readonly threadTs: string | undefined;
  text: string;
  blocks: Blocks | undefined;
  readonly files: readonly StoredFile[];
  metadata: JsonObject | undefined;
  isDeleted: boolean;
  edits: number;
  /** Who alone sees it. */
  readonly onlyFor: string | undefined;
  readonly reactions: Set<string>;
}

/** What a new message may leave out. */
export type NewMessage =
  & Pick<StoredMessage, "channel" | "user">
  & Partial<
    Pick<StoredMessage, "text" | "blocks" | "files" | "metadata" | "threadTs" | "onlyFor">
  >;

/** One workspace. */
export class World {
  readonly people: Map<string, Person> = new Map();
  readonly conversations: Map<string, Conversation> = new Map();
  readonly files: Map<string, StoredFile> = new Map();
  readonly messages: StoredMessage[] = [];
  readonly #clock: Clock;
  #instants = 0;
  #files = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a message; its id is its instant, and no other has it. */
  add(message: NewMessage): StoredMessage {
    const stored: StoredMessage = {
      text: "",
      blocks: undefined,
      files: [],
      metadata: undefined,
      threadTs: undefined,
      onlyFor: undefined,
      ...message,
      ts: this.#nextTs(),
      isDeleted: false,
      edits: 0,
      reactions: new Set(),
    };
    this.messages.push(stored);
    return stored;
  }

  /** A message that is there. */
  find(channel: string, ts: string): StoredMessage | undefined {
    return this.messages.find((message) =>
      message.channel === channel && message.ts === ts && !message.isDeleted
    );
  }

  /** Adds a file that nobody sees yet. */
  addFile(name: string, mimetype: string, bytes: Uint8Array<ArrayBuffer>): StoredFile {
    const id = `F${String(++this.#files).padStart(4, "0")}`;
    const file = { id, name, mimetype, bytes, isShared: false };
    this.files.set(id, file);
    return file;
  }

  /** The direct chat with a person. */
  directChat(userId: string): Conversation {
    const id = `D${userId.slice(1)}`;
    const known = this.conversations.get(id);
    if (known !== undefined) return known;
    const made: Conversation = { id, name: "", kind: "im", userId };
    this.conversations.set(id, made);
    return made;
  }

  #nextTs(): string {
    const seconds = Math.floor(this.#clock.now() / 1_000);
    return `${seconds}.${String(++this.#instants).padStart(6, "0")}`;
  }
}
