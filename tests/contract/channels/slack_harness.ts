/**
 * Slack under the channel contract.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { Delivery } from "../../simulators/slack/sockets.ts";
import { type SeenMessage, SlackPlatform } from "../../simulators/slack_server.ts";
import type { ManualClock } from "../../support/manual_clock.ts";
import type {
  ChannelHarness,
  Said,
  Saying,
  SectionWishes,
  SendFailure,
  ShownMessage,
} from "../channel_contract.ts";

const CHANNEL = "C0TEAM";
const ALICE = "UALICE";
const STRANGER = "USTRANGER";
const ALLOW_FROM = { alice: [ALICE], everybody: ["*"], nobody: [] } as const;
/** What makes something appear. */
const SENDS = ["chat.postMessage", "files.completeUploadExternal"];
/** Signing in, connecting, and looking for news. */
const PASSIVE: ReadonlySet<string> = new Set([
  "auth.test",
  "apps.connections.open",
  "conversations.history",
  "conversations.replies",
  "users.conversations",
]);

/** A workspace with Alice, a stranger and a channel. */
export class SlackHarness implements ChannelHarness {
  readonly #platform: SlackPlatform;
  readonly #told = new Map<string, readonly Delivery[]>();
  /** First messages of threads, by their name in the test. */
  readonly #threads = new Map<string, string>();

  constructor(clock: ManualClock) {
    this.#platform = SlackPlatform.start(clock);
    this.#platform.addPerson(ALICE, "Alice");
    this.#platform.addPerson(STRANGER, "Stranger");
    this.#platform.addChannel(CHANNEL, "team");
    this.#platform.world.directChat(ALICE);
  }

  section(wishes: SectionWishes): JsonObject {
    const { allowFrom = "alice", groupPolicy = "mention", streaming = true } = wishes;
    return {
      enabled: true,
      allowFrom: [...ALLOW_FROM[allowFrom]],
      botToken: wishes.hasBadCredentials === true ? "xoxb-wrong" : this.#platform.botToken,
      appToken: this.#platform.appToken,
      groupPolicy,
      streaming,
      replyInThread: false,
      reactEmoji: null,
      doneEmoji: null,
      apiUrl: this.#platform.apiUrl,
    };
  }

  userSays({ text = "", from = "alice", inGroup, mentionsBot, thread, file }: Saying): Said {
    const user = from === "alice" ? ALICE : STRANGER;
    const isInChannel = inGroup === true || thread !== undefined;
    const words = mentionsBot === true ? `<@${this.#platform.botUserId}> ${text}` : text;
    const { world } = this.#platform;
    const { message, told } = this.#platform.says({
      user,
      ...(isInChannel && { channel: CHANNEL }),
      text: words,
      ...(thread !== undefined && { threadTs: this.#thread(thread) }),
      ...(file !== undefined && {
        files: [world.addFile(file.name, "application/octet-stream", file.bytes)],
      }),
    });
    const platformId = `${message.channel}:${message.ts}`;
    this.#told.set(platformId, told);
    return { platformId, chatId: message.channel, senderId: user };
  }

  repeat({ platformId }: Said): void {
    for (const delivery of this.#told.get(platformId) ?? []) {
      this.#platform.sockets.repeat(delivery);
    }
  }

  shown(chatId: string): readonly ShownMessage[] {
    return this.#platform.seen(chatId).map((message) => this.#shown(message));
  }

  buttons(chatId: string): readonly string[] {
    return this.#platform.seen(chatId).flatMap(({ buttons }) => buttons);
  }

  press(chatId: string, label: string, from: "alice" | "stranger" = "alice"): void {
    const message = this.#platform.seen(chatId)
      .findLast(({ buttons }) => buttons.includes(label));
    this.#platform.presses(chatId, message?.ts ?? "", label, from === "alice" ? ALICE : STRANGER);
  }

  get effects(): number {
    return this.#platform.calls.filter(({ method }) => !PASSIVE.has(method)).length;
  }

  failNext(failure: SendFailure): void {
    const { faults } = this.#platform;
    switch (failure) {
      case "busy":
        return faults.plant(SENDS, { kind: "status", status: 503 });
      case "forbidden":
        return faults.plant(SENDS, { kind: "refusal", error: "not_in_channel" });
      case "lost_answer":
      case "half_answer":
      case "garbled_answer":
        return faults.plant(SENDS, { kind: failure });
    }
  }

  shutOut(): void {
    this.#platform.faults.plant(SENDS, { kind: "refusal", error: "token_revoked" }, Infinity);
  }

  limitRate(retryAfterMs: number): void {
    const retryAfterS = Math.ceil(retryAfterMs / 1_000);
    this.#platform.faults.plant(SENDS, { kind: "refusal", error: "ratelimited", retryAfterS });
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

  /** A message that is not for the bot, for a thread to hang on. */
  #thread(name: string): string {
    const known = this.#threads.get(name);
    if (known !== undefined) return known;
    const { ts } = this.#platform.world.add({ channel: CHANNEL, user: STRANGER, text: name });
    this.#threads.set(name, ts);
    return ts;
  }

  #shown({ ts, text, code, files, threadTs, edits }: SeenMessage): ShownMessage {
    const thread = this.#threads.entries().find(([, first]) => first === threadTs)?.[0] ?? null;
    return { id: ts, text, code, files, thread, edits };
  }
}
