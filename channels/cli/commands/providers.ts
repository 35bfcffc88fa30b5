/**
 * `providers` and `providers test`: which model providers there are, and whether one works.
 * @module
 */

import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { signInStatus } from "../../../providers/auth/sign_in.ts";
import {
  type Inventory,
  type InventoryEntry,
  type InventoryOptions,
  providerInventory,
} from "../../../providers/inventory.ts";
import { chooseProvider, createBackend } from "../../../providers/registry.ts";
import { tryProvider } from "../../../providers/trial.ts";
import { hintOf } from "../../../providers/trial_hint.ts";
import { toCamelCase, toSnakeCase } from "../../../providers/vendors.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { inventoryText, type ProviderLine, trialText } from "../provider_text.ts";

/** Flags of `providers`. */
export interface ProvidersFlags extends LoadFlags {
  readonly json?: boolean | undefined;
}

/** Flags of `providers test`. */
export interface ProvidersTestFlags extends ProvidersFlags {
  /** Asked instead of the configured one. */
  readonly model?: string | undefined;
}

/** Nobody waits longer for a word at a terminal. */
const STALL_MS = 20_000;

/** Lists all providers; 0 whether one is set up or not. */
export async function providersCommand(flags: ProvidersFlags, terminal: Terminal): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const { model, problem, providers } = await knownProviders(loaded);
  if (flags.json === true) {
    terminal.write(`${JSON.stringify({ model, problem, providers }, null, 2)}\n`);
  } else terminal.write(inventoryText({ model, problem }, providers));
  return 0;
}

/**
 * Makes a tiny call.
 *
 * @param name a provider; undefined is the one that answers for the configured model
 * @returns 0 when it was answered, else 1
 */
export async function providersTestCommand(
  name: string | undefined,
  flags: ProvidersTestFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const options = choiceOptions(loaded);
  const model = flags.model ?? options.model;
  const choice = chooseProvider({
    ...options,
    model,
    ...(name !== undefined && { provider: name }),
  });
  if (choice.state !== "chosen") {
    const problem = choice.state === "problem" ? choice.problem : choice.missing ??
      `no key and no address is set; put one into ${loaded.locations.configFile}`;
    return refuse(name ?? model, problem, { flags, terminal });
  }
  const world = systemWorld();
  const { configFile: configPath, stateFolder } = loaded.locations;
  const backend = createBackend(choice, { ...world, configPath, stateFolder, stallMs: STALL_MS });
  const { signal } = new AbortController();
  const result = await tryProvider(backend, model, { clock: world.clock, signal });
  const tried = {
    name: name === undefined ? toCamelCase(choice.vendor.name) : name,
    baseUrl: choice.baseUrl,
    model,
  };
  if (flags.json === true) {
    const outcome = result.state === "ok" ? { ok: true, tookMs: result.tookMs } : {
      ok: false,
      fault: result.fault,
      hint: hintOf(result.error, choice.baseUrl),
      detail: result.error.message,
    };
    terminal.write(`${JSON.stringify({ ...tried, ...outcome }, null, 2)}\n`);
  } else terminal.write(trialText(tried, result));
  return result.state === "ok" ? 0 : 1;
}

/** All providers under a configuration, with who is signed in; nothing is asked over the network. */
export async function knownProviders(
  loaded: LoadedConfig,
): Promise<Pick<Inventory, "model" | "problem"> & { readonly providers: readonly ProviderLine[] }> {
  const { model, problem, entries } = providerInventory(choiceOptions(loaded));
  const { stateFolder } = loaded.locations;
  const providers = await Promise.all(entries.map((entry) => withAccount(entry, stateFolder)));
  return { model, problem, providers };
}

function refuse(
  name: string,
  problem: string,
  { flags, terminal }: { readonly flags: ProvidersFlags; readonly terminal: Terminal },
): number {
  if (flags.json === true) {
    terminal.write(`${JSON.stringify({ name, ok: false, fault: "config", detail: problem })}\n`);
  } else terminal.write(`✗ ${name}: config: ${problem}\n`);
  return 1;
}

function choiceOptions({ config }: LoadedConfig): InventoryOptions {
  const { model, provider, fallbackModels } = config.agents.defaults;
  return { model, provider, fallbackModels, providers: config.providers };
}

async function withAccount(entry: InventoryEntry, stateFolder: string): Promise<ProviderLine> {
  const name = toSnakeCase(entry.name);
  if (name !== "openai_codex" && name !== "github_copilot") return { ...entry, account: null };
  const status = await signInStatus(name, { stateFolder, newId: systemWorld().newId });
  return { ...entry, account: status.state === "signed_in" ? status.account ?? "" : null };
}
