/**
 * QQ's open platform on one port of 127.0.0.1 (`apiBase` and `authBase`: `platform.url`), and what a
 * person in a chat sees. What the documentation forbids fails the test when the platform ends.
 * @module
 */

import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import { Relay } from "./feishu/relay.ts";
import { type Fault, Faults, type Route } from "./qq/faults.ts";
import { Gateway } from "./qq/gateway.ts";
import { Refusal, refused } from "./qq/refusal.ts";
import { type Folder, Sending, type SentMessage } from "./qq/sending.ts";

export type { SentMessage } from "./qq/sending.ts";

/** A message that a person writes. */
export interface Saying {
  /** Their openid, or their id in a guild. */
  readonly from: string;
  /** A group, in which the bot is mentioned; without it a chat with the bot alone. */
  readonly group?: string;
  /** A guild, over which they write directly. */
  readonly guild?: string;
  readonly text?: string;
  /** Goes into the event as it is. */
  readonly extra?: JsonObject;
}

/** A call of the bot's. */
export interface Call {
  readonly route: Route;
  readonly path: string;
  readonly body: unknown;
  readonly atMs: number;
}

const TOKEN_MS = 7_200_000;
/** Before a token's end another one is given out; both are good then. */
const TOKEN_OVERLAP_MS = 60_000;
const PASSIVE: ReadonlySet<Route> = new Set(["token", "gateway"]);
const PATH = /^\/(?:v2\/(users|groups)|(dms))\/([^/]+)\/(messages|files)$/;

