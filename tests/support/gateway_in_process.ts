/**
 * A whole gateway inside the test's process, with a channel of the test beside its platforms.
 * @module
 */

import { loadConfig } from "../../actors/config/load_config.ts";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { Gateway } from "../../actors/gateway/gateway.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Channel, ChannelContext, Delivery, DeliveryReceipt } from "../../channels/channel.ts";
import { channelEntries } from "../../channels/registry.ts";
import type { GatewayHome } from "./gateway_process.ts";

/** A channel of the test: says what it is told to, remembers what comes back. */
export class ProbeChannel implements Channel {
  readonly isStreaming = false;
  readonly delivered: Delivery[] = [];
  readonly #context: ChannelContext;
  #said = 0;

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  async run(): Promise<void> {
    this.#context.report({ state: "ready", detail: "probe" });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#context.signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
  }

  deliver(delivery: Delivery): Promise<DeliveryReceipt> {
    this.delivered.push(delivery);
    return Promise.resolve({ messageIds: [delivery.key] });
  }

  /** Hands in a message of `chatId`; resolves with what the gateway did with it. */
  say(chatId: string, content: string): Promise<string> {
    return this.#context.handIn({
      platformId: `probe-${this.#said++}`,
      chatId,
      senderId: chatId,
      content,
      media: [],
      context: {},
    });
  }

  /** Final texts that came back to a chat. */
  textsOf(chatId: string): string[] {
    return this.delivered.filter((delivery) => delivery.chatId === chatId)
      .map(({ text }) => text);
  }
}

/** A running gateway and its probe. */
export interface InProcessGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly probe: ProbeChannel;
}

/** Starts a gateway from `config` in `home`, with the channel `probe` beside those of the config. */
export async function startInProcess(
  home: GatewayHome,
  config: JsonObject,
  options: { readonly workerEntry?: URL } = {},
): Promise<InProcessGateway> {
  const loaded = await loadConfig({
    source: {
      readTextFile: () => Promise.resolve(JSON.stringify({ gateway: { port: 0 }, ...config })),
      env: { TROUPE_HOME: home.path },
      homeDir: home.path,
      cwd: home.path,
    },
    manifests: channelEntries.map(({ manifest }) => manifest),
  });
  const { promise: made, resolve } = Promise.withResolvers<ProbeChannel>();
  const gateway = await Gateway.start({
    loaded,
    version: "0.0.0-test",
    world: systemWorld(),
    print: () => {},
    localChannels: [{
      name: "probe",
      create: (context) => {
        const channel = new ProbeChannel(context);
        resolve(channel);
        return channel;
      },
    }],
    isWhole: true,
    ...options,
  });
  const probe = await made;
  return { gateway, probe, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}
