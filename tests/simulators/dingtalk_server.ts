/**
 * DingTalk on one port of 127.0.0.1: its two APIs, its streams, and what a person in a chat sees.
 * What the documentation forbids fails the test when the platform ends.
 * @module
 */

import { z } from "zod";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { Relay } from "./feishu/relay.ts";
import { type Fault, Faults } from "./dingtalk/faults.ts";
import { type CallScene, METHODS, upload } from "./dingtalk/methods.ts";
import { Rates } from "./dingtalk/rates.ts";
import { badClient, badToken, Refusal } from "./dingtalk/refusal.ts";
import { type Bringing, Streams } from "./dingtalk/streams.ts";
import { type Group, type Person, type StoredFile, World } from "./dingtalk/world.ts";

export type { Bringing } from "./dingtalk/streams.ts";
export type { StoredMessage } from "./dingtalk/world.ts";

/** What a test may choose. */
export interface DingTalkPlatformOptions {
  /** Time of limits, tokens and repetitions. @default the machine's */
  readonly clock?: Clock;
  /** After that long, what was not answered comes again. @default 60 seconds, as it is in truth */
  readonly repeatMs?: number;
}

/** A call of the robot's. */
export interface Call {
  readonly path: string;
  readonly body: unknown;
  readonly atMs: number;
}

/** What a person writes; `extra` goes into the message as it is. */
export interface Saying {
  /** A staff id. @default the first person */
  readonly from?: string;
  /** A group; without it the direct chat with the robot. */
  readonly conversationId?: string;
  readonly text?: string;
  /** In a group. @default false */
  readonly mentionsRobot?: boolean;
  readonly extra?: JsonObject;
}

/** A message of a person's; null as `bringing` for one that the robot is not brought. */
export interface Said {
  readonly msgId: string;
  readonly bringing: Bringing | null;
}

/** Calls by which the robot signs in and looks for news. */
const PASSIVE: ReadonlySet<string> = new Set([
  "/v1.0/oauth2/accessToken",
  "/v1.0/gateway/connections/open",
]);
const TOKEN_LIFE_S = 7_200;
const ROBOT_ID = "$:LWCP_v1:$robot";

const signInSchema = z.object({ appKey: z.string(), appSecret: z.string() });
const openSchema = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  subscriptions: z.unknown(),
});

/** The platform; hold it with `await using`. */
export class DingTalkPlatform implements AsyncDisposable {
  readonly clientId: string = "dingclient";
  /** The owner may have made a new one. */
  clientSecret: string = "the secret of the app";
  readonly faults: Faults = new Faults();
  readonly calls: Call[] = [];
  /** What the documentation forbids and the robot did; rates are refused, and so listed as well. */
  readonly violations: string[] = [];
  readonly streams: Streams;
  readonly world: World = new World();
  readonly #clock: Clock;
  readonly #rates: Rates;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #relay: Relay;
  /** Ends of tokens, by token. */
  readonly #tokens = new Map<string, number>();
  #tokenCount = 0;
  #sayingCount = 0;
  #open = 0;

