/**
 * Makes the provider that a choice stands for. A backend and its SDK are loaded at the first
 * call, or by `preload`.
 * @module
 */

import { dirname, join } from "node:path";
import type { Clock } from "../actors/kernel/clock.ts";
import type { NewId, Random } from "../actors/kernel/random.ts";
import { loadBackend } from "./backends.ts";
import type { ChosenProvider, ProviderChoice } from "./choice.ts";
import { plainProviderError } from "./failures.ts";
import type { FindLocalServers } from "./local_servers.ts";
import type { ChatEvent, ChatRequest, Provider } from "./provider.ts";
import { type RetryMode, withRetry } from "./retry.ts";
import { howToConfigure, unconfiguredProvider } from "./unconfigured.ts";

export { chooseProvider } from "./choice.ts";
export type { ChoiceOptions, ChosenProvider, ProviderChoice, ProviderSection } from "./choice.ts";

/** Silence after which a stream counts as stalled, unless the environment says otherwise. */
export const DEFAULT_STALL_MS = 90_000;

/** What a provider needs from the world around it. */
export interface ProviderOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  /** Named in what people are told when no provider is set up. */
  readonly configPath: string;
  /** Holds the tokens of sign-ins. @default `state` beside the config file */
  readonly stateFolder?: string;
  /** @default DEFAULT_STALL_MS */
  readonly stallMs?: number;
  /** @default "standard" */
  readonly retryMode?: RetryMode;
  /** Servers to offer when no provider is set up. @default nobody looks for them */
  readonly findLocalServers?: FindLocalServers | undefined;
}

/** A provider whose code may still have to be loaded. */
export interface LoadableProvider extends Provider {
  /** Loads the backend now, so that the first call does not wait for it. */
  preload(): Promise<void>;
}

/** The provider for `choice`, retries included. */
export function createProvider(
  choice: Exclude<ProviderChoice, { state: "problem" }>,
  options: ProviderOptions,
): LoadableProvider {
  if (choice.state === "unconfigured") {
    const { configPath, findLocalServers = () => Promise.resolve([]) } = options;
    const howTo = async () => howToConfigure(configPath, await findLocalServers());
    const provider = unconfiguredProvider(howTo);
    return { ...provider, preload: () => Promise.resolve() };
  }
  const backend = createBackend(choice, options);
  const { clock, random, retryMode: mode = "standard" } = options;
  const provider = withRetry(backend, { clock, random, mode });
  return { ...provider, preload: () => backend.preload() };
}

/** The provider for `choice` as its vendor answers: a failure is told at once. */
export function createBackend(choice: ChosenProvider, options: ProviderOptions): LoadableProvider {
  return new LazyBackend(choice, options);
}

class LazyBackend implements LoadableProvider {
  readonly name: string;
  readonly #load: () => Promise<Provider>;
  #loading: Promise<Provider> | undefined;
  #backend: Provider | undefined;

  constructor(choice: ChosenProvider, options: ProviderOptions) {
    const { clock, newId, stallMs = DEFAULT_STALL_MS, configPath } = options;
    const { stateFolder = join(dirname(configPath), "state") } = options;
    this.name = choice.vendor.name;
    this.#load = () => loadBackend(choice, { clock, newId, stallMs, stateFolder });
  }

  async preload(): Promise<void> {
    await this.#loaded();
  }

  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
    return this.#backend?.chat(request, signal) ?? this.#loadAndChat(request, signal);
  }

  async *#loadAndChat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    let backend: Provider;
    try {
      backend = await this.#loaded();
    } catch (error) {
      const message = `Cannot load the backend of "${this.name}": ${String(error)}`;
      yield { type: "failed", error: plainProviderError("provider_bad_request", message) };
      return;
    }
    yield* backend.chat(request, signal);
  }

  async #loaded(): Promise<Provider> {
    this.#loading ??= this.#load();
    this.#backend = await this.#loading;
    return this.#backend;
  }
}
