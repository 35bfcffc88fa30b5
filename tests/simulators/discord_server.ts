/**
 * A Discord platform on one port of 127.0.0.1 that speaks the true wire (`apiBase:
 * platform.apiBase`): REST, gateway, files, and what people see. It keeps the documented limits;
 * whoever oversteps them fails the test when the platform is disposed of.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import { Faults } from "./discord/faults.ts";
import { Gateway, type GatewayConnection } from "./discord/gateway.ts";
import { Rates } from "./discord/rates.ts";
import { Rest, type RestCall } from "./discord/rest.ts";
import { Routes, type SimInteraction } from "./discord/routes.ts";
import { channelJson, messageJson, userJson } from "./discord/shapes.ts";
import {
  CHANNEL_TYPES,
  type SimChannel,
  type SimFile,
  type SimMessage,
  type SimUser,
  World,
} from "./discord/world.ts";
import { Relay } from "./feishu/relay.ts";
import { Waiting, type WaitOptions } from "./feishu/waiting.ts";

export type { SimChannel, SimFile, SimMessage, SimUser } from "./discord/world.ts";
export type { SimInteraction } from "./discord/routes.ts";
export type { GatewayConnection } from "./discord/gateway.ts";

/** What a person writes. */
export interface Saying {
  readonly author: SimUser;
  readonly channel: SimChannel;
  /** @default "" */
  readonly text?: string;
  readonly files?: readonly (Pick<SimFile, "name" | "bytes"> & Partial<SimFile>)[];
  /** The message that is answered. */
  readonly referenceId?: string;
  /** @default 0, or 19 for an answer */
  readonly type?: number;
  /** Embeds, stickers, polls, snapshots, as they go over the wire. */
  readonly extras?: JsonObject;
  /** The event leaves out what the message answers. @default false */
  readonly hidesReference?: boolean;
}

/** Stands for the route in faults of a gateway's handshake. */
export const UPGRADE = "gateway.upgrade";
const TOKEN = "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs";
const MESSAGE_CONTENT = 1 << 15;

