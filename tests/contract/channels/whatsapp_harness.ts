/**
 * WhatsApp's platform under the channel contract.
 * @module
 */

import type { proto } from "@whiskeysockets/baileys";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { linkDevice, trust } from "../../simulators/whatsapp/linked_device.ts";
import { node } from "../../simulators/whatsapp/nodes.ts";
import type { Phone } from "../../simulators/whatsapp/phone.ts";
import { filesIn, textIn } from "../../simulators/whatsapp/seen.ts";
import { visible } from "../../simulators/whatsapp/visible.ts";
import { WhatsAppPlatform } from "../../simulators/whatsapp_server.ts";
import type {
  ChannelHarness,
  Said,
  Saying,
  SectionWishes,
  SendFailure,
  ShownMessage,
} from "../channel_contract.ts";

/** The direct chat with Alice. */
export const ALICE_CHAT = "15551230001@s.whatsapp.net";
const GROUP = "120363000000000001@g.us";
const ALLOW_FROM = { alice: ["+1 555 123-0001"], everybody: ["*"], nobody: [] } as const;
const CODES = { busy: 503, forbidden: 403 } as const;
const RATE_CODE = 429;

/** A WhatsApp account with a linked device, Alice, a stranger and a group. */
export class WhatsAppHarness implements ChannelHarness {
  readonly #platform = new WhatsAppPlatform();
  readonly #alice: Phone;
  readonly #stranger: Phone;
  readonly #ids = new Map<string, string>();

  constructor() {
    trust(this.#platform);
    this.#alice = this.#platform.addPerson("15551230001", {
      lid: "800000000000001",
      name: "Alice",
    });
    this.#stranger = this.#platform.addPerson("15551230002", {
      lid: "800000000000002",
      name: "Stranger",
    });
    this.#platform.addGroup(GROUP, "Team", [this.#alice, this.#stranger]);
  }

  prepare(stateFolder: string): Promise<void> {
    linkDevice(this.#platform, stateFolder);
    return Promise.resolve();
  }

  section({ allowFrom = "alice", groupPolicy = "mention", ...wishes }: SectionWishes): JsonObject {
    if (wishes.hasBadCredentials === true) this.#platform.refusal = "401";
    return {
      enabled: true,
      allowFrom: [...ALLOW_FROM[allowFrom]],
      groupPolicy,
      reactEmoji: null,
      serverUrl: this.#platform.url,
    };
  }

  userSays({ text = "", from = "alice", inGroup, mentionsBot, file }: Saying): Said {
    const person = from === "alice" ? this.#alice : this.#stranger;
    const { botLid } = this.#platform;
    const words = mentionsBot === true ? `@${botLid} ${text}` : text;
    const contextInfo = mentionsBot === true ? { mentionedJid: [`${botLid}@lid`] } : undefined;
    const message = file === undefined ? textOf(words, contextInfo) : {
      documentMessage: {
        ...this.#platform.media.put(file.bytes, "document"),
        fileName: file.name,
        mimetype: "application/pdf",
      },
    };
    const id = this.#platform.userSays({
      from: person,
      message,
      ...(inGroup === true && { group: GROUP }),
    });
    const chatId = inGroup === true ? GROUP : person.phoneJid;
    const platformId = [id, chatId, person.phone].join("/");
    this.#ids.set(platformId, id);
    return { platformId, chatId, senderId: person.phone };
  }

  repeat({ platformId }: Said): void {
    this.#platform.repeat(this.#ids.get(platformId) ?? "");
  }

  shown(chatId: string): readonly ShownMessage[] {
    return this.#platform.chats.of(chatId).map(({ id, message }) => ({
      id,
      ...visible(textIn(message)),
      files: filesIn(message, this.#platform.media),
      thread: null,
      edits: 0,
    }));
  }

  buttons(): readonly string[] {
    return [];
  }

  press(_chatId: string, label: string): void {
    throw new RangeError(`Cannot press "${label}": WhatsApp has no buttons`);
  }

  get effects(): number {
    return this.#platform.touches.length;
  }

  failNext(failure: SendFailure): void {
    this.#platform.plant(
      failure === "busy" || failure === "forbidden"
        ? { kind: "refusal", code: CODES[failure] }
        : { kind: failure },
    );
  }

  shutOut(): void {
    this.#platform.refusal = "401";
    this.#platform.endStream("401", node("conflict", { type: "device_removed" }));
  }

  limitRate(): void {
    this.#platform.plant({ kind: "refusal", code: RATE_CODE });
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

function textOf(text: string, contextInfo: proto.IContextInfo | undefined): proto.IMessage {
  return contextInfo === undefined
    ? { conversation: text }
    : { extendedTextMessage: { text, contextInfo } };
}
