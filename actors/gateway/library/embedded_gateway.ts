/**
 * A gateway inside another program: it is asked, and tells what comes of it step by step.
 * @module
 */

import project from "../../../deno.json" with { type: "json" };
import { channelManifests } from "../../../channels/registry.ts";
import type { ChannelSessionMessage } from "../../../channels/channel.ts";
import type { Provider } from "../../../providers/provider.ts";
import { systemConfigSource } from "../../config/adapters/system_source.ts";
import { loadConfig, type LoadedConfig } from "../../config/load_config.ts";
import type { ConfigSource } from "../../config/source.ts";
import { onAbort } from "../../kernel/aborting.ts";
import { GatewayError } from "../../kernel/errors.ts";
import { systemWorld } from "../adapters/system_world.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { ExchangeDesk } from "../exchange/exchange_desk.ts";
import type { ExchangeEnd, ExchangeFailure, ExchangeUsage } from "../exchange/exchange_events.ts";
import { Gateway } from "../gateway.ts";
import type { HealthReport } from "../health.ts";
import type { CreateGatewayOptions, SendOptions } from "./library_options.ts";

/** Name of the program's channel and first part of its session keys. */
const CHANNEL = "sdk";
const TAKEN: ReadonlySet<string> = new Set([CHANNEL, "api", "cli", "system"]);

const PROVIDER_NAME = /^[^\s/]+$/;

/** There is no good answer. */
export class ExchangeError extends GatewayError {
  override readonly name = "ExchangeError";
  readonly code: ExchangeFailure;
  readonly recovery = "give_up";
  readonly usage: ExchangeUsage;

  constructor({ reason, text, usage }: Extract<ExchangeEnd, { readonly type: "failed" }>) {
    super(text);
    this.code = reason;
    this.usage = usage;
  }
}

/** A running gateway; hold it with `await using`. */
export class EmbeddedGateway implements AsyncDisposable {
  readonly #gateway: Gateway;
  readonly #desk: ExchangeDesk;
  readonly #newId: () => string;

  private constructor(gateway: Gateway, desk: ExchangeDesk, newId: () => string) {
    this.#gateway = gateway;
    this.#desk = desk;
    this.#newId = newId;
  }

  /** Starts one; as {@link createGateway}, which is the way here. */
  static async start(options: CreateGatewayOptions): Promise<EmbeddedGateway> {
    const { tools = [], channels = [], provider, providers = [] } = options;
    const { isWhole = false, print = () => {} } = options;
    checkProviders(providers);
    const taken = channels.find(({ name }) => TAKEN.has(name));
    if (taken !== undefined) throw new TypeError(`Cannot add channel "${taken.name}": it is taken`);
    const loaded = await load(options);
    const world = systemWorld();
    const desk = new ExchangeDesk(CHANNEL, "the program that the gateway runs in");
    const gateway = await Gateway.start({
      ...{ loaded, version: project.version, world, print, isWhole, tools, provider, providers },
      localChannels: [desk.local, ...channels],
      command: "library",
    });
    return new EmbeddedGateway(gateway, desk, world.newId);
  }

  /**
   * Sends a message. What comes of it is iterated over, or waited for by `end`; leaving the loop
   * stops nothing, `stop()` and the signal do.
   */
  send(
    content: string,
    { session = "default", media = [], sender = "user", id, signal }: SendOptions = {},
  ): Exchange {
    const sessionKey = session.includes(":") ? session : `${CHANNEL}:${session}`;
    const message = { content, sessionKey, senderId: sender, media, id };
    const exchange = this.#desk.open(message, this.#newId);
    if (signal !== undefined) stopOn(signal, exchange);
    return exchange;
  }

  /**
   * Sends a message and waits for its answer.
   *
   * @throws {ExchangeError} when there is no good one; its message is what a person would have read
   */
  async ask(
    content: string,
    options: SendOptions = {},
  ): Promise<Extract<ExchangeEnd, { readonly type: "finished" }>> {
    const end = await this.send(content, options).end;
    if (end.type === "failed") throw new ExchangeError(end);
    return end;
  }

  /** What was said in a conversation of this program; null when there is none of that name. */
  history(session = "default"): Promise<readonly ChannelSessionMessage[] | null> {
    return this.#desk.history(`${CHANNEL}:${session}`);
  }

  /** How the gateway is. */
  health(): Promise<HealthReport> {
    return this.#gateway.health();
  }

  /** Running turns get a moment to finish; nothing of the gateway is left after this. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway[Symbol.asyncDispose]();
  }
}

function checkProviders(providers: readonly Provider[]): void {
  const names = new Set<string>();
  for (const { name } of providers) {
    if (PROVIDER_NAME.test(name) && !names.has(name)) names.add(name);
    else throw new TypeError(`Cannot add provider "${name}": it needs a name of its own, no "/"`);
  }
}

function stopOn(signal: AbortSignal, exchange: Exchange): void {
  const listening = onAbort(signal, () => exchange.stop());
  void exchange.end.then(() => listening[Symbol.dispose]());
}

async function load(options: CreateGatewayOptions): Promise<LoadedConfig> {
  const { config, configFile, folder, workspace, env } = options;
  if (config !== undefined && configFile !== undefined) {
    throw new TypeError("Cannot create a gateway: give config or configFile, not both");
  }
  if ((config === undefined) !== (folder === undefined)) {
    throw new TypeError("Cannot create a gateway: config and folder go together");
  }
  const machine = systemConfigSource(env);
  const source: ConfigSource = config === undefined || folder === undefined ? machine : {
    ...machine,
    readTextFile: () => Promise.resolve(JSON.stringify(config)),
    env: { ...machine.env, TROUPE_HOME: folder },
  };
  return await loadConfig({
    source,
    manifests: channelManifests,
    configPath: configFile,
    workspace,
  });
}
