/**
 * A Feishu platform on one port of 127.0.0.1 that speaks the true wire to the unmodified official
 * SDK (`domain: platform.url`): REST, long connection, and what a person in the chat sees.
 * @module
 */

import { buttonValue } from "./feishu/card_json.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import {
  type Acknowledgement,
  DeliveryDesk,
  type EventRecord,
  type FragmentPlan,
} from "./feishu/delivery.ts";
import { Doorway, SOCKET_PATH } from "./feishu/doorway.ts";
import { EventWriter } from "./feishu/event_writer.ts";
import { Faults } from "./feishu/faults.ts";
import { RateWindows } from "./feishu/limits.ts";
import type { ClientConfig, LongConnection, PongMode } from "./feishu/long_connection.ts";
import { decide, type FeishuPlatformOptions, type PlatformSettings } from "./feishu/options.ts";
import { type ForwardedChild, People, type Saying } from "./feishu/people.ts";
import { Permissions } from "./feishu/permissions.ts";
import { Relay } from "./feishu/relay.ts";
import { type Call, RestServer } from "./feishu/rest_server.ts";
import type { Route, RouteName } from "./feishu/route.ts";
import { accountRoutes, type AppIdentity, Tokens } from "./feishu/routes_account.ts";
import { cardRoutes } from "./feishu/routes_cards.ts";
import { chatRoutes } from "./feishu/routes_chats.ts";
import { fileRoutes } from "./feishu/routes_files.ts";
import { messageRoutes } from "./feishu/routes_messages.ts";
import { reactionRoutes } from "./feishu/routes_reactions.ts";
import { AppConsole, setupRoutes } from "./feishu/routes_setup.ts";
import { type ChatView, type MessageView, viewChat, viewMessage } from "./feishu/view.ts";
import { Waiting, type WaitOptions } from "./feishu/waiting.ts";
import { type StoredFile, type StoredMessage, World } from "./feishu/world.ts";

