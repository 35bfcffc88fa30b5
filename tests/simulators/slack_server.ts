/**
 * A Slack workspace on a local port: Web API, Socket Mode and files by the documentation, for the
 * unmodified libraries of Slack's and for ours. Overstepping a documented limit fails the test.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { parseMultipart } from "./feishu/multipart.ts";
import { type Link, Relay } from "./feishu/relay.ts";
import { buttonsIn, seenIn } from "./slack/blocks.ts";
import { type Fault, Faults } from "./slack/faults.ts";
import { type Args, messageJson, METHODS, type MethodScene } from "./slack/methods.ts";
import { Rates } from "./slack/rates.ts";
import { Refusal } from "./slack/refusal.ts";
import { type Delivery, Sockets } from "./slack/sockets.ts";
import { type StoredFile, type StoredMessage, World } from "./slack/world.ts";

/** A call that reached Slack. */
export interface Call {
  readonly method: string;
  readonly args: Args;
  readonly atMs: number;
}

/** What a person does. */
export interface PersonSays {
  /** @default Alice's */
  readonly user?: string;
  /** @default the direct chat with the bot */
  readonly channel?: string;
  readonly text?: string;
  readonly threadTs?: string | undefined;
  readonly files?: readonly StoredFile[];
  /** Told as well, or alone, as the event that a mention makes. @default "both" where it mentions */
  readonly as?: "message" | "app_mention" | "both";
  /** More keys of the event. */
  readonly extra?: JsonObject;
}

/** A message as a person reads it. */
export interface SeenMessage {
  readonly ts: string;
  readonly text: string;
  readonly code: readonly string[];
  readonly files: readonly StoredFile[];
  readonly threadTs: string | undefined;
  readonly edits: number;
  readonly onlyFor: string | undefined;
  /** Labels of its buttons. */
  readonly buttons: readonly string[];
}

/** Stands for the method in faults of a socket's handshake. */
export const UPGRADE = "websocket.upgrade";
const TICKETS_PATH = "/link";

/** One workspace with one app. */
export class SlackPlatform implements AsyncDisposable {
  readonly botUserId = "UBOT01";
  readonly botToken = "xoxb-1-bot";
  readonly appToken = "xapp-1-app";
  readonly faults: Faults = new Faults();
  readonly calls: Call[] = [];
  readonly world: World;
  readonly sockets: Sockets;
  /** What was done against the documentation; a test may look, and empty it. */
  readonly breaches: string[];
  /** Scopes that the app has not. */
  readonly missingScopes: Set<string> = new Set();
  readonly #clock: Clock;
  readonly #rates = new Rates();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #relay: Relay;
  readonly #tickets = new Set<string>();
  readonly #socketLinks = new Set<Link>();
  #ticketCount = 0;
  #busy = 0;

