/**
 * The WebSocket channel: a server for programs and pages, which is its own platform.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { whenAborted } from "../../actors/kernel/aborting.ts";
import type { Channel, ChannelContext, Delivery, DeliveryReceipt, LookUp } from "../channel.ts";
import { Delivering } from "../delivering.ts";
import { reportedRun, untilKnown } from "../running.ts";
import { Strangers } from "../strangers.ts";
import { admit, plain } from "./access/admission.ts";
import { Tokens } from "./access/tokens.ts";
import type { ServedFile } from "./adapters/served_file.ts";
import { Chats, type ChatStore } from "./chats/chats.ts";
import { Client, CLOSE } from "./clients/client.ts";
import { deliveryErrorOf, WebsocketSetupError } from "./errors.ts";
import type { Listen, Upgrade, WebRequest, WebServer } from "./link.ts";
import { manifest, type WebsocketSection } from "./manifest.ts";
import { clientMessageOf } from "./receive/ids.ts";
import { Receiver } from "./receive/receiver.ts";
import { Routes } from "./routes/routes.ts";
import { Deliveries, type DeliveriesOptions } from "./send/deliveries.ts";
import { MediaLinks } from "./send/media_links.ts";

const logger = getLogger(["troupe", "websocket", "channel"]);

/** Open connections that are no sockets yet, or ask for a page. */
const CONNECTIONS_SPARE = 50;
/** Messages whose chat is remembered, to tell that they wait. */
const RECENT_MAX = 1_000;

/** The world as the channel needs it. */
export interface WebsocketWorld {
  readonly listen: Listen;
  readonly store: ChatStore;
  readonly newSecret: () => string;
  readonly lookAtFile: DeliveriesOptions["lookAtFile"];
  readonly openFile: (path: string) => Promise<ServedFile | null>;
}

/** One server. */
export class WebsocketChannel implements Channel {
  readonly isStreaming: boolean;
  readonly #section: WebsocketSection;
  readonly #context: ChannelContext;
  readonly #world: WebsocketWorld;
  readonly #chats: Chats;
  readonly #tokens: Tokens;
  readonly #links: MediaLinks;
  readonly #delivering: Delivering;
  readonly #deliveries: Deliveries;
  readonly #strangers: Strangers;
  readonly #clients = new Set<Client>();
  readonly #chatOf = new Map<string, string>();

