/**
 * One long connection of the SDK, from its start to its loss. The SDK's own reconnecting never
 * comes to anything: each client is used once, and its wish to reconnect is the sign of the loss.
 * @module
 */

import type * as Lark from "@larksuiteoapi/node-sdk";
import { FeishuRefusedError, FeishuUnreachableError } from "../errors.ts";
import type { ConnectionEnd, ConnectionHandlers } from "../link.ts";
import { type EndpointAnswer, endpointSchema } from "../wire.ts";
import { mendSocketClient } from "./sdk_mends.ts";
import { httpInstanceOf, type HttpOptions, type SendHttp } from "./http.ts";

/** What a connection is made of. */
export interface LongConnectionOptions {
  readonly sdk: typeof Lark;
  readonly appId: string;
  readonly appSecret: string;
  readonly baseUrl: string;
  readonly encryptKey: string;
  readonly verificationToken: string;
  readonly logger: Lark.Logger;
  readonly send: SendHttp;
}

/** How long a handshake may take. */
const HANDSHAKE_TIMEOUT_MS = 15_000;
/** A ping without any frame after it for so long means that the connection is dead. */
const PONG_TIMEOUT_SECONDS = 15;
/** The platform's usual interval, for an endpoint that names none. */
const PING_INTERVAL_SECONDS = 120;
/** How long messages that are being handed in may hold up a stop. */
const STOP_GRACE_MS = 1_000;

/** Events beside messages that may arrive; each is acknowledged at once. */
const OTHER_EVENTS: readonly string[] = [
  "im.message.message_read_v1",
  "im.message.reaction.created_v1",
  "im.message.reaction.deleted_v1",
  "im.message.recalled_v1",
  "im.chat.access_event.bot_p2p_chat_entered_v1",
  "im.chat.member.bot.added_v1",
  "im.chat.member.bot.deleted_v1",
];

/** One use of the SDK's socket client. */
export class LongConnection {
  readonly #options: LongConnectionOptions;
  readonly #handlers: ConnectionHandlers;
  readonly #end = Promise.withResolvers<ConnectionEnd>();
  readonly #handlingNow = new Set<Promise<unknown>>();
  readonly #client: Lark.WSClient;
  #hasAskedEndpoint = false;
  #isStopping = false;
  #retryAtMostMs: number | null = null;

  constructor(options: LongConnectionOptions, handlers: ConnectionHandlers) {
    this.#options = options;
    this.#handlers = handlers;
    const { sdk, appId, appSecret, baseUrl, logger } = options;
    this.#client = new sdk.WSClient({
      appId,
      appSecret,
      domain: baseUrl,
      logger,
      loggerLevel: sdk.LoggerLevel.warn,
      httpInstance: httpInstanceOf((request) => this.#askEndpoint(request)),
      handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
      wsConfig: { pingTimeout: PONG_TIMEOUT_SECONDS },
      onReady: () => handlers.onReady(),
      onReconnecting: () => this.#lose("the connection was lost"),
      onError: (error) => this.#lose(error.message),
    });
    mendSocketClient(this.#client, { onFrame: () => handlers.onFrame() });
  }

  /** Runs until the connection is lost or `signal` aborts. */
  async run(signal: AbortSignal): Promise<ConnectionEnd> {
    if (signal.aborted) return { state: "closed" };
    const stop = () => void this.#stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      await this.#client.start({ eventDispatcher: this.#dispatcher() });
      return await this.#end.promise;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  #dispatcher(): Lark.EventDispatcher {
    const { sdk, encryptKey, verificationToken, logger } = this.#options;
    const dispatcher = new sdk.EventDispatcher({
      encryptKey,
      verificationToken,
      logger,
      loggerLevel: sdk.LoggerLevel.warn,
    });
    const { onEvent } = this.#handlers;
    return dispatcher.register<Record<string, (event: unknown) => void | Promise<void>>>({
      ...Object.fromEntries(
        OTHER_EVENTS.map((name) => [name, (event: unknown) => onEvent(name, event)]),
      ),
      "im.message.receive_v1": (event: unknown) => this.#receive(this.#handlers.onMessage, event),
      // Since callbacks of cards come over long connections, they come as events do.
      "card.action.trigger": (event: unknown) => this.#receive(this.#handlers.onPress, event),
    });
  }

  /** Settles when the platform may be acknowledged; never, when it must send again. */
  async #receive(
    handle: (event: unknown) => Promise<boolean>,
    event: unknown,
  ): Promise<void> {
    if (this.#isStopping) return await never();
    const handling = handle(event).catch(() => false);
    this.#handlingNow.add(handling);
    const isTaken = await handling;
    this.#handlingNow.delete(handling);
    if (!isTaken) await never();
  }

  async #askEndpoint<Body, Data>(request: HttpOptions<Data>): Promise<Body> {
    if (this.#hasAskedEndpoint) {
      throw new FeishuUnreachableError("keep the connection", "it was lost");
    }
    this.#hasAskedEndpoint = true;
    try {
      const body = await this.#options.send<unknown, Data>(request);
      const answer = endpointSchema.parse(body);
      this.#retryAtMostMs = retryAtMostMsOf(answer);
      return JSON.parse(JSON.stringify(forOneUse(answer)));
    } catch (error) {
      if (error instanceof FeishuRefusedError && error.platformCode !== 0) {
        const { platformCode, platformMessage } = error;
        this.#finish({ state: "refused", code: platformCode, detail: platformMessage });
      } else {
        this.#lose("the connection endpoint did not answer");
      }
      throw error;
    }
  }

  #lose(detail: string): void {
    this.#finish({ state: "lost", detail, retryAtMostMs: this.#retryAtMostMs });
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#handlingNow.size > 0) {
      await withGrace(Promise.allSettled(this.#handlingNow), STOP_GRACE_MS);
    }
    // A turn of the loop, for the last acknowledgements and for frames that are held back.
    await withGrace(this.#end.promise, 0);
    this.#finish({ state: "closed" });
  }

  #finish(end: ConnectionEnd): void {
    // The SDK sets its timers after it calls back: what closes it must come later than that.
    queueMicrotask(() => this.#client.close({ force: true }));
    this.#end.resolve(end);
  }
}

/** The endpoint's answer with settings that let the SDK report a failed handshake at once. */
function forOneUse(answer: EndpointAnswer): unknown {
  const given: Record<string, unknown> = { ...answer.data?.ClientConfig };
  const pingInterval = Number(given["PingInterval"]);
  return {
    ...answer,
    data: {
      ...answer.data,
      ClientConfig: {
        PingInterval: pingInterval > 0 ? pingInterval : PING_INTERVAL_SECONDS,
        ReconnectCount: 0,
        ReconnectInterval: 1,
        ReconnectNonce: 0,
      },
    },
  };
}

function retryAtMostMsOf(answer: EndpointAnswer): number | null {
  const seconds = answer.data?.ClientConfig.ReconnectInterval ?? 0;
  return seconds > 0 ? seconds * 1_000 : null;
}

function never(): Promise<never> {
  return Promise.withResolvers<never>().promise;
}

/** Waits for `work`, but not longer than `graceMs`. */
async function withGrace(work: Promise<unknown>, graceMs: number): Promise<void> {
  const { promise: graceIsOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, graceMs);
  await Promise.race([work, graceIsOver]);
  clearTimeout(timer);
}
