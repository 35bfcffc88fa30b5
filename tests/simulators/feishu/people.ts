/**
 * People at the other end: what they write, send, forward, recall and react to.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { noteText } from "./view.ts";
import type { Chat, MessageDraft, StoredMention, StoredMessage, World } from "./world.ts";

/** Somebody to mention. */
export type Mention = "bot" | { readonly openId: string; readonly name: string };

/** A message a person writes. */
export interface Saying {
  /** Who writes. @default "ou_alice" */
  readonly openId?: string;
  /** The name they are known by. @default the open id */
  readonly name?: string;
  /** Known to the app only with a permission; without it there is none. */
  readonly userId?: string;
  /** A group, made if new; without it the direct chat with the bot. */
  readonly chatId?: string;
  /** @default "group" with a chat id of no known chat */
  readonly chatType?: "p2p" | "group";
  /** The text; a mention whose key (`@_user_1`, …) does not stand in it is put in front. */
  readonly text?: string;
  /** Another type than text, with its content. */
  readonly msgType?: string;
  readonly content?: JsonObject;
  readonly mentions?: readonly Mention[];
  /** Answers this message; in a topic if that one is in a topic. */
  readonly replyTo?: string;
  /** With `replyTo`: opens a topic there. */
  readonly inTopic?: boolean;
}

/** A message inside a forwarded bundle. */
export interface ForwardedChild {
  readonly openId: string;
  readonly text: string;
}

/** Makes messages of persons; sending their events is somebody else's part. */
export class People {
  readonly #world: World;
  readonly #bot: { readonly openId: string; readonly name: string };

  constructor(world: World, bot: { readonly openId: string; readonly name: string }) {
    this.#world = world;
    this.#bot = bot;
  }

  /** Writes a message into its chat. */
  say(saying: Saying): StoredMessage {
    const { openId = "ou_alice", name, userId, msgType = "text" } = saying;
    this.#world.person(openId, { ...(name && { name }), ...(userId && { userId }) });
    const chat = this.#chat(saying, openId);
    const mentions = (saying.mentions ?? []).map((mention, index) => this.#mention(mention, index));
    const content = saying.content ?? { text: withMentions(saying.text ?? "", mentions) };
    const target = saying.replyTo === undefined ? undefined : this.#message(saying.replyTo);
    return this.#add({
      chatId: chat.chatId,
      from: openId,
      msgType,
      content: JSON.stringify(content),
      mentions,
      ...(target !== undefined && this.#world.replyPlace(target, saying.inTopic === true)),
    });
  }

  /** Forwards a bundle; the children are read by the bundle's id. */
  forward(saying: Saying, children: readonly ForwardedChild[]): StoredMessage {
    const content = { content: "Merged and Forwarded Message" };
    const bundle = this.say({ ...saying, msgType: "merge_forward", content });
    for (const { openId, text } of children) {
      this.#world.person(openId);
      this.#add({
        chatId: bundle.chatId,
        from: openId,
        msgType: "text",
        content: JSON.stringify({ text }),
        upperMessageId: bundle.messageId,
      });
    }
    return bundle;
  }

  #add(draft: MessageDraft): StoredMessage {
    const message = this.#world.addMessage(draft);
    noteText(message);
    return message;
  }

  #chat({ chatId, chatType }: Saying, openId: string): Chat {
    if (chatId === undefined) return this.#world.directChat(openId);
    const known = this.#world.chats.get(chatId);
    if (known !== undefined) return known;
    return chatType === "p2p" ? this.#world.directChat(openId, chatId) : this.#world.group(chatId);
  }

  #message(messageId: string): StoredMessage {
    const message = this.#world.messages.get(messageId);
    if (message === undefined) {
      throw new RangeError(`Cannot answer "${messageId}": no such message`);
    }
    return message;
  }

  #mention(mention: Mention, index: number): StoredMention {
    const { openId, name } = mention === "bot" ? this.#bot : mention;
    return { key: `@_user_${index + 1}`, openId, name, isBot: openId === this.#bot.openId };
  }
}

function withMentions(text: string, mentions: readonly StoredMention[]): string {
  const missing = mentions.filter(({ key }) => !new RegExp(`${key}(?!\\d)`).test(text));
  return [...missing.map(({ key }) => key), text].join(" ");
}
