/**
 * A Feishu platform on one port of 127.0.0.1 that speaks the true wire to the unmodified official
 * SDK (`domain: platform.url`): REST, long connection, and what a person in the chat sees.
 * @module
 */

import { systemClock, systemRandom } from "../../actors/kernel/adapters/system_clock.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Random } from "../../actors/kernel/random.ts";
import type { CardRules } from "./feishu/card_entity.ts";
import { CARD_LIMITS } from "./feishu/card_json.ts";
import {
  type Acknowledgement,
  DeliveryDesk,
  DOCUMENTED_REDELIVERY,
  type EventRecord,
  type FragmentPlan,
  type RedeliverySchedule,
} from "./feishu/delivery.ts";
import { Doorway, SOCKET_PATH } from "./feishu/doorway.ts";
import {
  encryptBody,
  envelope,
  type EnvelopeFrame,
  messageEvent,
  reactionEvent,
} from "./feishu/envelope.ts";
import { Faults } from "./feishu/faults.ts";
import { DOCUMENTED_LIMITS, type RateLimits, RateWindows } from "./feishu/limits.ts";
import type { ClientConfig, LongConnection, PongMode } from "./feishu/long_connection.ts";
import { type ForwardedChild, People, type Saying } from "./feishu/people.ts";
import { Relay } from "./feishu/relay.ts";
import { type Call, RestServer } from "./feishu/rest_server.ts";
import type { Route, RouteName } from "./feishu/route.ts";
import { accountRoutes, type AppIdentity, Tokens } from "./feishu/routes_account.ts";
import { cardRoutes } from "./feishu/routes_cards.ts";
import { fileRoutes } from "./feishu/routes_files.ts";
import { messageRoutes } from "./feishu/routes_messages.ts";
import { KNOWN_EMOJI, reactionRoutes } from "./feishu/routes_reactions.ts";
import { type ChatView, type MessageView, viewChat, viewMessage } from "./feishu/view.ts";
import { Waiting, type WaitOptions } from "./feishu/waiting.ts";
import { type StoredFile, type StoredMessage, World } from "./feishu/world.ts";

const RECEIVE = "im.message.receive_v1";

/** What a test may choose; everything has a default. */
export interface FeishuPlatformOptions {
  /** Time of limits, streaming ends and redelivery. @default the machine's */
  readonly clock?: Clock;
  /** Chooses the connection of each event, and ids. @default the engine's */
  readonly random?: Random;
  /** @default an id of its own, as the SDK keeps tokens by app id for the whole process */
  readonly appId?: string;
  /** @default "test-secret" */
  readonly appSecret?: string;
  /** @default "Troupe" */
  readonly botName?: string;
  /** Times in seconds. @default what the platform says: -1, 120, 30, 120 */
  readonly clientConfig?: Partial<ClientConfig>;
  /** @default as documented */
  readonly redelivery?: RedeliverySchedule;
  /** @default as documented; `NO_LIMITS` switches all off */
  readonly limits?: Partial<RateLimits>;
  /** @default as documented: 10 minutes of streaming, 14 days, 30 KB, 200 elements, 5 tables */
  readonly cardRules?: Partial<CardRules>;
  /** Emoji keys that exist. @default KNOWN_EMOJI */
  readonly emoji?: ReadonlySet<string>;
  /** Event types the app subscribed to. @default only received messages */
  readonly subscribedEvents?: readonly string[];
  /** Set on the console: events travel encrypted. */
  readonly encryptKey?: string;
}

/** How an event goes out. */
export interface SendOptions {
  readonly fragments?: FragmentPlan;
}

/** A message of a person, and what became of its event. */
export interface Said {
  readonly messageId: string;
  readonly chatId: string;
  readonly eventId: string;
  readonly event: EventRecord;
  /** Resolves with the first acknowledgement of code 200. */
  readonly acknowledged: Promise<Acknowledgement>;
}

/** The platform; hold it with `await using`. */
export class FeishuPlatform implements AsyncDisposable {
  readonly app: AppIdentity;
  /** Plant faults here. */
  readonly faults: Faults = new Faults();
  readonly #options: FeishuPlatformOptions;
  readonly #world: World;
  readonly #people: People;
  readonly #rest: RestServer;
  readonly #door: Doorway;
  readonly #desk: DeliveryDesk;
  readonly #tokens: Tokens;
  readonly #waiting = new Waiting();
  readonly #frame: EnvelopeFrame;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #relay: Relay;

