/**
 * What the device sent, as the phones of those who got it show it.
 * @module
 */

import type { BinaryNode, proto } from "@whiskeysockets/baileys";
import type { Directory } from "./answers.ts";
import { bytesIn, childOf, childrenOf } from "./nodes.ts";
import type { Sealed } from "./phone.ts";

/** Texts may be longer by no character. */
const TEXT_CHARS_MAX = 65_536;
/** Ids of messages as WhatsApp's own clients make them. */
const MESSAGE_ID = /^[0-9A-F]{16,40}$/;

/** A message of the device's. */
export interface Seen {
  readonly id: string;
  readonly chatId: string;
  message: proto.IMessage;
}

/** A reaction of the device's. */
export interface SeenReaction {
  readonly chatId: string;
  /** The message under which it stands. */
  readonly messageId: string;
  /** "" takes it away. */
  readonly emoji: string;
}

/** All chats of the device. */
export class Chats {
  readonly messages: Seen[] = [];
  readonly reactions: SeenReaction[] = [];
  readonly breaches: string[] = [];
  #work: Promise<void> = Promise.resolve();

  /** Shows a message, once whatever the device repeats. */
  take(stanza: BinaryNode, directory: Directory): Promise<void> {
    const taking = this.#work.then(() => this.#take(stanza, directory));
    this.#work = taking.catch((error) => {
      this.breaches.push(`no phone can read a message: ${error}`);
    });
    return this.#work;
  }

  async settled(): Promise<void> {
    await this.#work;
  }

  /** The messages of a chat, oldest first. */
  of(chatId: string): readonly Seen[] {
    return this.messages.filter((message) => message.chatId === chatId);
  }

  async #take(stanza: BinaryNode, directory: Directory): Promise<void> {
    const { id = "", to = "" } = stanza.attrs;
    if (!MESSAGE_ID.test(id)) this.breaches.push(`"${id}" is no id of a message`);
    const chatId = directory.phoneOf(to)?.phoneJid ?? to;
    const message = await opened(stanza, to, directory);
    const { reactionMessage: reaction } = message;
    if (reaction) {
      const { key, text } = reaction;
      this.reactions.push({ chatId, messageId: key?.id ?? "", emoji: text ?? "" });
      return;
    }
    const text = message.conversation ?? message.extendedTextMessage?.text ?? "";
    if (text.length > TEXT_CHARS_MAX) this.breaches.push(`a text of ${text.length} characters`);
    if (this.messages.some((seen) => seen.id === id && seen.chatId === chatId)) return;
    this.messages.push({ id, chatId, message });
  }
}

/** The message as all those read it who got it. */
async function opened(
  stanza: BinaryNode,
  to: string,
  directory: Directory,
): Promise<proto.IMessage> {
  const { lidJid } = directory.bot;
  const participants = childOf(stanza, "participants");
  const forGroup = childOf(stanza, "enc");
  let read: proto.IMessage | undefined;
  for (const part of participants === undefined ? [] : childrenOf(participants)) {
    const phone = directory.phoneOf(part.attrs["jid"] ?? "");
    const found = childOf(part, "enc");
    if (phone === undefined || found === undefined) continue;
    read = await phone.open(lidJid, { type: typeOf(found), bytes: bytesIn(found) });
  }
  const group = directory.groupOf(to);
  for (const member of group?.members ?? []) {
    read = await member.openOfGroup(to, lidJid, bytesIn(forGroup));
  }
  if (read === undefined) throw new TypeError("it is for nobody");
  return read;
}

function typeOf({ attrs: { type } }: BinaryNode): Sealed["type"] {
  if (type === "pkmsg" || type === "msg") return type;
  throw new TypeError(`no such kind: ${type}`);
}