/** The platform; hold it with `await using`. */
export class QqPlatform implements AsyncDisposable {
  readonly appId = "102000001";
  /** The owner may have made a new one: tokens of the old one are no longer good. */
  secret = "secret-of-the-bot";
  readonly faults: Faults = new Faults();
  readonly calls: Call[] = [];
  readonly sending: Sending;
  readonly gateway: Gateway;
  /** Intents that the bot may have. */
  intents: number = (1 << 12) | (1 << 25);
  readonly #clock: Clock;
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #relay: Relay;
  readonly #tokens = new Map<string, { readonly secret: string; readonly endsAtMs: number }>();
  #open = 0;
  #saidCount = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.sending = new Sending(clock);
    this.gateway = new Gateway({
      isToken: (token) => this.#isToken(token),
      intentsAllowed: () => this.intents,
    });
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, info) => this.#handle(request, info.remoteAddr.port),
    );
    this.#relay = new Relay(this.#server.addr.port);
  }

  /** What the section takes as `apiBase` and `authBase`. */
  get url(): string {
    return `http://127.0.0.1:${this.#relay.port}`;
  }

  /** Calls by which the bot touched something. */
  get effects(): number {
    return this.calls.filter(({ route }) => !PASSIVE.has(route)).length;
  }

  /** Connections, and requests that wait for an answer. */
  get open(): number {
    return this.#open + this.gateway.open.length;
  }

  /** The bot's messages in a chat (of a guild: by the guild's id), oldest first. */
  shown(chatId: string): readonly SentMessage[] {
    return this.sending.messages.filter((message) => message.chatId === chatId);
  }

  /** Keeps a file of a person's; gives it as a message brings it. */
  offerFile(
    { name, bytes, type = "file" }: {
      readonly name: string;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly type?: string;
    },
  ): JsonObject {
    const path = `/files/${this.#files.size + 1}`;
    this.#files.set(path, bytes);
    return { url: this.url + path, filename: name, content_type: type, size: bytes.length };
  }

  /** A person writes. @returns the message's id */
  userSays(saying: Saying): string {
    const id = `ROBOT1.0_said${++this.#saidCount}.${saying.from}!`;
    this.repeat(id, saying);
    return id;
  }

  /** The platform tells of a message, perhaps once more. */
  repeat(id: string, { from, group, guild, text = "", extra = {} }: Saying): void {
    const timestamp = new Date(this.#clock.now()).toISOString();
    const message = { id, content: group === undefined ? text : ` ${text}`, timestamp };
    if (group !== undefined) {
      this.sending.noteSaid(id, "groups", group);
      const author = { id: from, member_openid: from };
      return this.tell("GROUP_AT_MESSAGE_CREATE", {
        ...message,
        author,
        group_openid: group,
        ...extra,
      });
    }
    if (guild !== undefined) {
      this.sending.noteSaid(id, "dms", guild);
      const author = { id: from, username: "somebody", bot: false };
      return this.tell("DIRECT_MESSAGE_CREATE", { ...message, author, guild_id: guild, ...extra });
    }
    this.sending.noteSaid(id, "users", from);
    const author = { id: from, user_openid: from };
    this.tell("C2C_MESSAGE_CREATE", { ...message, author, ...extra });
  }

  /** Tells of anything. */
  tell(type: string, data: JsonValue): void {
    this.gateway.dispatch(type, data);
  }

  /** All tokens are no longer good, before their time. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  /** The network goes away. */
  goOffline(): void {
    this.#relay.goOffline();
  }

  /** The network is back. */
  comeBack(): void {
    this.#relay.comeBack();
  }

  /** Ends everything; throws when the bot did what the documentation forbids. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
    await this.#server.shutdown();
    const { violations } = this.sending;
    if (violations.length > 0) throw new Error(`QQ does not allow this: ${violations.join("; ")}`);
  }

  #isToken(authorization: string): boolean {
    const token = this.#tokens.get(authorization.replace(/^QQBot /, ""));
    return authorization.startsWith("QQBot ") && token !== undefined &&
      token.secret === this.secret && this.#clock.now() < token.endsAtMs;
  }

  async #handle(request: Request, clientPort: number): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/websocket") {
      return this.gateway.admit(request, this.#relay.link(clientPort));
    }
    this.#open++;
    try {
      return await this.#answer(request, pathname, clientPort);
    } finally {
      this.#open--;
    }
  }

  async #answer(request: Request, pathname: string, clientPort: number): Promise<Response> {
    const text = await request.text();
    const body: unknown = text === "" ? null : JSON.parse(text);
    const route = routeOf(pathname);
    this.calls.push({ route, path: pathname, body, atMs: this.#clock.now() });
    const fault = this.faults.take(route);
    const early = fault === undefined ? undefined : strike(fault);
    if (early !== undefined) return early;
    const answer = this.#run(route, request, pathname, body);
    if (fault?.kind === "lost_answer") this.#relay.link(clientPort)?.cut();
    if (fault?.kind === "half_answer") this.#relay.link(clientPort)?.cutInAnswer(5);
    return fault?.kind === "garbled_answer" ? new Response("<html>welcome</html>") : answer;
  }

  #run(route: Route, request: Request, path: string, body: unknown): Response {
    try {
      if (route === "token") return this.#lend(request, body);
      if (route === "download") return this.#file(path);
      if (!this.#isToken(request.headers.get("authorization") ?? "")) {
        throw new Refusal(11_244, "token not exist or expire", 401);
      }
      if (route === "gateway") {
        return Response.json({ url: `${this.url.replace(/^http/, "ws")}/websocket` });
      }
      return this.#send(path, body);
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  }

  #send(path: string, body: unknown): Response {
    const [, v2, dms, id = "", what] = PATH.exec(path) ?? [];
    const folder: Folder | undefined = dms === "dms"
      ? dms
      : v2 === "users" || v2 === "groups"
      ? v2
      : undefined;
    if (folder === undefined) throw new Refusal(11_000, "no such call", 404);
    if (what === "files") {
      return Response.json({
        file_uuid: "u",
        file_info: this.sending.upload(folder, body),
        ttl: 0,
      });
    }
    const timestamp = new Date(this.#clock.now()).toISOString();
    return Response.json({ id: this.sending.send(folder, id, body), timestamp });
  }

  #lend(request: Request, body: unknown): Response {
    const isAccepting = request.headers.get("accept") === "application/json";
    const isKnown = JSON.stringify(body) ===
      JSON.stringify({ appId: this.appId, clientSecret: this.secret });
    if (!isAccepting) return Response.json({ code: 100_007, message: "appid invalid" });
    if (!isKnown) return Response.json({ code: 100_016, message: "invalid appid or secret" });
    const nowMs = this.#clock.now();
    const current = this.#tokens.entries().find(([, { secret, endsAtMs }]) =>
      secret === this.secret && endsAtMs - nowMs > TOKEN_OVERLAP_MS
    );
    const token = current?.[0] ?? `token-${this.calls.length}`;
    const endsAtMs = current?.[1].endsAtMs ?? nowMs + TOKEN_MS;
    this.#tokens.set(token, { secret: this.secret, endsAtMs });
    const seconds = Math.floor((endsAtMs - nowMs) / 1_000);
    return Response.json({ access_token: token, expires_in: String(seconds) });
  }

  #file(path: string): Response {
    const bytes = this.#files.get(path);
    return bytes === undefined ? new Response(null, { status: 404 }) : new Response(bytes);
  }
}

function routeOf(path: string): Route {
  if (path === "/app/getAppAccessToken") return "token";
  if (path === "/gateway") return "gateway";
  if (path.startsWith("/files/")) return "download";
  return path.endsWith("/files") ? "upload" : "message";
}

/** What happens before the effect; undefined when that takes place. */
function strike(fault: Fault): Response | undefined {
  switch (fault.kind) {
    case "status":
      return new Response("<html>sorry</html>", { status: fault.status });
    case "refusal": {
      const { code, status = 400, retryAfterSeconds } = fault;
      return refused({ code, status, message: "refused" }, retryAfterSeconds);
    }
    case "lost_answer":
    case "half_answer":
    case "garbled_answer":
      return undefined;
  }
}