  private constructor(clock: Clock) {
    this.#clock = clock;
    this.world = new World(clock);
    this.sockets = new Sockets(clock);
    this.breaches = this.#rates.breaches;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, info) => this.#answer(request, info.remoteAddr.port),
    );
    this.#relay = new Relay(this.#server.addr.port);
    this.addPerson("UBOT01", "troupe");
  }

  /** Starts a workspace. */
  static start(clock: Clock): SlackPlatform {
    return new SlackPlatform(clock);
  }

  /** Address without a slash at its end. */
  get url(): string {
    return `http://127.0.0.1:${this.#relay.port}`;
  }

  /** Base of the Web API. */
  get apiUrl(): string {
    return `${this.url}/api/`;
  }

  /** Sockets and calls that are open. */
  get open(): number {
    return this.sockets.open + this.#busy;
  }

  /** Adds somebody to the workspace. */
  addPerson(id: string, displayName: string): void {
    this.world.people.set(id, { id, name: displayName.toLowerCase(), displayName });
  }

  /** Adds a channel that the bot is in. */
  addChannel(id: string, name: string): void {
    this.world.conversations.set(id, { id, name, kind: "channel", userId: "" });
  }

  /** Somebody writes; Slack tells the app. */
  says(
    saying: PersonSays,
  ): { readonly message: StoredMessage; readonly told: readonly Delivery[] } {
    const { user = "UALICE", text = "", threadTs, files = [], extra = {} } = saying;
    const channel = saying.channel ?? this.world.directChat(user).id;
    const message = this.world.add({
      channel,
      user,
      text,
      files,
      ...(threadTs !== undefined && { threadTs }),
    });
    const isDirect = channel.startsWith("D");
    const isMention = !isDirect && text.includes(`<@${this.botUserId}`);
    const as = saying.as ?? (isMention ? "both" : "message");
    const event = {
      ...messageJson(message, this.#scene()),
      channel,
      channel_type: isDirect ? "im" : "channel",
      ...extra,
    };
    const told: Delivery[] = [];
    if (as !== "app_mention") told.push(this.tell(event));
    if (as !== "message") told.push(this.tell({ ...event, type: "app_mention" }));
    return { message, told };
  }

  /** Tells the app of an event. */
  tell(event: JsonObject): Delivery {
    return this.sockets.deliver("events_api", {
      type: "event_callback",
      event_id: `Ev${this.sockets.deliveries.length}`,
      event,
    });
  }

  /** Somebody calls a slash command. */
  slash(command: string, text: string, place: { user: string; channel: string }): Delivery {
    return this.sockets.deliver("slash_commands", {
      command,
      text,
      user_id: place.user,
      channel_id: place.channel,
      trigger_id: `trigger-${this.sockets.deliveries.length}`,
      response_url: `${this.url}/respond`,
    });
  }

  /** Somebody presses a button below a message of the bot's. */
  presses(channel: string, ts: string, label: string, user = "UALICE"): Delivery {
    const message = this.world.find(channel, ts);
    const button = buttonsIn(message?.blocks ?? []).find(({ text }) => text.text === label);
    if (message === undefined || button === undefined) {
      throw new RangeError(`Cannot press "${label}": there is no such button`);
    }
    const thread = message.threadTs === undefined ? {} : { thread_ts: message.threadTs };
    return this.sockets.deliver("interactive", {
      type: "block_actions",
      user: { id: user, team_id: "T0001" },
      trigger_id: `trigger-${this.sockets.deliveries.length}`,
      channel: { id: channel },
      container: { type: "message", message_ts: ts, channel_id: channel, ...thread },
      message: { ...messageJson(message, this.#scene()) },
      actions: [{
        type: "button",
        block_id: "choices",
        action_id: button.action_id,
        value: button.value,
      }],
    });
  }

  /** The bot's messages in a channel, oldest first. */
  seen(channel: string): readonly SeenMessage[] {
    return this.world.messages
      .filter((message) =>
        message.channel === channel && message.user === this.botUserId && !message.isDeleted
      )
      .map((message) => this.#seen(message));
  }

  /** Calls of these methods; of all, without any. */
  callsOf(...methods: readonly string[]): readonly Call[] {
    return this.calls.filter(({ method }) => methods.length === 0 || methods.includes(method));
  }

  /** The network goes away. */
  goOffline(): void {
    this.#relay.goOffline();
  }

  /** It is back. */
  comeBack(): void {
    this.#relay.comeBack();
  }

  /** Nothing moves any more on the sockets that are open, and nobody is told. */
  freeze(): void {
    for (const link of this.#socketLinks) link.freeze();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sockets.end();
    await this.#relay[Symbol.asyncDispose]();
    await this.#server.shutdown();
    if (this.breaches.length > 0) {
      throw new Error(`Slack's limits were overstepped: ${this.breaches.join("; ")}`);
    }
  }

  #seen(message: StoredMessage): SeenMessage {
    const { ts, text, blocks, files, threadTs, edits, onlyFor } = message;
    const nameOf = (id: string): string =>
      this.world.people.get(id)?.displayName ?? this.world.conversations.get(id)?.name ?? id;
    const words = blocks === undefined
      ? { text: unescaped(text), code: [] }
      : seenIn(blocks, nameOf);
    const buttons = buttonsIn(blocks ?? []).map((button) => button.text.text);
    return { ts, ...words, files, threadTs, edits, onlyFor, buttons };
  }

  async #answer(request: Request, port: number): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === TICKETS_PATH) {
      const link = this.#relay.link(port);
      if (link !== undefined) this.#socketLinks.add(link);
      return this.#upgrade(request, searchParams.get("ticket") ?? "");
    }
    this.#busy++;
    try {
      if (pathname.startsWith("/api/")) {
        return await this.#call(request, pathname.slice("/api/".length), port);
      }
      return await this.#file(request, pathname);
    } finally {
      this.#busy--;
    }
  }

  #upgrade(request: Request, ticket: string): Response {
    const fault = this.faults.take(UPGRADE);
    if (fault?.kind === "status") return new Response("busy", { status: fault.status });
    if (!this.#tickets.delete(ticket)) return new Response("no ticket", { status: 403 });
    const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 0 });
    this.sockets.admit(socket);
    return response;
  }

  async #call(request: Request, method: string, port: number): Promise<Response> {
    const args = await argsOf(request);
    this.calls.push({ method, args, atMs: this.#clock.now() });
    const fault = this.faults.take(method);
    if (fault?.kind === "status") return new Response("busy", { status: fault.status });
    if (fault?.kind === "reset") return this.#cut(port);
    const answer = this.#run(method, args, request.headers.get("authorization"), fault);
    if (fault?.kind === "half_answer") this.#relay.link(port)?.cutInAnswer(5);
    if (fault?.kind === "garbled_answer") return new Response("<html>welcome</html>");
    return fault?.kind === "lost_answer" ? this.#cut(port) : answer;
  }

  #run(
    method: string,
    args: Args,
    authorization: string | null,
    fault: Fault | undefined,
  ): Response {
    try {
      if (fault?.kind === "refusal") throw new Refusal(fault.error, fault);
      const known = METHODS[method];
      if (known === undefined) throw new Refusal("unknown_method");
      const token = known.as === "app" ? this.appToken : this.botToken;
      if (authorization !== `Bearer ${token}`) throw new Refusal("invalid_auth");
      this.#rates.count(method, args["channel"] ?? "", this.#clock.now());
      return json({ ok: true, ...known.run(args, this.#scene()) }, {
        "x-oauth-scopes": this.scopes,
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { error: word, needed, retryAfterS } = error;
      const body = { ok: false, error: word, ...(needed !== undefined && { needed }) };
      return retryAfterS === undefined
        ? json(body)
        : json(body, { "retry-after": String(retryAfterS) }, 429);
    }
  }

  /** What the bot token may, as Slack tells with each answer. */
  get scopes(): string {
    return SCOPES.filter((scope) => !this.missingScopes.has(scope)).join(",");
  }

  async #file(request: Request, pathname: string): Promise<Response> {
    const [, kind = "", id = ""] = pathname.split("/");
    const file = this.world.files.get(id);
    if (file === undefined) return new Response("not found", { status: 404 });
    const bytes = await request.bytes();
    if (kind === "upload" && request.method === "POST") {
      const [part] = parseMultipart(request.headers.get("content-type") ?? "", bytes);
      const content = part?.bytes ?? bytes;
      if (content.length !== file.bytes.length) return new Response("length", { status: 400 });
      file.bytes = content;
      return new Response(`OK - ${content.length}`);
    }
    if (kind !== "files") return new Response("not found", { status: 404 });
    if (request.headers.get("authorization") !== `Bearer ${this.botToken}`) {
      return new Response(null, { status: 302, headers: { location: `${this.url}/login` } });
    }
    return new Response(file.bytes, { headers: { "content-type": file.mimetype } });
  }

  #cut(port: number): Response {
    this.#relay.link(port)?.cut();
    return new Response(null, { status: 499 });
  }

  #scene(): MethodScene {
    return {
      world: this.world,
      botUserId: this.botUserId,
      botId: "BBOT01",
      team: "Team",
      url: this.url,
      socketAddress: () => {
        const ticket = `ticket-${++this.#ticketCount}`;
        this.#tickets.add(ticket);
        return `ws://127.0.0.1:${this.#relay.port}${TICKETS_PATH}?ticket=${ticket}`;
      },
      breach: (what) => void this.breaches.push(what),
    };
  }
}

const SCOPES: readonly string[] = [
  "app_mentions:read",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "im:write",
  "reactions:write",
  "users:read",
];

async function argsOf(request: Request): Promise<Args> {
  const bytes = await request.bytes();
  const type = request.headers.get("content-type") ?? "";
  const text = new TextDecoder().decode(bytes);
  return type.includes("json") ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
}

function json(
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Response {
  const text = JSON.stringify(body);
  return new Response(text, {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
