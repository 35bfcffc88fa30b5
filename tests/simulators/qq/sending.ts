/**
 * What the platform makes of messages that a bot sends: which it takes, by its documented limits
 * (https://bot.q.qq.com/wiki/develop/api-v2/server-inter/message/overview.html).
 * @module
 */

import { z } from "zod";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { Refusal } from "./refusal.ts";

/** Kinds of chats, as paths name them. */
export type Folder = "users" | "groups" | "dms";

/** A file of the bot's. */
export interface SentFile {
  readonly name: string;
  readonly type: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A message of the bot's. */
export interface SentMessage {
  readonly id: string;
  readonly folder: Folder;
  readonly chatId: string;
  readonly text: string;
  readonly isMarkdown: boolean;
  readonly file: SentFile | null;
  /** The message that it answers; null for a push. */
  readonly answers: string | null;
  readonly sequence: number | null;
}

/** What a bot may do, beyond the least. */
export interface Rights {
  /** It may send what answers nothing. @default false */
  mayPush: boolean;
  /** @default true, as since April 2026 */
  mayWriteMarkdown: boolean;
  /** Hosts that addresses in texts may name. */
  readonly hosts: Set<string>;
  /** UTF-16 units of a text; QQ does not tell its own. */
  textUnitsMax: number;
}

interface Said {
  readonly folder: Folder;
  readonly chatId: string;
  readonly atMs: number;
  answers: number;
}

const MINUTE_MS = 60_000;
const ANSWERS = {
  users: { windowMs: 60 * MINUTE_MS, most: 4 },
  groups: { windowMs: 5 * MINUTE_MS, most: 5 },
  dms: { windowMs: 5 * MINUTE_MS, most: Infinity },
} as const;
const BOT_PUSHES_PER_MINUTE = 30;
const CHAT_PUSHES_PER_MINUTE = 20;
const DMS_PER_SECOND = 5;
const ADDRESS = /(?:https?:\/\/)?((?:[a-z0-9-]+\.)+(?:com|org|net|cn|example))\b/gi;

const uploadSchema = z.strictObject({
  file_type: z.int().min(1).max(4),
  file_data: z.base64(),
  srv_send_msg: z.literal(false),
  file_name: z.string().optional(),
});
const answering = { msg_id: z.string().optional(), msg_seq: z.int().min(1).optional() };
const markdown = z.strictObject({ content: z.string().min(1) });
const messageSchema = z.union([
  z.strictObject({ msg_type: z.literal(0), content: z.string().min(1), ...answering }),
  z.strictObject({ msg_type: z.literal(2), markdown, ...answering }),
  z.strictObject({
    msg_type: z.literal(7),
    content: z.string().min(1),
    media: z.strictObject({ file_info: z.string() }),
    ...answering,
  }),
]);
const guildMessageSchema = z.union([
  z.strictObject({ content: z.string().min(1), msg_id: z.string().optional() }),
  z.strictObject({ markdown, msg_id: z.string().optional() }),
]);

/** All that the bot sends. */
export class Sending {
  readonly messages: SentMessage[] = [];
  readonly rights: Rights = {
    mayPush: false,
    mayWriteMarkdown: true,
    hosts: new Set(),
    textUnitsMax: 5_000,
  };
  /** What the documentation forbids and the bot did. */
  readonly violations: string[] = [];
  readonly #clock: Clock;
  readonly #said = new Map<string, Said>();
  readonly #numbers = new Set<string>();
  readonly #files = new Map<string, SentFile & { readonly folder: Folder }>();
  readonly #pushes: { readonly chatId: string; readonly atMs: number }[] = [];
  readonly #guildTimes: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A person said something that can be answered. */
  noteSaid(id: string, folder: Folder, chatId: string): void {
    this.#said.set(id, { folder, chatId, atMs: this.#clock.now(), answers: 0 });
  }

  /** Keeps a file. @returns by what a message names it */
  upload(folder: Folder, body: unknown): string {
    const upload = uploadSchema.safeParse(body).data;
    if (upload === undefined || folder === "dms") throw this.#breach("a file of no known shape");
    const { file_type: type, file_data: data, file_name: name = "" } = upload;
    if (type === 4 && name === "") throw this.#breach("a file without a name");
    const info = `info-${this.#files.size + 1}`;
    this.#files.set(info, { type, name, bytes: Uint8Array.fromBase64(data), folder });
    return info;
  }