/** The platform; hold it with `await using`. */
export class DiscordPlatform implements AsyncDisposable {
  /** The owner may have reset it. */
  token: string = TOKEN;
  readonly world: World;
  readonly faults: Faults = new Faults();
  readonly guildId: string;
  readonly applicationId: string;
  readonly interactions: Map<string, SimInteraction> = new Map();
  /** Privileged intents that the bot has. */
  intentsAllowed: number = MESSAGE_CONTENT;
  /** Sessions that may still be begun today. */
  sessionsLeft = 1_000;
  /** Overstepped limits do not fail the test. */
  isLenient = false;
  readonly #gateway: Gateway;
  readonly #rates: Rates;
  readonly #routes: Routes;
  readonly #rest: Rest;
  readonly #waiting = new Waiting();
  readonly #ending = Promise.withResolvers<void>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #relay: Relay;
  #ended: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.world = new World(clock);
    this.guildId = this.world.newId();
    this.applicationId = this.world.newId();
    const onChange = () => this.#waiting.changed();
    this.#rates = new Rates(clock);
    this.#gateway = new Gateway({
      clock,
      token: () => this.token,
      newId: () => `session-${this.world.newId()}`,
      url: () => this.#gatewayUrl,
      ready: () => ({
        v: 10,
        user: userJson(this.world.bot),
        application: { id: this.applicationId, flags: 0 },
        guilds: [{ id: this.guildId, unavailable: true }],
      }),
      greetings: () => [{ type: "GUILD_CREATE", data: this.#guildJson() }],
      intentsAllowed: () => this.intentsAllowed,
      onChange,
    });
    this.#routes = new Routes({
      world: this.world,
      applicationId: this.applicationId,
      gatewayUrl: () => this.#gatewayUrl,
      cdn: () => this.url,
      interactions: this.interactions,
      sessionsLeft: () => this.sessionsLeft,
      onChange,
    });
    this.#rest = new Rest({
      clock,
      token: () => this.token,
      routes: this.#routes.list,
      rates: this.#rates,
      faults: this.faults,
      ended: this.#ending.promise,
      onChange,
    });
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, { remoteAddr }) => this.#handle(request, remoteAddr.port),
    );
    this.#relay = new Relay(this.#server.addr.port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#relay.port}`;
  }

  /** What the channel takes as `apiBase`. */
  get apiBase(): string {
    return `${this.url}/api`;
  }

  /** Every REST call, narrowed to some routes if any are named. */
  calls(...routes: readonly string[]): readonly RestCall[] {
    const { calls } = this.#rest;
    return routes.length === 0 ? [...calls] : calls.filter(({ route }) => routes.includes(route));
  }

  /** Calls that are being answered. */
  get pendingCalls(): number {
    return this.#rest.pending;
  }

  /** Every connection of the gateway there was, oldest first. */
  get connections(): readonly GatewayConnection[] {
    return this.#gateway.connections;
  }

  get openConnections(): readonly GatewayConnection[] {
    return this.#gateway.open;
  }

  /** What was done against the limits. */
  get breaches(): readonly string[] {
    return [...this.#rates.breaches, ...this.#gateway.breaches];
  }

  /** The bot as its owner set it up. */
  get account(): Pick<Routes, "guilds" | "applicationFlags"> {
    return this.#routes;
  }

  /** The bot's commands in the menu. */
  get commands(): Routes["commands"] {
    return this.#routes.commands;
  }

  /** When the bot said that it writes. */
  get typing(): Routes["typing"] {
    return this.#routes.typing;
  }

  addPerson(username: string, globalName: string | null = null): SimUser {
    return this.world.addUser(username, { globalName });
  }

  /** The direct messages of a person and the bot. */
  direct(person: SimUser): SimChannel {
    return this.world.directChannel(person.id);
  }

  /** Makes a text channel on the server. */
  addChannel(name: string): SimChannel {
    const channel = this.world.addChannel(CHANNEL_TYPES.text, { guildId: this.guildId, name });
    this.#gateway.dispatch("CHANNEL_CREATE", channelJson(channel));
    return channel;
  }

  /** Makes a thread. @param isTold by an event. @default true */
  addThread(
    parent: SimChannel,
    name: string,
    { isTold = true }: { readonly isTold?: boolean } = {},
  ): SimChannel {
    const { guildId } = this;
    const thread = this.world.addChannel(CHANNEL_TYPES.thread, {
      guildId,
      parentId: parent.id,
      name,
    });
    if (isTold) this.#gateway.dispatch("THREAD_CREATE", channelJson(thread));
    return thread;
  }

  /** A person writes; the event goes out at once. */
  userSays(
    { author, channel, text = "", files = [], hidesReference, ...saying }: Saying,
  ): SimMessage {
    const { referenceId = null, extras = {} } = saying;
    const message = this.world.addMessage({
      channelId: channel.id,
      author,
      text,
      type: saying.type ?? (referenceId === null ? 0 : 19),
      referenceId,
      files: files.map((file) => this.world.addFile(file)),
      extras,
    });
    this.tellOf(message, { hidesReference: hidesReference ?? false });
    return message;
  }

  /** Sends a message's event, once more perhaps. */
  tellOf(
    message: SimMessage,
    { hidesReference = false }: { readonly hidesReference?: boolean } = {},
  ): void {
    const { referenced_message: referenced, ...json } = messageJson(message, this.world, this.url);
    const { guildId } = this.#channelOf(message);
    this.#gateway.dispatch("MESSAGE_CREATE", {
      ...json,
      ...(referenced !== undefined && !hidesReference && { referenced_message: referenced }),
      ...(guildId !== null && { guild_id: guildId, member: { nick: null, roles: [] } }),
    });
  }

  /** A person takes a message back. */
  userDeletes(message: SimMessage): void {
    message.isDeleted = true;
    const { guildId } = this.#channelOf(message);
    const { id, channelId: channel_id } = message;
    this.#gateway.dispatch("MESSAGE_DELETE", {
      id,
      channel_id,
      ...(guildId !== null && { guild_id: guildId }),
    });
  }

  /** A person chooses a command of the bot. */
  userCommands(
    { author, channel, name, text }: {
      readonly author: SimUser;
      readonly channel: SimChannel;
      readonly name: string;
      readonly text?: string;
    },
  ): SimInteraction {
    const id = this.world.newId();
    const interaction: SimInteraction = { id, token: `token-${id}`, callback: null, texts: [] };
    this.interactions.set(id, interaction);
    const user = userJson(author);
    const { guildId } = channel;
    this.#gateway.dispatch("INTERACTION_CREATE", {
      id,
      application_id: this.applicationId,
      type: 2,
      token: interaction.token,
      version: 1,
      channel_id: channel.id,
      ...(guildId === null ? { user } : { guild_id: guildId, member: { user, roles: [] } }),
      data: {
        id: "1",
        name,
        type: 1,
        ...(text !== undefined && { options: [{ name: "text", type: 3, value: text }] }),
      },
    });
    return interaction;
  }

  /** A person presses a button below a message of the bot's. */
  userPresses(message: SimMessage, label: string, author: SimUser): SimInteraction {
    const button = message.buttons.find((candidate) => candidate.label === label);
    if (button === undefined) throw new RangeError(`Cannot press "${label}": no such button`);
    const id = this.world.newId();
    const interaction: SimInteraction = { id, token: `token-${id}`, callback: null, texts: [] };
    this.interactions.set(id, interaction);
    const user = userJson(author);
    const { guildId } = this.#channelOf(message);
    this.#gateway.dispatch("INTERACTION_CREATE", {
      id,
      application_id: this.applicationId,
      type: 3,
      token: interaction.token,
      version: 1,
      channel_id: message.channelId,
      message: messageJson(message, this.world, this.url),
      ...(guildId === null ? { user } : { guild_id: guildId, member: { user, roles: [] } }),
      data: { component_type: 2, custom_id: button.customId },
    });
    return interaction;
  }

  /** Sends any event. */
  sendEvent(type: string, data: JsonValue): void {
    this.#gateway.dispatch(type, data);
  }

  /** Sessions cannot be resumed any more. */
  forgetSessions(): void {
    this.#gateway.forgetSessions();
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

  /** Ends everything: connections are cut, ports closed. @throws when limits were overstepped */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#ended ??= this.#end();
  }

  async #end(): Promise<void> {
    this.#ending.resolve();
    await this.#relay[Symbol.asyncDispose]();
    await Promise.all(this.#gateway.connections.map((connection) => connection.gone()));
    await this.#server.shutdown();
    if (!this.isLenient && this.breaches.length > 0) {
      throw new Error(`Cannot be content: limits were overstepped (${this.breaches.join("; ")})`);
    }
  }

  get #gatewayUrl(): string {
    return `ws://127.0.0.1:${this.#relay.port}/gateway`;
  }

  #handle(request: Request, clientPort: number): Response | Promise<Response> {
    const link = this.#relay.link(clientPort);
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/gateway")) {
      const fault = this.faults.take(UPGRADE);
      if (fault?.kind === "status") return new Response("busy", { status: fault.status });
      return this.#gateway.admit(request, link);
    }
    if (pathname.startsWith("/attachments/")) return this.#file(pathname.split("/")[3] ?? "");
    return this.#rest.handle(request, link);
  }

  #file(fileId: string): Response {
    const file = this.world.files.get(fileId);
    const headers = { connection: "close", "cache-control": "no-transform" };
    if (file === undefined) {
      return new Response("This content is no longer available.", { status: 404, headers });
    }
    return new Response(file.bytes, { headers: { ...headers, "content-type": file.contentType } });
  }

  #channelOf({ channelId }: SimMessage): SimChannel {
    const channel = this.world.channels.get(channelId);
    if (channel === undefined) throw new RangeError(`Cannot find channel "${channelId}"`);
    return channel;
  }

  #guildJson(): JsonObject {
    const inGuild = [...this.world.channels.values()].filter(({ guildId }) => guildId !== null);
    const isThread = ({ type }: SimChannel) => type === CHANNEL_TYPES.thread;
    return {
      id: this.guildId,
      name: "Team",
      channels: inGuild.filter((channel) => !isThread(channel)).map(channelJson),
      threads: inGuild.filter(isThread).map(channelJson),
    };
  }
}
