/**
 * Telegram's platform under the channel contract.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { type MessageView, TelegramPlatform } from "../../simulators/telegram_server.ts";
import type { ManualClock } from "../../support/manual_clock.ts";
import type {
  ChannelHarness,
  Said,
  Saying,
  SectionWishes,
  SendFailure,
  ShownMessage,
} from "../channel_contract.ts";

/** Alice's id, which is that of her chat as well. */
export const ALICE = 1_001;
const STRANGER = 1_002;
const GROUP = -100_500;
const ALLOW_FROM = { alice: [String(ALICE)], everybody: ["*"], nobody: [] } as const;
const SENDS = /^send(?!ChatAction)/;

/** A Telegram platform with Alice, a stranger and a group. */
export class TelegramHarness implements ChannelHarness {
  readonly #platform: TelegramPlatform;
  readonly #sayings = new Map<string, JsonObject>();
  /** Topics by their name in the test. */
  readonly #topics = new Map<string, number>();

  constructor(clock: ManualClock) {
    this.#platform = TelegramPlatform.start({ clock });
    this.#platform.addPerson(ALICE, { firstName: "Alice", username: "alice" });
    this.#platform.addPerson(STRANGER, { firstName: "Stranger" });
    this.#platform.addGroup(GROUP, { isForum: true });
  }

  section(wishes: SectionWishes): JsonObject {
    const { allowFrom = "alice", groupPolicy = "mention", streaming = true } = wishes;
    return {
      enabled: true,
      token: wishes.hasBadCredentials === true ? "4242:wrong" : this.#platform.token,
      allowFrom: [...ALLOW_FROM[allowFrom]],
      groupPolicy,
      streaming,
      reactEmoji: null,
      apiRoot: this.#platform.url,
    };
  }

  userSays({ text = "", from = "alice", inGroup, mentionsBot, thread, file }: Saying): Said {
    const isInGroup = inGroup === true || thread !== undefined;
    const sender = from === "alice" ? ALICE : STRANGER;
    const words = mentionsBot === true ? this.#mentioning(text) : text;
    const { chatId, messageId } = this.#platform.userSays({
      from: sender,
      ...(isInGroup && { chatId: GROUP }),
      ...(file === undefined && { text: words }),
      ...(thread !== undefined && { threadId: this.#topic(thread) }),
      ...(file !== undefined && {
        extra: { document: { ...this.#platform.offerFile(file), file_name: file.name } },
      }),
    });
    const platformId = `${this.#platform.bot.id}:${chatId}:${messageId}`;
    this.#sayings.set(platformId, { message_id: messageId, chat_id: chatId, from: sender });
    return { platformId, chatId: String(chatId), senderId: String(sender) };
  }

  repeat({ platformId }: Said): void {
    const { message_id: id = 0, chat_id: chatId = 0, from = 0 } = this.#sayings.get(platformId) ??
      {};
    this.#platform.sendUpdate({
      message: {
        message_id: id,
        date: 0,
        chat: { id: chatId, type: "private" },
        from: { id: from, is_bot: false, first_name: "Alice" },
        text: "hello",
      },
    });
  }

  shown(chatId: string): readonly ShownMessage[] {
    return this.#platform.shown(Number(chatId)).map((message) => this.#shown(message));
  }

  buttons(chatId: string): readonly string[] {
    return this.#platform.shown(Number(chatId))
      .flatMap(({ buttons }) => buttons.map(({ text }) => text));
  }

  press(chatId: string, label: string, from: "alice" | "stranger" = "alice"): void {
    const message = this.#platform.shown(Number(chatId))
      .findLast(({ buttons }) => buttons.some(({ text }) => text === label));
    const who = from === "alice" ? ALICE : STRANGER;
    this.#platform.userPresses(Number(chatId), message?.id ?? 0, label, who);
  }

  get effects(): number {
    return this.#platform.effects;
  }

  failNext(failure: SendFailure): void {
    const { faults } = this.#platform;
    switch (failure) {
      case "busy":
        return faults.plant(SENDS, { kind: "status", status: 503 });
      case "forbidden":
        return faults.plant(SENDS, {
          kind: "refusal",
          code: 403,
          description: "Forbidden: bot was blocked by the user",
        });
      case "lost_answer":
      case "half_answer":
      case "garbled_answer":
        return faults.plant(SENDS, { kind: failure });
    }
  }

  shutOut(): void {
    this.#platform.token = `${this.#platform.bot.id}:AAanother_one`;
    this.#platform.userSays({ from: ALICE, text: "wakes the poll that waits" });
  }

  limitRate(retryAfterMs: number): void {
    const seconds = Math.ceil(retryAfterMs / 1_000);
    this.#platform.faults.plant(SENDS, {
      kind: "refusal",
      code: 429,
      description: `Too Many Requests: retry after ${seconds}`,
      parameters: { retry_after: seconds },
    });
  }

  goOffline(): void {
    this.#platform.goOffline();
  }

  comeBack(): void {
    this.#platform.comeBack();
  }

  get open(): number {
    return this.#platform.open;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#platform[Symbol.asyncDispose]();
  }

  /** Commands carry the name behind them, other words before them. */
  #mentioning(text: string): string {
    const { username } = this.#platform.bot;
    return text.startsWith("/") ? `${text}@${username}` : `@${username} ${text}`;
  }

  #topic(name: string): number {
    const known = this.#topics.get(name);
    if (known !== undefined) return known;
    const threadId = 70_000 + this.#topics.size;
    this.#topics.set(name, threadId);
    this.#platform.chat(GROUP).topics.add(threadId);
    return threadId;
  }

  #shown({ id, text, entities, texts, threadId, file }: MessageView): ShownMessage {
    const code = entities.filter(({ type }) => type === "pre")
      .map(({ offset, length }) => text.slice(offset, offset + length));
    const thread = this.#topics.entries().find(([, topic]) => topic === threadId)?.[0] ?? null;
    return {
      id: String(id),
      text,
      code,
      files: file === undefined ? [] : [file],
      thread,
      edits: texts.length - 1,
    };
  }
}
