/**
 * The models that sessions talk with, from the configuration.
 * @module
 */

import { createFallbackProvider } from "../../providers/fallback_chain.ts";
import type { FindLocalServers } from "../../providers/local_servers.ts";
import {
  chooseModels,
  type ChosenModels,
  type FallbackModel,
  type ModelProblem,
  modelsLine,
  problemText,
  sharedWindowTokens,
} from "../../providers/model_choice.ts";
import {
  createProvider,
  type LoadableProvider,
  type ProviderOptions,
} from "../../providers/registry.ts";
import type { Provider } from "../../providers/provider.ts";
import { withRetry } from "../../providers/retry.ts";
import { chooseNamedModel } from "../../providers/session_model.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import type { AgentDefaults } from "../config/schema/agents.ts";
import type { FoundModel, ModelSettings, ModelsPort } from "../session/ports.ts";
import { UNWATCHED, type Watch } from "../session/watch.ts";
import { StartError } from "./errors.ts";
import { ownProvider } from "./own_provider.ts";
import { watchedProvider } from "./watch/watched_parts.ts";
import type { World } from "./world.ts";

/** Models that were asked for by name and are kept ready; people choose among few. */
const READY_MAX = 32;

/** What the models are made from. */
export interface ModelWiring {
  readonly loaded: LoadedConfig;
  readonly world: World;
  /** Model servers to offer while none is set up. @default nobody looks for them */
  readonly findLocalServers?: FindLocalServers | undefined;
  /** Who answers in place of the models of the configuration. @default nobody does */
  readonly provider?: Provider | undefined;
  /** Further ones: the one named `x` answers for models named `x/…`. @default none */
  readonly providers?: readonly Provider[] | undefined;
  /** Who watches calls. @default nobody does */
  readonly watch?: Watch | undefined;
}

/** The models, and what to say of the configured one at the start. */
export interface WiredModels {
  readonly models: ModelsPort;
  readonly provider: LoadableProvider;
  readonly settings: ModelSettings;
  readonly line: string;
}

/** Makes them. @throws {StartError} when the configured model cannot be used */
export function wireModels(wiring: ModelWiring): WiredModels {
  const { loaded: { config } } = wiring;
  const { defaults } = config.agents;
  const { provider, line } = wireProvider(wiring);
  const settings = settingsOf(defaults);
  const standard = { settings, provider, description: line.replace(/^Model: /, "") };
  const names = [
    ...Object.entries(config.modelPresets).map(([name, { model }]) => `${name} (${model})`),
    ...defaults.fallbackModels.map(({ model }) => model),
  ];
  const ready = new Map<string, FoundModel>();
  return {
    models: {
      standard,
      names,
      find: (name) => {
        const found = ready.get(name) ?? findModel(name, wiring);
        ready.delete(name); // the newest stands last
        ready.set(name, found);
        const [oldest] = ready.keys();
        if (ready.size > READY_MAX && oldest !== undefined) ready.delete(oldest);
        return found;
      },
    },
    provider,
    settings,
    line,
  };
}

function findModel(name: string, wiring: ModelWiring): FoundModel {
  const { agents: { defaults }, modelPresets, providers } = wiring.loaded.config;
  const preset = Object.hasOwn(modelPresets, name) ? modelPresets[name] : undefined;
  const own = ownModel(preset?.model ?? name, wiring);
  if (own !== undefined) {
    const settings = { ...settingsOf(defaults, preset), model: preset?.model ?? name };
    return { state: "found", model: { settings, ...own } };
  }
  const choice = chooseNamedModel(name, { ...defaults, presets: modelPresets }, providers);
  if (choice.state === "refused") return choice;
  const { entry, models } = choice;
  return {
    state: "found",
    model: {
      settings: settingsOf(defaults, entry, models),
      provider: watched(createFallbackProvider(models, providerOptions(wiring)), wiring),
      description: modelsLine(models).replace(/^Model: /, ""),
    },
  };
}

/** @param entry what is asked differently than of the configured model */
function settingsOf(
  defaults: AgentDefaults,
  entry?: FallbackModel,
  models?: ChosenModels,
): ModelSettings {
  const { temperature, maxTokens, contextWindowTokens, fallbackModels } = defaults;
  const first = {
    maxTokens: entry?.maxTokens ?? maxTokens,
    contextWindowTokens: entry?.contextWindowTokens ?? contextWindowTokens,
  };
  const others = models?.fallbacks.map(({ fallback }) => fallback) ?? fallbackModels;
  return {
    model: entry?.model ?? defaults.model,
    temperature: entry?.temperature ?? temperature,
    tokensMax: first.maxTokens,
    contextWindowTokens: sharedWindowTokens(first, others),
    reasoningEffort: entry === undefined ? defaults.reasoningEffort : entry.reasoningEffort,
  };
}

function wireProvider(
  wiring: ModelWiring,
): { readonly provider: LoadableProvider; readonly line: string } {
  const { config, locations } = wiring.loaded;
  const own = ownModel(config.agents.defaults.model, wiring);
  if (own !== undefined) return { provider: own.provider, line: `Model: ${own.description}` };
  const choice = chooseModels(config.agents.defaults, config.providers);
  if (choice.state === "problem") throw unusable(choice, locations.configFile);
  const options = providerOptions(wiring);
  if (choice.state === "unconfigured") {
    const lack = choice.missing ?? "no provider is configured";
    const line = `Model: ${lack}. Put one into ${locations.configFile} ` +
      "(docs/providers.md); until then each message is answered with how to do that";
    return { provider: watched(createProvider(choice, options), wiring), line };
  }
  const provider = watched(createFallbackProvider(choice, options), wiring);
  return { provider, line: modelsLine(choice) };
}

function watched(provider: LoadableProvider, { watch = UNWATCHED }: ModelWiring): LoadableProvider {
  return watchedProvider(provider, watch);
}

/** A model of the program around the gateway; undefined where the configuration says who answers. */
function ownModel(
  model: string,
  wiring: ModelWiring,
): { readonly provider: LoadableProvider; readonly description: string } | undefined {
  const { loaded: { config }, world: { clock, random }, providers = [] } = wiring;
  const named = providers.find(({ name }) => model.startsWith(`${name}/`));
  const own = named ?? wiring.provider;
  if (own === undefined) return undefined;
  const mode = config.agents.defaults.providerRetryMode;
  const caught = ownProvider(own, named === undefined ? "" : `${own.name}/`);
  const retried = withRetry(caught, { clock, random, mode });
  const provider = watched({ ...retried, preload: () => Promise.resolve() }, wiring);
  return { provider, description: `${model} by ${own.name}` };
}

function providerOptions(
  { loaded: { config, locations, process }, world, findLocalServers }: ModelWiring,
): ProviderOptions {
  return {
    clock: world.clock,
    random: world.random,
    newId: world.newId,
    configPath: locations.configFile,
    stallMs: process.streamIdleTimeoutMs,
    retryMode: config.agents.defaults.providerRetryMode,
    findLocalServers,
  };
}

function unusable(problem: ModelProblem, configFile: string): StartError {
  return new StartError("provider_unusable", `${problemText(problem)}; mend it in "${configFile}"`);
}