  constructor(section: WebsocketSection, context: ChannelContext, world: WebsocketWorld) {
    this.isStreaming = section.streaming;
    this.#section = section;
    this.#context = context;
    this.#world = world;
    const { clock } = context;
    const { newSecret, lookAtFile } = world;
    const { allowFrom } = section;
    this.#chats = new Chats(world.store);
    this.#tokens = new Tokens({ clock, ttlMs: section.tokenTtlS * 1_000, newSecret });
    this.#links = new MediaLinks(clock, newSecret);
    this.#strangers = new Strangers({
      logger,
      key: "channels.websocket.allowFrom",
      allowFrom,
      ids: "client ids",
    });
    const { workspaceFolder } = context;
    const deliveries = new Deliveries({ chats: this.#chats, lookAtFile, workspaceFolder });
    this.#deliveries = deliveries;
    this.#delivering = new Delivering({
      signal: context.signal,
      isStreaming: section.streaming,
      grow: (delivery) => deliveries.grow(delivery),
      finish: (delivery) => deliveries.finish(delivery),
      settle: () => Promise.resolve(), // stands in what was delivered
      errorOf: deliveryErrorOf,
    });
  }

  async run(): Promise<void> {
    await reportedRun(this.#context, async (signal) => {
      const [missing] = manifest.missing(this.#section);
      if (missing !== undefined) throw new WebsocketSetupError(`Cannot listen: ${missing}`);
      this.#warn();
      await using receiver = new Receiver(this.#context);
      await using server = await this.#listen(receiver);
      receiver.resume();
      this.#ready(server);
      await whenAborted(signal);
      for (const client of [...this.#clients]) client.close(CLOSE.goingAway, "the server stops");
    });
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    return this.#delivering.deliver(delivery, signal);
  }

  lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    return this.#delivering.lookUp(delivery, signal, () => this.#deliveries.lookUp(delivery));
  }

  noteWaiting(platformId: string, isWaiting: boolean): void {
    const chatId = this.#chatOf.get(platformId);
    const message = clientMessageOf(platformId);
    if (chatId === undefined || message === null) return;
    for (const client of this.#clients) {
      client.tell(chatId, {
        event: "waiting",
        chat_id: chatId,
        client_msg_id: message.clientMessageId,
        waiting: isWaiting,
      });
    }
  }

  async #listen(receiver: Receiver): Promise<WebServer> {
    const { host, port, maxMessageBytes, maxConnections, sslCertfile, sslKeyfile } = this.#section;
    const routes = new Routes({
      section: this.#section,
      tokens: this.#tokens,
      sessions: this.#context.sessions,
      links: this.#links,
      openFile: this.#world.openFile,
    });
    const tls = sslCertfile === "" ? undefined : { certFile: sslCertfile, keyFile: sslKeyfile };
    const connectionsMax = maxConnections + CONNECTIONS_SPARE;
    const listening = () =>
      this.#world.listen({ host, port, frameBytesMax: maxMessageBytes, connectionsMax, tls }, {
        answer: (request) => routes.answer(request),
        upgrade: (request) => this.#upgrade(request, receiver),
      });
    return await untilKnown(listening, {
      context: this.#context,
      logger,
      refusalOf: (error) => error instanceof WebsocketSetupError ? error : null,
    });
  }

  #ready({ port }: WebServer): void {
    const { host, path, sslCertfile } = this.#section;
    const place = `${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
    const detail = `Listening on ${sslCertfile === "" ? "ws" : "wss"}://${place}`;
    this.#context.report({ state: "ready", detail });
  }

  #upgrade(request: WebRequest, receiver: Receiver): Upgrade {
    if (this.#clients.size >= this.#section.maxConnections) {
      return { state: "refused", answer: plain(503, "Too many connections") };
    }
    const { newId, clock } = this.#context;
    const admission = admit(request, { section: this.#section, tokens: this.#tokens, newId });
    if (admission.verdict === "refused") {
      if (admission.stranger !== undefined) this.#strangers.note(admission.stranger);
      return { state: "refused", answer: admission.answer };
    }
    const { sharedChats, pingIntervalS, pingTimeoutS } = this.#section;
    const surroundings = {
      chats: this.#chats,
      receiver: {
        take: (saying: Parameters<Receiver["take"]>[0]) => {
          this.#remember(saying.platformId, saying.chatId);
          return receiver.take(saying);
        },
      },
      clock,
      newId,
      fileOut: (file: Parameters<MediaLinks["fileOut"]>[0]) => this.#links.fileOut(file),
      sharedChats,
      pingIntervalMs: pingIntervalS * 1_000,
      pingTimeoutMs: pingTimeoutS * 1_000,
    };
    return {
      state: "admitted",
      open: (socket) => {
        const onEnd = () => void this.#clients.delete(client);
        const client: Client = new Client(admission.client, socket, surroundings, onEnd);
        this.#clients.add(client);
        return client;
      },
    };
  }

  #remember(platformId: string, chatId: string): void {
    this.#chatOf.set(platformId, chatId);
    const [oldest] = this.#chatOf.keys();
    if (this.#chatOf.size > RECENT_MAX && oldest !== undefined) this.#chatOf.delete(oldest);
  }

  #warn(): void {
    const { token, tokenIssuePath, tokenIssueSecret, websocketRequiresToken } = this.#section;
    if (tokenIssuePath !== "" && tokenIssueSecret === "") {
      logger.warn("channels.websocket.tokenIssueSecret is empty: anybody gets a token");
    }
    if (token === "" && !websocketRequiresToken) {
      logger.warn("channels.websocket.websocketRequiresToken is false: programs need no token");
    }
  }
}