  private constructor(options: FeishuPlatformOptions) {
    const { clock = systemClock, random = systemRandom } = options;
    const tag = hexDigits(random);
    const { appId = `cli_${tag}${hexDigits(random)}`, appSecret = "test-secret" } = options;
    const { botName = "Troupe" } = options;
    this.#options = options;
    this.app = { appId, appSecret, botOpenId: `ou_bot${tag}`, botName };
    this.#world = new World(clock, tag);
    this.#people = new People(this.#world, { openId: this.app.botOpenId, name: botName });
    this.#frame = {
      appId,
      tenantKey: "tenant-1",
      verificationToken: "verification-token",
      botOpenId: this.app.botOpenId,
    };
    this.#tokens = new Tokens(clock, () => this.#world.newId("t-"));
    const onChange = () => this.#waiting.changed();
    this.#door = new Doorway({
      clock,
      clientConfig: {
        ReconnectCount: -1,
        ReconnectInterval: 120,
        ReconnectNonce: 30,
        PingInterval: 120,
        ...options.clientConfig,
      },
      faults: this.faults,
      port: () => this.port,
      newTicket: () => this.#world.newId(""),
      onFrame: (frame) => this.#desk.receive(frame),
      onChange,
    });
    this.#desk = new DeliveryDesk({
      clock,
      random,
      schedule: options.redelivery ?? DOCUMENTED_REDELIVERY,
      connections: () => this.#door.open,
      onChange,
    });
    this.#rest = new RestServer({
      clock,
      routes: this.#routes(),
      faults: this.faults,
      tokens: this.#tokens,
      onChange,
    });
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, { remoteAddr }) => this.#handle(request, remoteAddr.port),
    );
    this.#relay = new Relay(this.#server.addr.port);
  }

  /** Opens the platform on a free port. */
  static start(options: FeishuPlatformOptions = {}): Promise<FeishuPlatform> {
    return Promise.resolve(new FeishuPlatform(options));
  }

  get port(): number {
    return this.#relay.port;
  }

  /** What the SDK takes as `domain`. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Every REST call, in order of arrival; narrowed to some routes if any are named. */
  calls(...routes: readonly RouteName[]): readonly Call[] {
    const { calls } = this.#rest;
    return routes.length === 0 ? [...calls] : calls.filter(({ route }) => routes.includes(route));
  }

  /** Every event that was sent, oldest first. */
  get events(): readonly EventRecord[] {
    return this.#desk.events;
  }

  /** Every long connection there was, oldest first. */
  get connections(): readonly LongConnection[] {
    return this.#door.connections;
  }

  /** Those that the platform believes to be open. */
  get openConnections(): readonly LongConnection[] {
    return this.#door.open;
  }

  /** The chat with this id, or the direct chat with the person of this open id, as it looks now. */
  chat(id: string): ChatView {
    const { chats } = this.#world;
    const chat = chats.get(id) ?? chats.values().find(({ openId }) => openId === id);
    if (chat === undefined) throw new RangeError(`Cannot look at chat "${id}": no such chat`);
    return viewChat(chat, this.#world);
  }

  /** All chats. */
  get chats(): readonly ChatView[] {
    return [...this.#world.chats.values()].map((chat) => viewChat(chat, this.#world));
  }

  /** The message as it looks now, recalled or not. */
  message(messageId: string): MessageView {
    return viewMessage(this.#stored(messageId), this.#world);
  }

  /** Makes a person known, with a direct chat, before they wrote anything. */
  addPerson(openId: string, { name }: { readonly name?: string } = {}): ChatView {
    this.#world.person(openId, { ...(name !== undefined && { name }) });
    return viewChat(this.#world.directChat(openId), this.#world);
  }

  /** Makes a group with the bot in it. */
  addGroup(
    chatId: string,
    options: { readonly isTopicGroup?: boolean; readonly allowsTopics?: boolean } = {},
  ): ChatView {
    return viewChat(this.#world.group(chatId, options), this.#world);
  }

  /** Takes the bot out of a chat. */
  removeBot(chatId: string): void {
    const chat = this.#world.chats.get(chatId);
    if (chat !== undefined) chat.isBotInside = false;
  }

  /** Keeps a file of a person, for the content of a message; gives its key. */
  storeFile({ name, bytes, type = "stream" }: {
    readonly name: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly type?: StoredFile["type"];
  }): string {
    const key = this.#world.newId(type === "image" ? "img_v3_" : "file_v3_");
    this.#world.files.set(key, { key, type, name, bytes, durationMs: undefined });
    return key;
  }

  /** The file behind a key, as it was uploaded. */
  file(key: string): StoredFile | undefined {
    return this.#world.files.get(key);
  }

  /** A person writes; the event goes out at once. */
  userSays(saying: Saying, options: SendOptions = {}): Said {
    return this.#announce(this.#people.say(saying), options);
  }

  /** A person forwards a bundle of messages. */
  userForwards(saying: Saying, children: readonly ForwardedChild[]): Said {
    return this.#announce(this.#people.forward(saying, children), {});
  }

  /** A person takes a message back. */
  userRecalls(messageId: string): void {
    const message = this.#stored(messageId);
    message.isRecalled = true;
    this.#sendSubscribed("im.message.recalled_v1", {
      message_id: messageId,
      chat_id: message.chatId,
      recall_time: String(this.#world.clock.now()),
      recall_type: "message_owner",
    });
    this.#waiting.changed();
  }

  /** A person puts an emoji on a message. */
  userReacts(messageId: string, emoji: string, openId = "ou_alice"): void {
    const reactionId = this.#world.newId("reaction-");
    const reaction = { reactionId, emoji, by: openId, atMs: this.#world.clock.now() };
    this.#stored(messageId).reactions.push(reaction);
    const event = reactionEvent(messageId, reaction, this.#frame);
    this.#sendSubscribed("im.message.reaction.created_v1", event);
  }

  /** Sends any event, subscribed or not. */
  sendEvent(eventType: string, event: JsonObject, { fragments }: SendOptions = {}): EventRecord {
    const sent = envelope(this.#frame, {
      eventId: this.#world.newId("event-"),
      eventType,
      atMs: this.#world.clock.now(),
      event,
    });
    const text = JSON.stringify(sent.body);
    const { encryptKey } = this.#options;
    const payload = encryptKey === undefined ? text : encryptBody(text, encryptKey);
    return this.#desk.send(sent, payload, fragments);
  }

  /** Sends an event once more though it was acknowledged. */
  repeatEvent(eventId: string): void {
    this.#desk.repeat(eventId);
  }

  /** Sends again, now, every event that was not acknowledged in time; says how many. */
  redeliverUnacknowledged(): number {
    return this.#desk.redeliverUnacknowledged();
  }

  /** What pings are answered with from now on. */
  answerPings(mode: PongMode): void {
    this.#door.pong = mode;
  }

  /** Other settings for clients, from the next endpoint answer or pong on. */
  configureClients(clientConfig: Partial<ClientConfig>): void {
    this.#door.clientConfig = { ...this.#door.clientConfig, ...clientConfig };
  }

  /** Makes every access token invalid before its time. */
  revokeTokens(): void {
    this.#tokens.revoke();
  }

  /** The network goes away: connections break, new ones are closed as soon as they are made. */
  goOffline(): void {
    this.#relay.isRefusing = true;
    this.#relay.cutAll();
  }

  /** The network is back. */
  comeBack(): void {
    this.#relay.isRefusing = false;
  }

  /**
   * Waits until `probe` gives something other than undefined, null or false, and gives that.
   *
   * @throws {Error} at the deadline
   */
  waitFor<T>(probe: () => T | undefined | null | false, options: WaitOptions = {}): Promise<T> {
    return this.#waiting.until(probe, options);
  }

  /** Waits until a client is connected. */
  connected(options: WaitOptions = {}): Promise<LongConnection> {
    return this.waitFor(() => this.#door.open.at(-1), { what: "a long connection", ...options });
  }

  /** Ends everything: connections are cut, ports closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#desk.stop();
    await this.#relay[Symbol.asyncDispose]();
    await Promise.all(this.#door.connections.map(({ ended }) => ended));
    await this.#server.shutdown();
  }

  #routes(): Route[] {
    const chatOptions = {
      world: this.#world,
      appId: this.app.appId,
      tenantKey: this.#frame.tenantKey,
      cardRules: {
        ...CARD_LIMITS,
        streamingMs: 600_000,
        lifeMs: 14 * 86_400_000,
        ...this.#options.cardRules,
      },
      limits: { ...DOCUMENTED_LIMITS, ...this.#options.limits },
      windows: new RateWindows(),
    };
    return [
      ...accountRoutes({
        app: this.app,
        tokens: this.#tokens,
        openDoor: () => this.#door.issueAddress(),
      }),
      ...messageRoutes(chatOptions),
      ...reactionRoutes({
        ...chatOptions,
        emoji: this.#options.emoji ?? KNOWN_EMOJI,
        onReaction: (change, messageId, reaction) => {
          const event = reactionEvent(messageId, reaction, this.#frame);
          this.#sendSubscribed(`im.message.reaction.${change}_v1`, event);
        },
      }),
      ...fileRoutes(this.#world),
      ...cardRoutes(chatOptions),
    ];
  }

  #handle(request: Request, clientPort: number): Promise<Response> {
    const link = this.#relay.link(clientPort);
    const isSocket = new URL(request.url).pathname === SOCKET_PATH;
    return isSocket ? this.#door.admit(request, link) : this.#rest.handle(request, link);
  }

  #announce(message: StoredMessage, options: SendOptions): Said {
    const chat = this.#world.chats.get(message.chatId);
    const sender = this.#world.person(message.from);
    if (chat === undefined) throw new RangeError(`Cannot announce "${message.messageId}": no chat`);
    const body = messageEvent(message, chat, sender, this.#frame);
    const event = this.sendEvent(RECEIVE, body, options);
    const { messageId, chatId } = message;
    return { messageId, chatId, eventId: event.eventId, event, acknowledged: event.acknowledged };
  }

  #sendSubscribed(eventType: string, event: JsonObject): void {
    if (this.#options.subscribedEvents?.includes(eventType)) this.sendEvent(eventType, event);
  }

  #stored(messageId: string): StoredMessage {
    const message = this.#world.messages.get(messageId);
    if (message === undefined) throw new RangeError(`Cannot find "${messageId}": no such message`);
    return message;
  }
}

function hexDigits(random: Random): string {
  return Math.floor(random.next() * 0xffff_ffff).toString(16).padStart(8, "0");
}
