/**
 * Turns what happened in a chat into events, and hands them to the delivery desk.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { DeliveryDesk, EventRecord, FragmentPlan } from "./delivery.ts";
import { encryptBody, envelope, messageEvent, reactionEvent } from "./envelope.ts";
import type { PlatformSettings } from "./options.ts";
import type { Person, StoredMessage, StoredReaction, World } from "./world.ts";

/** Writes events; those of a type the app did not subscribe to are left out. */
export class EventWriter {
  readonly #settings: PlatformSettings;
  readonly #world: World;
  readonly #desk: DeliveryDesk;

  constructor(settings: PlatformSettings, world: World, desk: DeliveryDesk) {
    this.#settings = settings;
    this.#world = world;
    this.#desk = desk;
  }

  /** A person's message; always subscribed. */
  received(message: StoredMessage, fragments?: FragmentPlan): EventRecord {
    const chat = this.#world.chats.get(message.chatId);
    if (chat === undefined) throw new RangeError(`Cannot announce "${message.messageId}": no chat`);
    const sender = this.#world.person(message.from);
    const event = messageEvent(message, chat, sender, this.#settings.envelopes);
    return this.send("im.message.receive_v1", event, fragments);
  }

  recalled({ messageId, chatId }: StoredMessage): void {
    this.#sendSubscribed("im.message.recalled_v1", {
      message_id: messageId,
      chat_id: chatId,
      recall_time: String(this.#world.clock.now()),
      recall_type: "message_owner",
    });
  }

  /** Somebody put the bot into a group. */
  botAdded(chatId: string, { openId, unionId }: Person): EventRecord {
    return this.send("im.chat.member.bot.added_v1", {
      chat_id: chatId,
      operator_id: { open_id: openId, union_id: unionId },
      external: false,
      name: "A group",
    });
  }

  reaction(change: "created" | "deleted", messageId: string, reaction: StoredReaction): void {
    const event = reactionEvent(messageId, reaction, this.#settings.envelopes);
    this.#sendSubscribed(`im.message.reaction.${change}_v1`, event);
  }

  /** Any event, subscribed or not. */
  send(eventType: string, event: JsonObject, fragments?: FragmentPlan): EventRecord {
    const sent = envelope(this.#settings.envelopes, {
      eventId: this.#world.newId("event-"),
      eventType,
      atMs: this.#world.clock.now(),
      event,
    });
    const text = JSON.stringify(sent.body);
    const { encryptKey } = this.#settings;
    const payload = encryptKey === undefined ? text : encryptBody(text, encryptKey);
    return this.#desk.send(sent, payload, fragments);
  }

  #sendSubscribed(eventType: string, event: JsonObject): void {
    if (this.#settings.subscribedEvents.has(eventType)) this.send(eventType, event);
  }
}