  /** Takes a message. @returns its id */
  send(folder: Folder, chatId: string, body: unknown): string {
    const message = folder === "dms" ? this.#guildMessage(body) : this.#message(folder, body);
    this.#checkText(message.text, message.isMarkdown);
    this.#checkAnswering(folder, chatId, message);
    const id = `ROBOT1.0_sent${this.messages.length + 1}`;
    this.messages.push({ ...message, id, folder, chatId });
    return id;
  }

  #message(folder: Folder, body: unknown): Omit<SentMessage, "id" | "folder" | "chatId"> {
    const message = messageSchema.safeParse(body).data;
    if (message === undefined) throw this.#breach("a message of no known shape");
    const { msg_id: answers = null, msg_seq: sequence = null } = message;
    const base = { answers, sequence, file: null, isMarkdown: false, text: "" };
    switch (message.msg_type) {
      case 0:
        return { ...base, text: message.content };
      case 2:
        return { ...base, text: message.markdown.content, isMarkdown: true };
      case 7: {
        const file = this.#files.get(message.media.file_info);
        if (file?.folder !== folder) throw new Refusal(304_080, "文件信息无效");
        return { ...base, file };
      }
    }
  }

  #guildMessage(body: unknown): Omit<SentMessage, "id" | "folder" | "chatId"> {
    const message = guildMessageSchema.safeParse(body).data;
    if (message === undefined) throw this.#breach("a guild's message of no known shape");
    const nowMs = this.#clock.now();
    this.#guildTimes.push(nowMs);
    if (this.#guildTimes.filter((atMs) => nowMs - atMs < 1_000).length > DMS_PER_SECOND) {
      throw this.#breach("too many messages in a second");
    }
    const isMarkdown = "markdown" in message;
    const text = isMarkdown ? message.markdown.content : message.content;
    return { answers: message.msg_id ?? null, sequence: null, file: null, isMarkdown, text };
  }

  #checkText(text: string, isMarkdown: boolean): void {
    const { mayWriteMarkdown, hosts, textUnitsMax } = this.rights;
    if (isMarkdown && !mayWriteMarkdown) throw new Refusal(40_034_012, "不允许发送原生 markdown");
    if (text.length > textUnitsMax) throw new Refusal(40_054_007, "消息长度超限");
    const strange = text.matchAll(ADDRESS).find(([, host = ""]) => !hosts.has(host));
    if (strange !== undefined) throw new Refusal(40_054_010, "消息发送失败, 不允许发送url ");
  }

  #checkAnswering(
    folder: Folder,
    chatId: string,
    { answers, sequence }: Pick<SentMessage, "answers" | "sequence">,
  ): void {
    if (answers === null) return this.#checkPush(chatId);
    const said = this.#said.get(answers);
    if (said?.folder !== folder || said.chatId !== chatId) {
      throw new Refusal(40_034_024, "请求参数msg_id无效或越权");
    }
    const number = `${answers} ${sequence ?? 1}`;
    if (folder !== "dms" && this.#numbers.has(number)) {
      throw new Refusal(40_054_005, "消息被去重，请检查请求msgseq");
    }
    const { windowMs, most } = ANSWERS[folder];
    if (this.#clock.now() - said.atMs > windowMs) {
      throw new Refusal(40_034_005, "回复消息msg_id已过期");
    }
    if (said.answers >= most) throw new Refusal(40_034_128, "被动回复时间或次数超限");
    said.answers++;
    this.#numbers.add(number);
  }

  #checkPush(chatId: string): void {
    if (!this.rights.mayPush) throw new Refusal(40_034_105, "主动消息失败, 无权限");
    const nowMs = this.#clock.now();
    this.#pushes.push({ chatId, atMs: nowMs });
    const recent = this.#pushes.filter(({ atMs }) => nowMs - atMs < MINUTE_MS);
    const here = recent.filter((push) => push.chatId === chatId);
    if (recent.length > BOT_PUSHES_PER_MINUTE || here.length > CHAT_PUSHES_PER_MINUTE) {
      this.violations.push("too many pushes in a minute");
      throw new Refusal(40_034_100, "主动消息发送超过频控限制");
    }
  }

  #breach(what: string): Refusal {
    this.violations.push(what);
    return new Refusal(12_002, what);
  }
}
