/**
 * Routes about messages: send, answer, read, edit, recall.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { CardRules } from "./card_entity.ts";
import { checkContent } from "./content.ts";
import type { RateLimits, RateWindows } from "./limits.ts";
import { parseOrRefuse, Refusal } from "./refusal.ts";
import { data, type Route, type RouteAnswer, type RouteRequest } from "./route.ts";
import { noteText, simplifiedCard } from "./view.ts";
import type { Chat, StoredMessage, World } from "./world.ts";

/** What the routes over chats work with. */
export interface ChatRoutesOptions {
  readonly world: World;
  readonly appId: string;
  readonly tenantKey: string;
  readonly cardRules: CardRules;
  readonly limits: RateLimits;
  readonly windows: RateWindows;
}

const BAD_PARAMETER = 230001;
const UUID_WINDOW_MS = 3_600_000;
const EDITS_MAX = 20;

const uuidSchema = z.string().max(50).optional();
const createSchema = z.object({
  receive_id: z.string().min(1),
  msg_type: z.string().min(1),
  content: z.string().min(1),
  uuid: uuidSchema,
});
const replySchema = z.object({
  msg_type: z.string().min(1),
  content: z.string().min(1),
  reply_in_thread: z.boolean().optional(),
  uuid: uuidSchema,
});
const updateSchema = z.object({ msg_type: z.enum(["text", "post"]), content: z.string().min(1) });
const patchSchema = z.object({ content: z.string().min(1) });
const listSchema = z.object({
  container_id_type: z.enum(["chat", "thread"]),
  container_id: z.string().min(1),
  start_time: z.coerce.number().default(0),
  end_time: z.coerce.number().default(Infinity),
  sort_type: z.enum(["ByCreateTimeAsc", "ByCreateTimeDesc"]).default("ByCreateTimeAsc"),
  page_size: z.coerce.number().int().min(1).max(50).default(20),
  page_token: z.string().default("0"),
});

/** All of them. */
export function messageRoutes(options: ChatRoutesOptions): Route[] {
  const desk = new MessageDesk(options);
  const root = "/open-apis/im/v1/messages";
  const one = `${root}/:message_id`;
  return [
    {
      name: "im.message.create",
      scopes: ["im:message", "im:message:send_as_bot"],
      method: "POST",
      path: root,
      handle: (r) => desk.create(r),
    },
    {
      name: "im.message.list",
      scopes: ["im:message", "im:message:readonly"],
      method: "GET",
      path: root,
      handle: (r) => desk.list(r),
    },
    {
      name: "im.message.reply",
      scopes: ["im:message", "im:message:send_as_bot"],
      method: "POST",
      path: `${one}/reply`,
      handle: (r) => desk.reply(r),
    },
    {
      name: "im.message.get",
      scopes: ["im:message", "im:message:readonly"],
      method: "GET",
      path: one,
      handle: (r) => desk.get(r),
    },
    { name: "im.message.update", method: "PUT", path: one, handle: (r) => desk.update(r) },
    { name: "im.message.patch", method: "PATCH", path: one, handle: (r) => desk.patch(r) },
    { name: "im.message.delete", method: "DELETE", path: one, handle: (r) => desk.recall(r) },
  ];
}

/**
 * The message a route is about.
 *
 * @throws {Refusal} with `goneCode` when it is unknown or was recalled
 */
export function liveMessage(world: World, messageId: string, goneCode: number): StoredMessage {
  const message = world.messages.get(messageId);
  if (message === undefined) throw new Refusal(goneCode, `message ${messageId} does not exist`);
  if (message.isRecalled) throw new Refusal(goneCode, "The message was withdrawn");
  return message;
}

class MessageDesk {
  readonly #options: ChatRoutesOptions;
  readonly #world: World;
  readonly #sent = new Map<string, { readonly message: StoredMessage; readonly atMs: number }>();

  constructor(options: ChatRoutesOptions) {
    this.#options = options;
    this.#world = options.world;
  }

