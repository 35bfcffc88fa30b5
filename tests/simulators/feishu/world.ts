/**
 * What exists on the platform: people, chats, messages, reactions, cards, files. Nothing here
 * knows how it is reached.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { CardEntity } from "./card_entity.ts";

/** A person of the tenant. */
export interface Person {
  readonly openId: string;
  readonly unionId: string;
  /** Known to the app only with the permission for it. */
  readonly userId: string | undefined;
  readonly name: string;
}

/** A direct chat with a person, or a group. */
export interface Chat {
  readonly chatId: string;
  readonly kind: "p2p" | "group";
  /** The person of a direct chat. */
  readonly openId: string | undefined;
  /** Each message opens a topic of its own. */
  readonly isTopicGroup: boolean;
  /** False: replies in a topic are refused (230071). */
  readonly allowsTopics: boolean;
  isBotInside: boolean;
  readonly messages: StoredMessage[];
}

/** A mention; `key` stands in the text. */
export interface StoredMention {
  readonly key: string;
  readonly openId: string;
  readonly name: string;
  readonly isBot: boolean;
}

/** An emoji somebody put on a message. */
export interface StoredReaction {
  readonly reactionId: string;
  readonly emoji: string;
  /** `"bot"` or a person's open id. */
  readonly by: string;
  readonly atMs: number;
}

/** A message as the platform keeps it. */
export interface StoredMessage {
  readonly messageId: string;
  readonly chatId: string;
  /** `"bot"` or a person's open id. */
  readonly from: string;
  msgType: string;
  /** JSON text. */
  content: string;
  readonly parentId: string | undefined;
  readonly rootId: string | undefined;
  threadId: string | undefined;
  readonly upperMessageId: string | undefined;
  readonly mentions: readonly StoredMention[];
  readonly createdAtMs: number;
  updatedAtMs: number;
  isRecalled: boolean;
  edits: number;
  /** The entity behind a card message. */
  readonly card: CardEntity | undefined;
  readonly reactions: StoredReaction[];
  /** Every text a person has seen in it, oldest first. */
  readonly texts: string[];
}

/** An uploaded image or file. */
export interface StoredFile {
  readonly key: string;
  /** `image`, or the `file_type` of a file upload. */
  readonly type: string;
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly durationMs: number | undefined;
}

/** What a new message may have; the rest is filled in. */
export type MessageDraft =
  & Pick<StoredMessage, "chatId" | "from" | "msgType" | "content">
  & Partial<
    Pick<
      StoredMessage,
      "parentId" | "rootId" | "threadId" | "upperMessageId" | "mentions" | "card"
    >
  >;

/** Everything there is, in memory. */
export class World {
  readonly clock: Clock;
  readonly people: Map<string, Person> = new Map<string, Person>();
  readonly chats: Map<string, Chat> = new Map<string, Chat>();
  readonly messages: Map<string, StoredMessage> = new Map<string, StoredMessage>();
  readonly cards: Map<string, CardEntity> = new Map<string, CardEntity>();
  readonly files: Map<string, StoredFile> = new Map<string, StoredFile>();
  readonly #tag: string;
  #ids = 0;

  /** @param tag hex digits that make the ids of this world unlike those of another one */
  constructor(clock: Clock, tag: string) {
    this.clock = clock;
    this.#tag = tag;
  }

  /** An id such as `om_…`; rising in the order they were made. */
  newId(prefix: string): string {
    return `${prefix}${this.#tag}${(++this.#ids).toString(16).padStart(16, "0")}`;
  }

  /** A card's id: 19 digits. */
  newCardId(): string {
    return `73${String(parseInt(this.#tag.slice(0, 6), 16)).padStart(8, "0")}${
      String(++this.#ids).padStart(9, "0")
    }`;
  }

  /** The person, made known if new. */
  person(
    openId: string,
    { name = openId, userId }: { name?: string; userId?: string } = {},
  ): Person {
    const known = this.people.get(openId);
    if (known !== undefined) return known;
    const person = { openId, unionId: `on_${openId.slice(3)}`, userId, name };
    this.people.set(openId, person);
    return person;
  }

  /** The direct chat with a person, made if new. */
  directChat(openId: string, chatId: string = this.newId("oc_")): Chat {
    this.person(openId);
    const known = this.chats.values().find((chat) => chat.openId === openId);
    if (known !== undefined) return known;
    return this.#addChat({
      chatId,
      kind: "p2p",
      openId,
      isTopicGroup: false,
      allowsTopics: true,
      isBotInside: true,
      messages: [],
    });
  }

  /** The group, made if new. */
  group(
    chatId: string,
    { isTopicGroup = false, allowsTopics = true }: Partial<
      Pick<Chat, "isTopicGroup" | "allowsTopics">
    > = {},
  ): Chat {
    return this.chats.get(chatId) ?? this.#addChat({
      chatId,
      kind: "group",
      openId: undefined,
      isTopicGroup,
      allowsTopics,
      isBotInside: true,
      messages: [],
    });
  }

  /** Adds a message to its chat; in a topic group one without a topic opens its own. */
  addMessage(draft: MessageDraft): StoredMessage {
    const nowMs = this.clock.now();
    const chat = this.chats.get(draft.chatId);
    const opensTopic = chat?.isTopicGroup === true && draft.upperMessageId === undefined;
    const message: StoredMessage = {
      messageId: this.newId("om_"),
      parentId: undefined,
      rootId: undefined,
      upperMessageId: undefined,
      mentions: [],
      card: undefined,
      ...draft,
      threadId: draft.threadId ?? (opensTopic ? this.newId("omt_") : undefined),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      isRecalled: false,
      edits: 0,
      reactions: [],
      texts: [],
    };
    this.messages.set(message.messageId, message);
    if (draft.upperMessageId === undefined) chat?.messages.push(message);
    return message;
  }

  /** Where an answer to `message` belongs; with `opensTopic` the message becomes a topic's root. */
  replyPlace(
    message: StoredMessage,
    opensTopic: boolean,
  ): Pick<StoredMessage, "parentId" | "rootId" | "threadId"> {
    if (opensTopic) message.threadId ??= this.newId("omt_");
    return {
      parentId: message.messageId,
      rootId: message.rootId ?? message.messageId,
      threadId: message.threadId,
    };
  }

  #addChat(chat: Chat): Chat {
    this.chats.set(chat.chatId, chat);
    return chat;
  }
}
