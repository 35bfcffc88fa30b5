/**
 * Clients of the WebSocket channel under the channel contract.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import {
  type ClientMessage,
  WebsocketClient,
  type WebsocketClientOptions,
} from "../../simulators/websocket_client.ts";
import { freePort } from "../../support/free_port.ts";
import type {
  ChannelHarness,
  Said,
  Saying,
  SectionWishes,
  SendFailure,
  ShownMessage,
} from "../channel_contract.ts";
import { visibleMarkdown } from "../channel/visible_markdown.ts";

/** The chat of Alice. */
export const ALICE_CHAT = "chat-of-alice";
const TOKEN = "a token for the tests";
const ALLOW_FROM = { alice: ["alice"], everybody: ["*"], nobody: [] } as const;

/** Alice and a stranger, each at a client of their own. */
export class WebsocketHarness implements ChannelHarness {
  readonly #port: number = freePort();
  readonly #alice: WebsocketClient;
  #stranger: WebsocketClient | null = null;
  readonly #sayings = new Map<string, readonly [string, JsonObject]>();
  #ids = 0;

  constructor() {
    this.#alice = new WebsocketClient(this.#options("alice", ALICE_CHAT));
  }

  section(wishes: SectionWishes): JsonObject {
    const { allowFrom = "alice", streaming = true, hasBadCredentials = false } = wishes;
    return {
      enabled: true,
      port: this.#port,
      token: TOKEN,
      allowFrom: [...ALLOW_FROM[allowFrom]],
      streaming,
      ...(hasBadCredentials &&
        { sslCertfile: "/nowhere/cert.pem", sslKeyfile: "/nowhere/key.pem" }),
    };
  }

  userSays({ text = "", from = "alice", file }: Saying): Said {
    const id = `m${++this.#ids}`;
    const media = file === undefined
      ? []
      : [{ name: file.name, type: "application/octet-stream", data: file.bytes.toBase64() }];
    const frame = { content: text, media };
    this.#sayings.set(`${from}:${id}`, [id, frame]);
    this.#client(from).say(id, frame);
    const chatId = from === "alice" ? ALICE_CHAT : "chat-of-stranger";
    return { platformId: `${from}:${id}`, chatId, senderId: from };
  }

  repeat({ platformId }: Said): void {
    const [id = "", frame = {}] = this.#sayings.get(platformId) ?? [];
    this.#alice.say(id, frame);
  }

  shown(): readonly ShownMessage[] {
    return this.#alice.messages.map(shownOf);
  }

  buttons(): readonly string[] {
    return this.#alice.messages.flatMap(({ choices }) => choices);
  }

  press(_chatId: string, label: string, from: "alice" | "stranger" = "alice"): void {
    if (from === "alice") return this.#alice.choose(label);
    const message = this.#alice.messages.at(-1);
    if (message !== undefined) this.#client("stranger").chooseOf(message.id, 0);
  }

  get effects(): number {
    return this.#alice.frames.length + (this.#stranger?.frames.length ?? 0);
  }

  failNext(failure: SendFailure): void {
    this.#alice.fault = failure === "busy" ? "cut_before" : "cut_after";
  }

  shutOut(): void {
    throw new Error("Cannot shut a server out");
  }

  limitRate(): void {
    throw new Error("Cannot limit a server");
  }

  goOffline(): void {
    throw new Error("Cannot take a server's platform away");
  }

  comeBack(): void {
    throw new Error("Cannot bring a server's platform back");
  }

  async arrived(): Promise<void> {
    await this.#alice.arrived();
  }

  get open(): number {
    return [this.#alice, this.#stranger].filter((client) => client?.isOpen === true).length;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#alice[Symbol.dispose]();
    this.#stranger?.[Symbol.dispose]();
    return Promise.resolve();
  }

  #client(who: "alice" | "stranger"): WebsocketClient {
    if (who === "alice") return this.#alice;
    return this.#stranger ??= new WebsocketClient(this.#options("stranger", "chat-of-stranger"));
  }

  #options(clientId: string, chatId: string): WebsocketClientOptions {
    return { place: `127.0.0.1:${this.#port}`, clientId, chatId, token: TOKEN };
  }
}

function shownOf({ id, text, isPlain, files, edits }: ClientMessage): ShownMessage {
  // Clients get the model's own words: a star within a word is a sign, to people.
  const signs = text.replace(/(?<=\w)\*(?=\w)/g, "\\*");
  const visible = isPlain ? { text, code: [] } : visibleMarkdown(signs);
  return { id, ...visible, files, thread: null, edits };
}