  create({ body, query }: RouteRequest): RouteAnswer {
    const { receive_id, msg_type, content, uuid } = parseOrRefuse(
      createSchema,
      body,
      BAD_PARAMETER,
    );
    const chat = this.#receiver(query.get("receive_id_type") ?? "", receive_id);
    return this.#send(chat, uuid, () => this.#post(chat, msg_type, content, {}));
  }

  reply({ params, body }: RouteRequest): RouteAnswer {
    const { msg_type, content, reply_in_thread, uuid } = parseOrRefuse(
      replySchema,
      body,
      BAD_PARAMETER,
    );
    const target = liveMessage(this.#world, params["message_id"] ?? "", 230011);
    const chat = this.#chatOf(target);
    return this.#send(chat, uuid, () => {
      const opensTopic = reply_in_thread === true && target.threadId === undefined;
      if (opensTopic && !chat.allowsTopics) {
        throw new Refusal(230071, "The chat does not support replies in a topic");
      }
      return this.#post(chat, msg_type, content, { target, opensTopic });
    });
  }

  get({ params }: RouteRequest): RouteAnswer {
    const messageId = params["message_id"] ?? "";
    const message = this.#world.messages.get(messageId);
    if (message === undefined) throw new Refusal(230110, "The message does not exist");
    const children = this.#world.messages.values()
      .filter((candidate) => candidate.upperMessageId === messageId);
    return data({ items: [message, ...children].map((item) => this.#object(item)) });
  }

  list({ query }: RouteRequest): RouteAnswer {
    const wanted = parseOrRefuse(listSchema, Object.fromEntries(query), BAD_PARAMETER);
    const all = wanted.container_id_type === "chat"
      ? this.#world.chats.get(wanted.container_id)?.messages
      : this.#world.messages.values().filter((m) => m.threadId === wanted.container_id).toArray();
    if (all === undefined) throw new Refusal(230002, "The bot is not in the chat");
    const inTime = all.filter(({ createdAtMs }) => {
      const second = Math.floor(createdAtMs / 1_000);
      return second >= wanted.start_time && second <= wanted.end_time;
    });
    if (wanted.sort_type === "ByCreateTimeDesc") inTime.reverse();
    const start = Number(wanted.page_token);
    const end = start + wanted.page_size;
    return data({
      has_more: end < inTime.length,
      page_token: end < inTime.length ? String(end) : "",
      items: inTime.slice(start, end).map((item) => this.#object(item)),
    });
  }

  update({ params, body }: RouteRequest): RouteAnswer {
    const { msg_type, content } = parseOrRefuse(updateSchema, body, BAD_PARAMETER);
    const message = this.#ownMessage(params["message_id"] ?? "");
    if (message.edits >= EDITS_MAX) throw new Refusal(230072, "The message was edited too often");
    checkContent(msg_type, content, this.#world, this.#options.cardRules);
    message.msgType = msg_type;
    this.#rewrite(message, content);
    return data(this.#object(message));
  }

  patch({ params, body }: RouteRequest): RouteAnswer {
    const { content } = parseOrRefuse(patchSchema, body, BAD_PARAMETER);
    const message = this.#ownMessage(params["message_id"] ?? "");
    const { windows, limits, cardRules } = this.#options;
    const perSecond = limits.patchesPerMessagePerSecond;
    windows.count(`patch ${message.messageId}`, this.#world.clock.now(), perSecond);
    if (message.msgType !== "interactive" || message.card !== undefined) {
      throw new Refusal(BAD_PARAMETER, "This message is NOT a card.");
    }
    checkContent("interactive", content, this.#world, cardRules);
    this.#rewrite(message, content);
    return data();
  }

  recall({ params }: RouteRequest): RouteAnswer {
    this.#ownMessage(params["message_id"] ?? "").isRecalled = true;
    return data();
  }

  #rewrite(message: StoredMessage, content: string): void {
    message.content = content;
    message.updatedAtMs = this.#world.clock.now();
    message.edits++;
    noteText(message);
  }

  #ownMessage(messageId: string): StoredMessage {
    const message = liveMessage(this.#world, messageId, 230011);
    if (message.from !== "bot") throw new Refusal(230027, "The message is not the bot's");
    return message;
  }

  #send(chat: Chat, uuid: string | undefined, post: () => StoredMessage): RouteAnswer {
    const { limits, windows } = this.#options;
    const nowMs = this.#world.clock.now();
    windows.count("messages/s", nowMs, limits.messagesPerSecond);
    windows.count("messages/min", nowMs, limits.messagesPerMinute, 60_000);
    windows.count(`chat ${chat.chatId}`, nowMs, limits.messagesPerChatPerSecond);
    const earlier = uuid === undefined ? undefined : this.#sent.get(uuid);
    if (earlier !== undefined && nowMs - earlier.atMs < UUID_WINDOW_MS) {
      return data(this.#object(earlier.message));
    }
    const message = post();
    if (uuid !== undefined) this.#sent.set(uuid, { message, atMs: nowMs });
    return data(this.#object(message));
  }

  #post(
    chat: Chat,
    msgType: string,
    content: string,
    { target, opensTopic = false }: { target?: StoredMessage; opensTopic?: boolean },
  ): StoredMessage {
    if (msgType === "system" && chat.kind !== "p2p") {
      throw new Refusal(BAD_PARAMETER, "system messages are for direct chats");
    }
    const checked = checkContent(msgType, content, this.#world, this.#options.cardRules);
    const message = this.#world.addMessage({
      chatId: chat.chatId,
      from: "bot",
      msgType,
      content: checked.content,
      card: checked.card,
      ...(target !== undefined && this.#world.replyPlace(target, opensTopic)),
    });
    if (checked.card !== undefined) checked.card.messageId = message.messageId;
    noteText(message);
    return message;
  }

  #receiver(idType: string, id: string): Chat {
    const { people, chats } = this.#world;
    if (idType === "chat_id") {
      const chat = chats.get(id);
      if (chat === undefined || !chat.isBotInside) {
        throw new Refusal(230002, "Bot can NOT be out of the chat.");
      }
      return chat;
    }
    const person = people.values().find(({ openId, unionId, userId }) =>
      (idType === "open_id" && openId === id) || (idType === "union_id" && unionId === id) ||
      (idType === "user_id" && userId === id)
    );
    if (!["open_id", "union_id", "user_id", "email"].includes(idType)) {
      throw new Refusal(BAD_PARAMETER, "invalid receive_id_type");
    }
    if (person === undefined) throw new Refusal(230013, "Bot has NO availability to this user.");
    return this.#world.directChat(person.openId);
  }

  #chatOf(message: StoredMessage): Chat {
    const chat = this.#world.chats.get(message.chatId);
    if (chat === undefined || !chat.isBotInside) {
      throw new Refusal(230002, "Bot can NOT be out of the chat.");
    }
    return chat;
  }

  #object(message: StoredMessage): JsonObject {
    const { appId, tenantKey } = this.#options;
    const isBot = message.from === "bot";
    return {
      message_id: message.messageId,
      ...(message.rootId !== undefined && { root_id: message.rootId }),
      ...(message.parentId !== undefined && { parent_id: message.parentId }),
      ...(message.threadId !== undefined && { thread_id: message.threadId }),
      ...(message.upperMessageId !== undefined && { upper_message_id: message.upperMessageId }),
      msg_type: message.msgType,
      create_time: String(message.createdAtMs),
      update_time: String(message.updatedAtMs),
      deleted: message.isRecalled,
      updated: message.edits > 0,
      chat_id: message.chatId,
      sender: {
        id: isBot ? appId : message.from,
        id_type: isBot ? "app_id" : "open_id",
        sender_type: isBot ? "app" : "user",
        tenant_key: tenantKey,
      },
      body: { content: contentOf(message) },
      mentions: message.mentions.map(({ key, openId, name }) => ({
        key,
        id: openId,
        id_type: "open_id",
        name,
        tenant_key: tenantKey,
      })),
    };
  }
}

function contentOf(message: StoredMessage): string {
  if (message.isRecalled) return "This message was recalled";
  const isOwnCard = message.msgType === "interactive" && message.from === "bot";
  return isOwnCard ? simplifiedCard(message) : message.content;
}