export type { FeishuPlatformOptions } from "./feishu/options.ts";
export type { Acknowledgement, EventRecord } from "./feishu/delivery.ts";
export type { Call } from "./feishu/rest_server.ts";
export type { ChatView, MessageView } from "./feishu/view.ts";
export type { Saying } from "./feishu/people.ts";
export { NO_LIMITS } from "./feishu/limits.ts";

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
  /** Plant faults here. */
  readonly faults: Faults = new Faults();
  /** What the app may do. */
  readonly permissions: Permissions;
  /** What its owner set up, and does while it is set up. */
  readonly console: AppConsole = new AppConsole();
  readonly #settings: PlatformSettings;
  readonly #world: World;
  readonly #people: People;
  readonly #rest: RestServer;
  readonly #door: Doorway;
  readonly #desk: DeliveryDesk;
  readonly #events: EventWriter;
  readonly #tokens: Tokens;
  readonly #waiting = new Waiting();
  readonly #ending = Promise.withResolvers<void>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #relay: Relay;
  #ended: Promise<void> | undefined;

  private constructor(settings: PlatformSettings) {
    const { clock, random, app } = settings;
    const { faults } = this;
    const onChange = () => this.#waiting.changed();
    this.#settings = settings;
    this.#world = new World(clock, settings.tag);
    this.permissions = new Permissions(app.appId, settings.missingScopes);
    this.#people = new People(this.#world, { openId: app.botOpenId, name: app.botName });
    this.#tokens = new Tokens(clock, () => this.#world.newId("t-"));
    this.#door = new Doorway({
      clock,
      clientConfig: settings.clientConfig,
      faults,
      port: () => this.port,
      newTicket: () => this.#world.newId(""),
      ended: this.#ending.promise,
      onFrame: (frame) => this.#desk.receive(frame),
      onChange,
    });
    this.#desk = new DeliveryDesk({
      clock,
      random,
      schedule: settings.redelivery,
      connections: () => this.#door.open,
      onChange,
    });
    this.#events = new EventWriter(settings, this.#world, this.#desk);
    this.#rest = new RestServer({
      clock,
      routes: this.#routes(),
      faults,
      tokens: this.#tokens,
      permissions: this.permissions,
      keepsConnections: settings.keepsConnections,
      ended: this.#ending.promise,
      onChange,
    });
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, { remoteAddr }) => this.#handle(request, remoteAddr.port),
    );
    this.#relay = new Relay(this.#server.addr.port);
  }

  /** The app as its owner set it up. */
  get app(): AppIdentity {
    return this.#settings.app;
  }

  /** Opens the platform on a free port. */
  static start(options: FeishuPlatformOptions = {}): Promise<FeishuPlatform> {
    return Promise.resolve(new FeishuPlatform(decide(options)));
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
    this.#events.recalled(message);
    this.#waiting.changed();
  }

  /** A person puts the bot into a group. */
  botAddedTo(chatId: string, openId = "ou_alice"): EventRecord {
    this.#world.group(chatId);
    return this.#events.botAdded(chatId, this.#world.person(openId));
  }

  /** A person puts an emoji on a message. */
  userReacts(messageId: string, emoji: string, openId = "ou_alice"): void {
    const reactionId = this.#world.newId("reaction-");
    const reaction = { reactionId, emoji, by: openId, atMs: this.#world.clock.now() };
    this.#stored(messageId).reactions.push(reaction);
    this.#events.reaction("created", messageId, reaction);
    this.#waiting.changed();
  }

  /** A person presses a button of a card, named by what it shows. */
  userPresses(messageId: string, label: string, openId = "ou_alice"): EventRecord {
    const message = this.#stored(messageId);
    const value = buttonValue(JSON.parse(message.content), label);
    if (value === undefined) throw new RangeError(`Cannot press "${label}": no such button`);
    const { unionId } = this.#world.person(openId);
    return this.#events.send("card.action.trigger", {
      operator: { open_id: openId, union_id: unionId, tenant_key: "tenant" },
      token: this.#world.newId("c-"),
      action: { tag: "button", value },
      host: "im_message",
      context: { open_message_id: messageId, open_chat_id: message.chatId },
    });
  }

  /** Sends any event, subscribed or not. */
  sendEvent(eventType: string, event: JsonObject, { fragments }: SendOptions = {}): EventRecord {
    return this.#events.send(eventType, event, fragments);
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
    this.#relay.goOffline();
  }

  /** The network is back. */
  comeBack(): void {
    this.#relay.comeBack();
  }

  /**
   * Waits until `probe` gives something other than undefined, null or false, and gives that.
   *
   * @throws {Error} at the deadline
   */
  waitFor<T>(probe: () => T | undefined | null | false, options: WaitOptions = {}): Promise<T> {
    return this.#waiting.until(probe, options);
  }

  /** Waits until a client is connected and knows it: it sent its first ping. */
  connected(options: WaitOptions = {}): Promise<LongConnection> {
    const ready = () => this.#door.open.findLast(({ pings }) => pings.length > 0);
    return this.waitFor(ready, { what: "a long connection", ...options });
  }

  /** Ends everything: connections are cut, ports closed. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#ended ??= this.#end();
  }

  async #end(): Promise<void> {
    this.#ending.resolve();
    this.#desk.stop();
    await this.#relay[Symbol.asyncDispose]();
    await Promise.all(this.#door.connections.map((connection) => connection.gone()));
    await this.#server.shutdown();
  }

  #routes(): Route[] {
    const { app, envelopes: { tenantKey }, cardRules, limits, emoji } = this.#settings;
    const world = this.#world;
    const windows = new RateWindows();
    const chats = { world, appId: app.appId, tenantKey, cardRules, limits, windows };
    const openDoor = () => this.#door.issueAddress();
    return [
      ...accountRoutes({ app, tokens: this.#tokens, openDoor }),
      ...messageRoutes(chats),
      ...reactionRoutes({
        ...chats,
        emoji,
        onReaction: (...change) => this.#events.reaction(...change),
      }),
      ...fileRoutes(world),
      ...chatRoutes(world),
      ...setupRoutes({ app, permissions: this.permissions, console: this.console }),
      ...cardRoutes(chats),
    ];
  }

  #handle(request: Request, clientPort: number): Promise<Response> {
    const link = this.#relay.link(clientPort);
    const isSocket = new URL(request.url).pathname === SOCKET_PATH;
    return isSocket ? this.#door.admit(request, link) : this.#rest.handle(request, link);
  }

  #announce(message: StoredMessage, { fragments }: SendOptions): Said {
    const event = this.#events.received(message, fragments);
    const { messageId, chatId } = message;
    return { messageId, chatId, eventId: event.eventId, event, acknowledged: event.acknowledged };
  }

  #stored(messageId: string): StoredMessage {
    const message = this.#world.messages.get(messageId);
    if (message === undefined) throw new RangeError(`Cannot find "${messageId}": no such message`);
    return message;
  }
}
