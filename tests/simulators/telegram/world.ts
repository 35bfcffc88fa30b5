/**
 * What the platform knows: people, chats, messages, files.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ShownEntity } from "./entities.ts";
import { badRequest, Refusal } from "./refusal.ts";

/** Somebody who uses Telegram. */
export interface Person {
  readonly id: number;
  readonly firstName: string;
  readonly username: string | undefined;
  /** Wrote to the bot, so that it may write back. */
  hasStarted: boolean;
  hasBlockedBot: boolean;
}

/** A chat with the bot in it. */
export interface Chat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup";
  readonly isForum: boolean;
  /** Topics that are open. */
  readonly topics: Set<number>;
  isBotInside: boolean;
  /** Where it lives since it became a supergroup. */
  movedTo: number | undefined;
  messageCount: number;
}

/** A button below a message. */
export interface Button {
  readonly text: string;
  readonly data: string;
}

/** A message as it is now. */
export interface StoredMessage {
  readonly id: number;
  readonly chatId: number;
  readonly isFromBot: boolean;
  readonly threadId: number | undefined;
  readonly replyToId: number | undefined;
  readonly file: StoredFile | undefined;
  /** How a file is shown. */
  readonly fileKind: string | undefined;
  text: string;
  entities: readonly ShownEntity[];
  /** Every text it had, oldest first. */
  readonly texts: string[];
  buttons: readonly Button[];
  reaction: string | null;
  isDeleted: boolean;
}

/** A file as it was sent. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file that a person sent, which the bot may fetch. */
export interface OfferedFile extends StoredFile {
  readonly path: string;
  /** What the platform says of its size, where that differs. */
  readonly size: number;
}

/** All there is. */
export class World {
  readonly clock: Clock;
  readonly people: Map<number, Person> = new Map();
  readonly chats: Map<number, Chat> = new Map();
  readonly messages: StoredMessage[] = [];
  /** By file id. */
  readonly files: Map<string, OfferedFile> = new Map();
  commands: readonly JsonObject[] = [];
  /** Presses that were acknowledged. */
  readonly answeredPresses: string[] = [];
  webhookUrl = "";

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** @throws {Refusal} when the bot cannot write there */
  chatForBot(id: unknown): Chat {
    const chat = this.chats.get(Number(id));
    if (chat === undefined) throw badRequest("chat not found");
    if (chat.movedTo !== undefined) {
      throw new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: chat.movedTo,
      });
    }
    const person = this.people.get(chat.id);
    if (person?.hasBlockedBot === true) {
      throw new Refusal(403, "Forbidden: bot was blocked by the user");
    }
    if (person?.hasStarted === false) {
      throw new Refusal(403, "Forbidden: bot can't initiate conversation with a user");
    }
    if (!chat.isBotInside) {
      throw new Refusal(403, "Forbidden: bot was kicked from the group chat");
    }
    return chat;
  }

  /** Adds a message to its chat, and gives it its number there. */
  add(
    message:
      & Omit<StoredMessage, "id" | "texts" | "buttons" | "reaction" | "isDeleted">
      & Partial<Pick<StoredMessage, "buttons">>,
  ): StoredMessage {
    const chat = this.chats.get(message.chatId);
    if (chat === undefined) throw badRequest("chat not found");
    const stored = {
      buttons: [],
      ...message,
      id: ++chat.messageCount,
      texts: [message.text],
      reaction: null,
      isDeleted: false,
    };
    this.messages.push(stored);
    return stored;
  }

  /** A message that is there. */
  message(chatId: number, id: number): StoredMessage | undefined {
    return this.messages.find((message) =>
      message.chatId === chatId && message.id === id && !message.isDeleted
    );
  }
}
