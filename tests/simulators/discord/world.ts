/**
 * What there is at the platform: accounts, channels, messages, files.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";

/** Text channel of a server, direct messages, public thread. */
export const CHANNEL_TYPES = { text: 0, direct: 1, thread: 11 } as const;

const EPOCH_MS = 1_420_070_400_000;

/** An account. */
export interface SimUser {
  readonly id: string;
  readonly username: string;
  readonly globalName: string | null;
  readonly isBot: boolean;
}

/** A channel. */
export interface SimChannel {
  readonly id: string;
  readonly type: number;
  readonly guildId: string | null;
  readonly parentId: string | null;
  readonly name: string;
  /** Of direct messages: the person. */
  readonly personId: string | null;
  /** The bot may write there. */
  isOpen: boolean;
}

/** A file of a message. */
export interface SimFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Seconds; of a voice message. */
  readonly duration: number | null;
}

/** A button below a message. */
export interface SimButton {
  readonly label: string;
  readonly customId: string;
}

/** A message as it stands. */
export interface SimMessage {
  readonly id: string;
  readonly channelId: string;
  readonly author: SimUser;
  /** What it said, oldest first; the last one shows. */
  readonly texts: string[];
  readonly files: readonly SimFile[];
  readonly type: number;
  readonly mentionIds: readonly string[];
  readonly referenceId: string | null;
  readonly nonce: string | null;
  readonly sentAtMs: number;
  /** Embeds, stickers, polls, snapshots and the like, as they go over the wire. */
  readonly extras: JsonObject;
  /** By emoji: whose. */
  readonly reactions: Map<string, Set<string>>;
  isDeleted: boolean;
  buttons: readonly SimButton[];
}

/** Everything. */
export class World {
  readonly bot: SimUser;
  readonly users: Map<string, SimUser> = new Map();
  readonly channels: Map<string, SimChannel> = new Map();
  readonly messages: Map<string, SimMessage> = new Map();
  readonly files: Map<string, SimFile> = new Map();
  readonly #clock: Clock;
  #increment = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.bot = this.addUser("bot", { isBot: true });
  }

  /** Epoch milliseconds. */
  get nowMs(): number {
    return this.#clock.now();
  }

  /** An id that grows with time. */
  newId(): string {
    const time = BigInt(this.#clock.now() - EPOCH_MS) << 22n;
    return String(time | BigInt(this.#increment++ % 4_096));
  }

  addUser(
    username: string,
    { globalName = null, isBot = false }: {
      readonly globalName?: string | null;
      readonly isBot?: boolean;
    } = {},
  ): SimUser {
    const user = { id: this.newId(), username, globalName, isBot };
    this.users.set(user.id, user);
    return user;
  }

  addChannel(
    type: number,
    { id = this.newId(), guildId = null, parentId = null, name = "", personId = null }: Partial<
      SimChannel
    > = {},
  ): SimChannel {
    const channel = { id, type, guildId, parentId, name, personId, isOpen: true };
    this.channels.set(id, channel);
    return channel;
  }

  /** The direct channel with a person, made if new. */
  directChannel(personId: string, id: string = this.newId()): SimChannel {
    const known = this.channels.values().find((channel) => channel.personId === personId);
    return known ?? this.addChannel(CHANNEL_TYPES.direct, { id, personId });
  }

  addFile(
    { name, bytes, contentType = "application/octet-stream", duration = null }:
      & Pick<SimFile, "name" | "bytes">
      & Partial<SimFile>,
  ): SimFile {
    const file = { id: this.newId(), name, bytes, contentType, duration };
    this.files.set(file.id, file);
    return file;
  }

  addMessage(
    message:
      & Pick<SimMessage, "channelId" | "author">
      & { readonly text: string }
      & Partial<SimMessage>,
  ): SimMessage {
    const { text, ...given } = message;
    const mentioned = [...text.matchAll(/<@!?(\d+)>/g)].map(([, id = ""]) => id);
    const stored: SimMessage = {
      id: this.newId(),
      files: [],
      type: 0,
      mentionIds: [...new Set(mentioned)].filter((id) => this.users.has(id)),
      referenceId: null,
      nonce: null,
      sentAtMs: this.#clock.now(),
      extras: {},
      reactions: new Map(),
      isDeleted: false,
      buttons: [],
      ...given,
      texts: [text],
    };
    this.messages.set(stored.id, stored);
    return stored;
  }

  /** Messages of a channel that are there, oldest first. */
  messagesIn(channelId: string): readonly SimMessage[] {
    return [...this.messages.values()].filter((message) =>
      message.channelId === channelId && !message.isDeleted
    );
  }
}
