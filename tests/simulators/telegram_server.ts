/**
 * Telegram's Bot API on one port of 127.0.0.1, spoken to by the unmodified library
 * (`apiRoot: platform.url`), and what a person in a chat sees. What the documentation forbids fails
 * the test when the platform ends.
 * @module
 */

import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import { Relay } from "./feishu/relay.ts";
import { Waiting, type WaitOptions } from "./feishu/waiting.ts";
import { type Fault, Faults } from "./telegram/faults.ts";
import { type MethodRequest, METHODS } from "./telegram/methods.ts";
import { Rates } from "./telegram/rates.ts";
import { Refusal } from "./telegram/refusal.ts";
import { Updates } from "./telegram/updates.ts";
import { chatIn, entitiesIn, type MessageView, personIn, viewOf } from "./telegram/view.ts";
import { readRequest, refused } from "./telegram/wire.ts";
import { type Chat, type Person, World } from "./telegram/world.ts";

export type { MessageView } from "./telegram/view.ts";

/** What a test may choose. */
export interface TelegramPlatformOptions {
  /** Time of limits and long polls. @default the machine's */
  readonly clock?: Clock;
}

/** A call of the bot's. */
export interface Call {
  readonly method: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** A message that a person writes; `extra` goes into it as it is. */
export interface Saying {
  /** @default the first person */
  readonly from?: number;
  /** A group; without it the direct chat with the bot. */
  readonly chatId?: number;
  readonly text?: string;
  readonly threadId?: number;
  readonly replyTo?: number;
  readonly extra?: JsonObject;
}

/** A message, and the number of its update. */
export interface Said {
  readonly chatId: number;
  readonly messageId: number;
  readonly updateId: number;
}

/** Methods by which the bot looks for news. */
const PASSIVE: ReadonlySet<string> = new Set(["getMe", "getUpdates"]);

/** The platform; hold it with `await using`. */
export class TelegramPlatform implements AsyncDisposable {
  readonly bot: { readonly id: number; readonly username: string } = {
    id: 4_242,
    username: "troupe_bot",
  };
  /** The owner may have made a new one. */
  token: string = `${this.bot.id}:AAtest-secret_of_the_bot`;
  readonly faults: Faults = new Faults();
  readonly calls: Call[] = [];
  /** What the documentation forbids and the bot did; rates are refused, and so listed as well. */
  readonly violations: string[] = [];
  readonly #clock: Clock;
  readonly #world: World;
  readonly #updates: Updates;
  readonly #rates: Rates;
  readonly #waiting = new Waiting();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #relay: Relay;
  readonly #ending = new AbortController();
  #open = 0;
  #fileCount = 0;
  #pressCount = 0;

