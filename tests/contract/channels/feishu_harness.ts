/**
 * Feishu's platform under the channel contract.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { seededRandom } from "../../../actors/kernel/random.ts";
import type { RouteName } from "../../simulators/feishu/route.ts";
import { buttonLabels } from "../../simulators/feishu/card_json.ts";
import { FeishuPlatform, type MessageView } from "../../simulators/feishu_server.ts";
import type { ManualClock } from "../../support/manual_clock.ts";
import { visibleMarkdown } from "../channel/visible_markdown.ts";
import type {
  ChannelHarness,
  Said,
  Saying,
  SectionWishes,
  SendFailure,
  ShownFile,
  ShownMessage,
} from "../channel_contract.ts";

const GROUP = "oc_team";
const ALICE = "ou_alice";
const STRANGER = "ou_stranger";
const ALLOW_FROM = { alice: [ALICE], everybody: ["*"], nobody: [] } as const;
/** Signing in, and looking for news. */
const PASSIVE_ROUTES: ReadonlySet<string> = new Set<RouteName>([
  "auth.tenantAccessToken",
  "bot.info",
  "ws.endpoint",
]);

/** A Feishu platform with Alice, a stranger and a group. */
export class FeishuHarness implements ChannelHarness {
  readonly #platform: FeishuPlatform;
  readonly #events = new Map<string, string>();
  /** First messages of topics, by their name in the test. */
  readonly #topics = new Map<string, string>();

  private constructor(platform: FeishuPlatform) {
    this.#platform = platform;
  }

  /** Starts the platform. */
  static async open(clock: ManualClock): Promise<FeishuHarness> {
    const platform = await FeishuPlatform.start({ clock, random: seededRandom(7) });
    platform.addPerson(ALICE, { name: "Alice" });
    platform.addPerson(STRANGER, { name: "Stranger" });
    platform.addGroup(GROUP, { allowsTopics: true });
    return new FeishuHarness(platform);
  }

  section(wishes: SectionWishes): JsonObject {
    const { allowFrom = "alice", groupPolicy = "mention", streaming = true } = wishes;
    const { appId, appSecret } = this.#platform.app;
    return {
      enabled: true,
      allowFrom: [...ALLOW_FROM[allowFrom]],
      appId,
      appSecret: wishes.hasBadCredentials === true ? "wrong" : appSecret,
      groupPolicy,
      streaming,
      reactEmoji: null,
      domain: this.#platform.url,
    };
  }

  userSays({ text = "", from = "alice", inGroup, mentionsBot, thread, file }: Saying): Said {
    const openId = from === "alice" ? ALICE : STRANGER;
    const place = inGroup === true || thread !== undefined ? { chatId: GROUP } : {};
    const said = this.#platform.userSays({
      openId,
      ...place,
      ...(thread !== undefined && { replyTo: this.#topic(thread), inTopic: true }),
      ...(file === undefined ? { text } : {
        msgType: "file",
        content: { file_key: this.#platform.storeFile(file), file_name: file.name },
      }),
      ...(mentionsBot === true && { mentions: ["bot"] }),
    });
    this.#events.set(said.messageId, said.eventId);
    const chatId = inGroup === true || thread !== undefined ? said.chatId : openId;
    return { platformId: said.messageId, chatId, senderId: openId };
  }

  repeat({ platformId }: Said): void {
    this.#platform.repeatEvent(this.#events.get(platformId) ?? "");
  }

  shown(chatId: string): readonly ShownMessage[] {
    return this.#platform.chat(chatId).fromBot.map((message) => this.#shown(message));
  }

  buttons(chatId: string): readonly string[] {
    return this.#platform.chat(chatId).fromBot.flatMap(({ content }) => labelsIn(content));
  }

  press(chatId: string, label: string, from: "alice" | "stranger" = "alice"): void {
    const message = this.#platform.chat(chatId).fromBot
      .findLast(({ content }) => labelsIn(content).includes(label));
    this.#platform.userPresses(
      message?.messageId ?? "",
      label,
      from === "alice" ? ALICE : STRANGER,
    );
  }

  get effects(): number {
    return this.#platform.calls().filter(({ route }) => !PASSIVE_ROUTES.has(route)).length;
  }

  failNext(failure: SendFailure): void {
    const { faults } = this.#platform;
    switch (failure) {
      case "busy":
        faults.plant("im.message.create", { kind: "status", status: 503 });
        return;
      case "forbidden":
        faults.plant("im.message.create", { kind: "code", code: 230002 });
        return;
      case "lost_answer":
      case "half_answer":
      case "garbled_answer":
        faults.plant("im.message.create", { kind: failure });
        return;
    }
  }

  shutOut(): void {
    this.#platform.revokeTokens();
    const refusal = { kind: "code", code: 10014, status: 200 } as const;
    this.#platform.faults.plant("auth.tenantAccessToken", refusal, { times: Infinity });
  }

  limitRate(retryAfterMs: number): void {
    this.#platform.faults.plant("im.message.create", {
      kind: "code",
      code: 99991400,
      status: 429,
      headers: { "x-ogw-ratelimit-reset": String(Math.ceil(retryAfterMs / 1_000)) },
    });
  }

  goOffline(): void {
    this.#platform.goOffline();
  }

  comeBack(): void {
    this.#platform.comeBack();
  }

  get open(): number {
    return this.#platform.openConnections.length;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#platform[Symbol.asyncDispose]();
  }

  /** A message that nobody needs to hear of, for a topic to hang on. */
  #topic(name: string): string {
    const known = this.#topics.get(name);
    if (known !== undefined) return known;
    const { messageId } = this.#platform.userSays({ chatId: GROUP, text: `About ${name}` });
    this.#topics.set(name, messageId);
    return messageId;
  }

  #shown(message: MessageView): ShownMessage {
    const { messageId, text, texts, threadId, msgType } = message;
    const isCard = msgType === "interactive";
    const file = this.#file(message);
    const visible = isCard ? visibleMarkdown(text) : { text, code: [] };
    return {
      ...(file === null ? visible : { text: "", code: [] }),
      id: messageId,
      files: file === null ? [] : [file],
      thread: threadId === undefined ? null : this.#topicName(threadId),
      edits: texts.length - 1,
    };
  }

  #topicName(threadId: string): string | null {
    const found = this.#topics.entries().find(([, messageId]) =>
      this.#platform.message(messageId).threadId === threadId
    );
    return found?.[0] ?? null;
  }

  #file({ content, msgType }: MessageView): ShownFile | null {
    if (msgType !== "image" && msgType !== "file") return null;
    const keys = z.object({ image_key: z.string().optional(), file_key: z.string().optional() })
      .parse(JSON.parse(content));
    const stored = this.#platform.file(keys.image_key ?? keys.file_key ?? "");
    return stored === undefined ? null : { name: stored.name, bytes: stored.bytes };
  }
}

function labelsIn(content: string): readonly string[] {
  return buttonLabels(JSON.parse(content));
}