  private constructor({ clock = systemClock, repeatMs = 60_000 }: DingTalkPlatformOptions) {
    this.#clock = clock;
    this.#rates = new Rates(clock);
    const onViolation = (what: string): void => void this.violations.push(what);
    this.streams = new Streams({ clock, repeatMs, onViolation });
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, info) => this.#handle(request, info),
    );
    this.#relay = new Relay(this.#server.addr.port);
  }

  /** Opens the platform on a free port. */
  static start(options: DingTalkPlatformOptions = {}): DingTalkPlatform {
    return new DingTalkPlatform(options);
  }

  /** Of both APIs. */
  get url(): string {
    return `http://127.0.0.1:${this.#relay.port}`;
  }

  /** Calls by which the robot touched something. */
  get effects(): number {
    return this.calls.filter(({ path }) => !PASSIVE.has(path)).length;
  }

  /** Streams, and requests that wait for an answer. */
  get open(): number {
    return this.#open + this.streams.open;
  }

  /** How often the robot asked for a token. */
  get tokenCount(): number {
    return this.#tokenCount;
  }

  /** Makes a person known. */
  addPerson(staffId: string, nick: string): Person {
    const person = { staffId, nick, isFlowControlled: false };
    this.world.people.set(staffId, person);
    return person;
  }

  /** Makes a group known with the robot in it. */
  addGroup(
    conversationId: string,
    options: Partial<Pick<Group, "title" | "hearsAll">> = {},
  ): Group {
    const { title = "Team", hearsAll = false } = options;
    const group = { conversationId, title, hearsAll, isRobotInside: true };
    this.world.groups.set(conversationId, group);
    return group;
  }

  /** Keeps a file of a person's; gives the code by which a message names it. */
  offerFile(file: StoredFile): string {
    const code = `code${this.world.files.size + 1}`;
    this.world.files.set(code, file);
    return code;
  }

  /** A person writes. */
  userSays(saying: Saying): Said {
    const { text, conversationId, mentionsRobot = false, extra = {} } = saying;
    const [first = ""] = this.world.people.keys();
    const staffId = saying.from ?? first;
    const group = conversationId === undefined ? undefined : this.world.groups.get(conversationId);
    const msgId = `msg${++this.#sayingCount}==`;
    if (group !== undefined && !mentionsRobot && !group.hearsAll) return { msgId, bringing: null };
    const message: JsonObject = {
      msgId,
      conversationType: group === undefined ? "1" : "2",
      conversationId: conversationId ?? `cid-direct-${staffId}`,
      ...(group !== undefined && { conversationTitle: group.title, isInAtList: mentionsRobot }),
      senderId: `$:LWCP_v1:$${staffId}`,
      senderStaffId: staffId,
      senderNick: this.world.people.get(staffId)?.nick ?? "",
      senderCorpId: "corp",
      chatbotUserId: ROBOT_ID,
      chatbotCorpId: "corp",
      robotCode: this.clientId,
      sessionWebhook: "https://oapi.dingtalk.com/robot/sendBySession?session=s",
      sessionWebhookExpiredTime: this.#clock.now() + 5_400_000,
      createAt: this.#clock.now(),
      isAdmin: false,
      // The mention of the robot is taken out, the space behind it is not.
      ...(text !== undefined && {
        msgtype: "text",
        text: { content: mentionsRobot ? ` ${text}` : text },
      }),
      ...extra,
    };
    return { msgId, bringing: this.streams.bring(message) };
  }

  /** All tokens that were given are good no more. */
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

  /** Ends everything; throws when the robot did what the documentation forbids. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.streams.end();
    await this.#relay[Symbol.asyncDispose]();
    await this.#server.shutdown();
    if (this.violations.length > 0) {
      throw new Error(`DingTalk does not allow this: ${this.violations.join("; ")}`);
    }
  }

  async #handle(
    request: Request,
    { remoteAddr }: Deno.ServeHandlerInfo<Deno.NetAddr>,
  ): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === "/connect") return this.#admit(request, url);
    this.#open++;
    try {
      return await this.#answer(request, url, remoteAddr.port);
    } finally {
      this.#open--;
    }
  }

  #admit(request: Request, url: URL): Response {
    if (!this.streams.uses(url.searchParams.get("ticket"))) {
      return new Response(null, { status: 401 });
    }
    const { socket, response } = Deno.upgradeWebSocket(request);
    this.streams.admit(socket);
    return response;
  }

  async #answer(request: Request, { pathname }: URL, clientPort: number): Promise<Response> {
    if (pathname.startsWith("/files/")) return this.#file(pathname);
    const fault = this.faults.take(pathname);
    const early = fault === undefined ? undefined : await this.#strike(fault, clientPort);
    if (early !== undefined) return early;
    const answer = await this.#run(request, pathname);
    if (fault?.kind === "lost_answer") this.#relay.link(clientPort)?.cut();
    if (fault?.kind === "half_answer") this.#relay.link(clientPort)?.cutInAnswer(5);
    return fault?.kind === "garbled_answer" ? new Response("<html>welcome</html>") : answer;
  }

  /** What happens before the effect; undefined when that takes place. */
  async #strike(fault: Fault, clientPort: number): Promise<Response | undefined> {
    switch (fault.kind) {
      case "status":
        return new Response("<html>sorry</html>", { status: fault.status });
      case "refusal":
        return new Refusal(fault.status, fault.code, "no", fault.retryAfterS).response;
      case "reset":
        this.#relay.link(clientPort)?.cut();
        return new Response(null, { status: 503 });
      case "wait":
        await fault.gate;
        return undefined;
      default:
        return undefined;
    }
  }

  async #run(request: Request, path: string): Promise<Response> {
    try {
      return Response.json(await this.#result(request, path));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 403) this.violations.push(`${path}: ${error.message}`);
      return error.response;
    }
  }

  async #result(request: Request, path: string): Promise<unknown> {
    const scene = this.#scene();
    if (path === "/media/upload") return await this.#upload(request, scene);
    const body: unknown = await request.json();
    this.calls.push({ path, body, atMs: this.#clock.now() });
    this.#rates.call(path);
    if (path === "/v1.0/oauth2/accessToken") return this.#signIn(body);
    if (path === "/v1.0/gateway/connections/open") return this.#openStream(body);
    this.#checkToken(request.headers.get("x-acs-dingtalk-access-token"));
    const run = METHODS[path];
    if (run === undefined) throw new Refusal(404, "InvalidAction.NotFound", path);
    return run(body, scene);
  }

  async #upload(request: Request, scene: CallScene): Promise<JsonObject> {
    this.calls.push({ path: "/media/upload", body: null, atMs: this.#clock.now() });
    const token = new URL(request.url).searchParams.get("access_token") ?? "";
    const isGood = (this.#tokens.get(token) ?? 0) > this.#clock.now();
    return isGood
      ? await upload(request, scene)
      : { errcode: 40014, errmsg: "不合法的access_token" };
  }

  #signIn(body: unknown): JsonObject {
    const { appKey, appSecret } = signInSchema.parse(body);
    if (appKey !== this.clientId || appSecret !== this.clientSecret) throw badClient();
    const accessToken = `token-${++this.#tokenCount}`;
    this.#tokens.set(accessToken, this.#clock.now() + TOKEN_LIFE_S * 1_000);
    return { accessToken, expireIn: TOKEN_LIFE_S };
  }

  #openStream(body: unknown): JsonObject {
    const { clientId, clientSecret, subscriptions } = openSchema.parse(body);
    if (clientId !== this.clientId || clientSecret !== this.clientSecret) {
      throw new Refusal(401, "authFailed", "鉴权失败");
    }
    const ticket = this.streams.ticketFor(subscriptions);
    return { endpoint: `ws://127.0.0.1:${this.#relay.port}/connect`, ticket };
  }

  #checkToken(token: string | null): void {
    const endMs = token === null ? undefined : this.#tokens.get(token);
    if (endMs === undefined || endMs <= this.#clock.now()) throw badToken();
  }

  #scene(): CallScene {
    return {
      world: this.world,
      rates: this.#rates,
      robotCode: this.clientId,
      url: this.url,
      onViolation: (what) => void this.violations.push(what),
    };
  }

  #file(path: string): Response {
    const code = path.slice("/files/".length);
    const file = this.world.files.get(code);
    if (code.startsWith("sent-on-")) {
      const location = this.world.addresses.get(code) ?? `${this.url}/files/code1`;
      return new Response(null, { status: 302, headers: { location } });
    }
    if (file === undefined) return new Response(null, { status: 404 });
    return new Response(file.bytes, { headers: { "content-type": "application/octet-stream" } });
  }
}