  private constructor(clock: Clock) {
    this.#clock = clock;
    this.#world = new World(clock);
    this.#updates = new Updates(clock);
    this.#rates = new Rates(clock);
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, info) => this.#handle(request, info),
    );
    this.#relay = new Relay(this.#server.addr.port);
  }

  /** Opens the platform on a free port. */
  static start({ clock = systemClock }: TelegramPlatformOptions = {}): TelegramPlatform {
    return new TelegramPlatform(clock);
  }

  /** What the library takes as `apiRoot`. */
  get url(): string {
    return `http://127.0.0.1:${this.#relay.port}`;
  }

  /** Calls by which the bot touched something. */
  get effects(): number {
    return this.calls.filter(({ method }) => !PASSIVE.has(method)).length;
  }

  /** Requests that wait for an answer. */
  get open(): number {
    return this.#open;
  }

  /** Updates that the bot has not confirmed. */
  get unconfirmed(): number {
    return this.#updates.unconfirmed;
  }

  /** The bot's menu. */
  get commands(): readonly JsonObject[] {
    return this.#world.commands;
  }

  /** Makes a person known, who has started the bot. */
  addPerson(
    id: number,
    { firstName = "", username }: { readonly firstName?: string; readonly username?: string } = {},
  ): Person {
    const person = { id, firstName, username, hasStarted: true, hasBlockedBot: false };
    this.#world.people.set(id, person);
    this.#addChat({ id, type: "private" });
    return person;
  }

  /** Makes a group with the bot in it; ids of groups are negative. */
  addGroup(id: number, { isForum = false }: { readonly isForum?: boolean } = {}): Chat {
    return this.#addChat({ id, type: "supergroup", isForum });
  }

  /** A chat that was made known. */
  chat(id: number): Chat {
    const chat = this.#world.chats.get(id);
    if (chat === undefined) throw new RangeError(`Cannot look at chat "${id}": no such chat`);
    return chat;
  }

  /** The bot's messages in a chat, oldest first. */
  shown(chatId: number): readonly MessageView[] {
    return this.#world.messages
      .filter((message) => message.chatId === chatId && message.isFromBot && !message.isDeleted)
      .map(viewOf);
  }

  /** The reaction that the bot put on a message. */
  reaction(chatId: number, messageId: number): string | null {
    return this.#world.message(chatId, messageId)?.reaction ?? null;
  }

  /** Keeps a file of a person's; gives what a message names it by. */
  offerFile(
    { name, bytes, size = bytes.length }: {
      readonly name: string;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly size?: number;
    },
  ): JsonObject {
    const id = `file${++this.#fileCount}`;
    this.#world.files.set(id, { name, bytes, size, path: `documents/${id} part` });
    return { file_id: id, file_unique_id: `unique${id}`, file_size: size };
  }

  /** A person writes; the update waits for whoever asks. */
  userSays(saying: Saying): Said {
    const [first] = this.#world.people.keys();
    const from = this.#world.people.get(saying.from ?? first ?? 0);
    if (from === undefined) throw new RangeError("Cannot write: no such person");
    const chat = this.chat(saying.chatId ?? from.id);
    const { text = "", threadId, replyTo, extra = {} } = saying;
    const { id: messageId } = this.#world.add({
      chatId: chat.id,
      isFromBot: false,
      threadId,
      replyToId: replyTo,
      file: undefined,
      fileKind: undefined,
      text,
      entities: [],
    });
    const message = {
      message_id: messageId,
      date: Math.floor(this.#clock.now() / 1_000),
      chat: chatIn(chat, from),
      from: personIn(from),
      ...(text !== "" && { text, entities: entitiesIn(text) }),
      ...(threadId !== undefined && { message_thread_id: threadId, is_topic_message: true }),
      ...(replyTo !== undefined && { reply_to_message: this.#answered(chat, replyTo) }),
      ...extra,
    };
    return { chatId: chat.id, messageId, updateId: this.#updates.add({ message }) };
  }

  /** A person presses a button below a message of the bot's; gives the id of the press. */
  userPresses(
    chatId: number,
    messageId: number,
    label: string,
    from: number = [...this.#world.people.keys()][0] ?? 0,
  ): string {
    const message = this.#world.message(chatId, messageId);
    const person = this.#world.people.get(from);
    const button = message?.buttons.find(({ text }) => text === label);
    if (message === undefined || person === undefined || button === undefined) {
      throw new RangeError(`Cannot press "${label}": there is no such button`);
    }
    const id = `press${++this.#pressCount}`;
    const { threadId } = message;
    this.#updates.add({
      callback_query: {
        id,
        from: personIn(person),
        chat_instance: String(chatId),
        data: button.data,
        message: {
          message_id: messageId,
          date: Math.floor(this.#clock.now() / 1_000),
          chat: chatIn(this.chat(chatId), person),
          from: { id: this.bot.id, is_bot: true, first_name: "Troupe" },
          text: message.text,
          ...(threadId !== undefined && { message_thread_id: threadId, is_topic_message: true }),
        },
      },
    });
    return id;
  }

  /** Presses that the bot acknowledged. */
  get answeredPresses(): readonly string[] {
    return this.#world.answeredPresses;
  }

  /** Sends any update. */
  sendUpdate(content: JsonObject): number {
    return this.#updates.add(content);
  }

  /** Sets a webhook, as another program may do. */
  setWebhook(url: string): void {
    this.#world.webhookUrl = url;
  }

  /** The network goes away. */
  goOffline(): void {
    this.#relay.goOffline();
  }

  /** The network is back. */
  comeBack(): void {
    this.#relay.comeBack();
  }

  /** Waits until `probe` gives something other than undefined, null or false, and gives that. */
  waitFor<T>(probe: () => T | undefined | null | false, options: WaitOptions = {}): Promise<T> {
    return this.#waiting.until(probe, options);
  }

  /** Ends everything; throws when the bot did what the documentation forbids. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#relay[Symbol.asyncDispose]();
    await this.#server.shutdown();
    if (this.violations.length > 0) {
      throw new Error(`Telegram does not allow this: ${this.violations.join("; ")}`);
    }
  }

  #addChat(
    { id, type, isForum = false }: Pick<Chat, "id" | "type"> & Partial<Pick<Chat, "isForum">>,
  ): Chat {
    const chat: Chat = {
      id,
      type,
      isForum,
      topics: new Set<number>(),
      isBotInside: true,
      movedTo: undefined,
      messageCount: 0,
    };
    this.#world.chats.set(id, chat);
    return chat;
  }

  #answered(chat: Chat, messageId: number): JsonObject {
    const message = this.#world.message(chat.id, messageId);
    const from = message?.isFromBot === true
      ? { id: this.bot.id, is_bot: true, first_name: "Troupe", username: this.bot.username }
      : { id: 1, is_bot: false, first_name: "Somebody" };
    const base = { message_id: messageId, date: 0, chat: { id: chat.id, type: chat.type }, from };
    return { ...base, text: message?.text ?? "" };
  }

  async #handle(
    request: Request,
    { remoteAddr, completed }: Deno.ServeHandlerInfo<Deno.NetAddr>,
  ): Promise<Response> {
    this.#open++;
    const gone = new AbortController();
    completed.finally(() => gone.abort()).catch(() => {}); // the client went away
    try {
      return await this.#answer(request, remoteAddr.port, gone.signal);
    } finally {
      this.#open--;
      this.#waiting.changed();
    }
  }

  async #answer(request: Request, clientPort: number, gone: AbortSignal): Promise<Response> {
    const path = decodeURIComponent(new URL(request.url).pathname);
    const [, isFile, token, rest = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(path) ?? [];
    if (token !== this.token) return refused(new Refusal(401, "Unauthorized"));
    if (isFile !== undefined) return this.#file(rest);
    const { fields, files } = await readRequest(request);
    this.calls.push({ method: rest, fields, atMs: this.#clock.now() });
    const fault = this.faults.take(rest);
    const early = fault === undefined ? undefined : await this.#strike(fault, clientPort);
    if (early !== undefined) return early;
    const answer = await this.#run(rest, { fields, files }, gone);
    if (fault?.kind === "lost_answer") this.#relay.link(clientPort)?.cut();
    if (fault?.kind === "half_answer") this.#relay.link(clientPort)?.cutInAnswer(5);
    if (fault?.kind === "odd_answer") return Response.json(fault.body);
    return fault?.kind === "garbled_answer" ? new Response("<html>welcome</html>") : answer;
  }

  /** What happens before the effect; undefined when that takes place. */
  async #strike(fault: Fault, clientPort: number): Promise<Response | undefined> {
    switch (fault.kind) {
      case "status":
        return new Response("<html>sorry</html>", {
          status: fault.status,
          headers: { "content-type": "text/html" },
        });
      case "refusal":
        return refused(new Refusal(fault.code, fault.description, fault.parameters));
      case "reset":
        this.#relay.link(clientPort)?.cut();
        return new Response(null, { status: 503 });
      case "wait":
        await fault.gate;
        return undefined;
      case "lost_answer":
      case "half_answer":
      case "garbled_answer":
      case "odd_answer":
        return undefined;
    }
  }

  async #run(method: string, request: MethodRequest, gone: AbortSignal): Promise<Response> {
    try {
      return Response.json({ ok: true, result: await this.#result(method, request, gone) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 429) this.violations.push(`${method}: ${error.message}`);
      return refused(error);
    }
  }

  async #result(method: string, request: MethodRequest, gone: AbortSignal): Promise<JsonValue> {
    const { fields } = request;
    switch (method) {
      case "getMe":
        return { ...this.bot, is_bot: true, first_name: "Troupe" };
      case "getUpdates":
        return [...await this.#getUpdates(fields, gone)];
      case "getWebhookInfo":
        return { url: this.#world.webhookUrl, pending_update_count: this.unconfirmed };
      case "deleteWebhook":
        this.#world.webhookUrl = "";
        return true;
    }
    const run = METHODS[method];
    if (run === undefined) throw new Refusal(404, "Not Found");
    const onViolation = (what: string): void => void this.violations.push(`${method}: ${what}`);
    const scene = { world: this.#world, rates: this.#rates, botId: this.bot.id, onViolation };
    return run(request, scene);
  }

  #getUpdates(
    fields: MethodRequest["fields"],
    gone: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    if (this.#world.webhookUrl !== "") {
      throw new Refusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first",
      );
    }
    const { offset = 0, timeout = 0 } = fields;
    const query = { offset: Number(offset), timeoutMs: Number(timeout) * 1_000 };
    return this.#updates.read(query, AbortSignal.any([gone, this.#ending.signal]));
  }

  #file(path: string): Response {
    const file = this.#world.files.values().find((candidate) => candidate.path === path);
    return file === undefined ? new Response(null, { status: 404 }) : new Response(file.bytes, {
      headers: { "content-type": "application/octet-stream" },
    });
  }
}
