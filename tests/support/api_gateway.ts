/**
 * A gateway in the test's process whose API programs use, with a model that says what the test
 * wrote down.
 * @module
 */

import OpenAI from "openai";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { Gateway } from "../../actors/gateway/gateway.ts";
import type { World } from "../../actors/gateway/world.ts";
import { loadConfig } from "../../actors/config/load_config.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { ModelScript, RecordedRequest } from "../simulators/model_server.ts";
import { ModelServer } from "../simulators/model_server.ts";
import { GatewayHome } from "./gateway_process.ts";

/** What a test may choose. */
export interface ApiGatewayOptions {
  readonly script: ModelScript<RecordedRequest>;
  /** Merged over `api`. */
  readonly api?: JsonObject;
  /** Merged over `agents.defaults`. */
  readonly defaults?: JsonObject;
  /** @default this machine's */
  readonly world?: World;
  /** @default a new one, removed at the end */
  readonly home?: GatewayHome;
}

/** A running gateway; hold it with `await using`. */
export class ApiGateway implements AsyncDisposable {
  readonly model: ModelServer;
  readonly home: GatewayHome;
  readonly url: string;
  readonly #owned: AsyncDisposableStack;

  private constructor(
    parts: Pick<ApiGateway, "model" | "home" | "url">,
    owned: AsyncDisposableStack,
  ) {
    this.model = parts.model;
    this.home = parts.home;
    this.url = parts.url;
    this.#owned = owned;
  }

  static async start(
    { script, api = {}, defaults = {}, world = systemWorld(), home }: ApiGatewayOptions,
  ): Promise<ApiGateway> {
    await using opening = new AsyncDisposableStack();
    const place = home ?? opening.use(await GatewayHome.make());
    const model = opening.use(await ModelServer.start(script));
    const config = {
      agents: { defaults: { model: "test-model", provider: "custom", ...defaults } },
      providers: { custom: { apiKey: "sk-test-0123456789abcdef", apiBase: model.baseUrl } },
      gateway: { port: 0, heartbeat: { enabled: false } },
      tools: { exec: { enable: false }, web: { enable: false } },
      api: { port: 0, ...api },
    };
    const loaded = await loadConfig({
      source: {
        readTextFile: () => Promise.resolve(JSON.stringify(config)),
        env: { TROUPE_HOME: place.path },
        homeDir: place.path,
        cwd: place.path,
      },
      manifests: [],
    });
    const gateway = opening.use(
      await Gateway.start({
        loaded: {
          ...loaded,
          config: { ...loaded.config, api: { ...loaded.config.api, enabled: true } },
        },
        version: "0.0.0-test",
        world,
        print: () => {},
        isWhole: true,
        isApiOnly: true,
      }),
    );
    const { apiUrl: url } = gateway;
    if (url === undefined) throw new Error("Cannot go on: the API is off");
    return new ApiGateway({ model, home: place, url }, opening.move());
  }

  /** The official client, as its users make it. */
  client(options: { readonly apiKey?: string; readonly maxRetries?: number } = {}): OpenAI {
    return new OpenAI({ baseURL: this.url, apiKey: "unused", maxRetries: 0, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
