/**
 * DingTalk under the channel contract.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import {
  type Bringing,
  DingTalkPlatform,
  type StoredMessage,
} from "../../simulators/dingtalk_server.ts";
import type { ManualClock } from "../../support/manual_clock.ts";
import { visibleMarkdown } from "../channel/visible_markdown.ts";
import type {
  ChannelHarness,
  Said,
  Saying,
  SectionWishes,
  SendFailure,
  ShownMessage,
} from "../channel_contract.ts";

/** Alice's staff id, which is that of her chat as well. */
export const ALICE = "alice01";
const STRANGER = "stranger01";
const GROUP = "cidGroup==";
const ALLOW_FROM = { alice: [ALICE], everybody: ["*"], nobody: [] } as const;
const SENDS = /\/(?:batchSend|groupMessages\/send)$/;
/** A minute in truth; less of it makes the same order of things. */
const REPEAT_MS = 3_000;

/** An organization with Alice, a stranger, and a group of which the robot hears everything. */
export class DingTalkHarness implements ChannelHarness {
  readonly #platform: DingTalkPlatform;
  readonly #told = new Map<string, Bringing>();

  constructor(clock: ManualClock) {
    this.#platform = DingTalkPlatform.start({ clock, repeatMs: REPEAT_MS });
    this.#platform.addPerson(ALICE, "Alice");
    this.#platform.addPerson(STRANGER, "Stranger");
    this.#platform.addGroup(GROUP, { hearsAll: true });
  }

  section(wishes: SectionWishes): JsonObject {
    const { allowFrom = "alice", groupPolicy = "mention", hasBadCredentials } = wishes;
    return {
      enabled: true,
      clientId: this.#platform.clientId,
      clientSecret: hasBadCredentials === true ? "wrong" : this.#platform.clientSecret,
      allowFrom: [...ALLOW_FROM[allowFrom]],
      groupPolicy,
      reactEmoji: null,
      apiBase: this.#platform.url,
      oapiBase: this.#platform.url,
    };
  }

  userSays({ text = "", from = "alice", inGroup, mentionsBot = false, file }: Saying): Said {
    const senderId = from === "alice" ? ALICE : STRANGER;
    const { msgId, bringing } = this.#platform.userSays({
      from: senderId,
      ...(inGroup === true && { conversationId: GROUP, mentionsRobot: mentionsBot }),
      ...(file === undefined && { text }),
      ...(file !== undefined && {
        extra: {
          msgtype: "file",
          content: { downloadCode: this.#platform.offerFile(file), fileName: file.name },
        },
      }),
    });
    if (bringing !== null) this.#told.set(msgId, bringing);
    return { platformId: msgId, chatId: inGroup === true ? `group:${GROUP}` : senderId, senderId };
  }

  repeat({ platformId }: Said): void {
    const bringing = this.#told.get(platformId);
    if (bringing !== undefined) this.#platform.streams.repeat(bringing);
  }

  shown(chatId: string): readonly ShownMessage[] {
    const to = chatId.replace(/^group:/, "");
    return this.#platform.world.messages.filter((message) => message.to === to).map(shownMessage);
  }

  buttons(): readonly string[] {
    return [];
  }

  press(): void {
    throw new Error("Cannot press: DingTalk's messages have no buttons");
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
        return faults.plant(SENDS, { kind: "refusal", status: 400, code: "robot.not.in.group" });
      case "lost_answer":
      case "half_answer":
      case "garbled_answer":
        return faults.plant(SENDS, { kind: failure });
    }
  }

  shutOut(): void {
    this.#platform.clientSecret = "a new one";
    this.#platform.revokeTokens();
  }

  limitRate(retryAfterMs: number): void {
    const retryAfterS = Math.ceil(retryAfterMs / 1_000);
    this.#platform.faults.plant(SENDS, {
      kind: "refusal",
      status: 429,
      code: "Throttling",
      retryAfterS,
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
}

function shownMessage({ id, msgKey, param, file }: StoredMessage): ShownMessage {
  const { text, code } = msgKey === "sampleMarkdown"
    ? visibleMarkdown(String(param["text"]))
    : { text: String(param["content"] ?? ""), code: [] };
  return { id, text, code, files: file === undefined ? [] : [file], thread: null, edits: 0 };
}
