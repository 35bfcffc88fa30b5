/**
 * QQ's platform under the channel contract.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import {
  QqPlatform,
  type Saying as QqSaying,
  type SentMessage,
} from "../../simulators/qq_server.ts";
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

/** Alice's openid, which is that of her chat as well. */
export const ALICE = "E4F4AEA33253A2797FB897C50B81D7ED";
const STRANGER = "A1B2C3D4E5F6A1B2C3D4E5F6A1B2C3D4";
const GROUP = "C9F778FE6ADF9D1D1DBE395BF744A33A";
const ALLOW_FROM = { alice: [ALICE], everybody: ["*"], nobody: [] } as const;
/** The platform found a text to be against its rules. */
const FORBIDDEN_CODE = 40_034_006;

/** A QQ platform with Alice, a stranger and a group. */
export class QqHarness implements ChannelHarness {
  readonly #platform: QqPlatform;
  readonly #sayings = new Map<string, QqSaying>();

  constructor(clock: ManualClock) {
    this.#platform = new QqPlatform(clock);
    // Much of the contract answers nobody; what a bot without this right does has tests of its own.
    this.#platform.sending.rights.mayPush = true;
    this.#platform.sending.rights.hosts.add("example.com");
  }

  section({ allowFrom = "alice", hasBadCredentials = false }: SectionWishes): JsonObject {
    const { appId, secret, url } = this.#platform;
    return {
      enabled: true,
      appId,
      secret: hasBadCredentials ? "wrong" : secret,
      allowFrom: [...ALLOW_FROM[allowFrom]],
      msgFormat: "markdown",
      ackMessage: "",
      apiBase: url,
      authBase: url,
    };
  }

  userSays({ text = "", from = "alice", inGroup, mentionsBot, file }: Saying): Said {
    const sender = from === "alice" ? ALICE : STRANGER;
    const saying: QqSaying = {
      from: sender,
      text,
      ...(inGroup === true && { group: GROUP }),
      ...(file !== undefined && { extra: { attachments: [this.#platform.offerFile(file)] } }),
    };
    const chatId = inGroup === true ? GROUP : sender;
    // What does not speak to the bot stays among people.
    if (inGroup === true && mentionsBot !== true) {
      return { platformId: "nobody", chatId, senderId: sender };
    }
    const platformId = this.#platform.userSays(saying);
    this.#sayings.set(platformId, saying);
    return { platformId, chatId, senderId: sender };
  }

  repeat({ platformId }: Said): void {
    const saying = this.#sayings.get(platformId);
    if (saying !== undefined) this.#platform.repeat(platformId, saying);
  }

  shown(chatId: string): readonly ShownMessage[] {
    return this.#platform.shown(chatId).map(shownMessage);
  }

  buttons(): readonly string[] {
    return [];
  }

  press(): void {
    throw new RangeError("Cannot press a button: there are none");
  }

  get effects(): number {
    return this.#platform.effects;
  }

  failNext(failure: SendFailure): void {
    const { faults } = this.#platform;
    switch (failure) {
      case "busy":
        return faults.plant("message", { kind: "status", status: 503 });
      case "forbidden":
        return faults.plant("message", { kind: "refusal", code: FORBIDDEN_CODE });
      case "lost_answer":
      case "half_answer":
      case "garbled_answer":
        return faults.plant("message", { kind: failure });
    }
  }

  shutOut(): void {
    this.#platform.secret = "another one";
  }

  limitRate(retryAfterMs: number): void {
    const retryAfterSeconds = Math.ceil(retryAfterMs / 1_000);
    const fault = { kind: "refusal", status: 429, code: 22_009, retryAfterSeconds } as const;
    this.#platform.faults.plant("message", fault);
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

function shownMessage({ id, text, isMarkdown, file }: SentMessage): ShownMessage {
  const seen = isMarkdown ? visibleMarkdown(text) : { text, code: [] };
  return { id, ...seen, files: file === null ? [] : [file], thread: null, edits: 0 };
}
