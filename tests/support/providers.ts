/**
 * Backends in tests, each connected to a simulated model.
 * @module
 */

import assert from "node:assert/strict";
import { codexTokenFile, codexTokens } from "../../providers/auth/codex_tokens.ts";
import { copilotTokenFile, copilotTokens } from "../../providers/auth/copilot_tokens.ts";
import type { BackendOptions } from "../../providers/backend.ts";
import { AnthropicProvider } from "../../providers/anthropic.ts";
import { AzureOpenAiProvider } from "../../providers/azure_openai.ts";
import {
  chooseProvider,
  type ChosenProvider,
  type ProviderSection,
} from "../../providers/choice.ts";
import { CopilotProvider } from "../../providers/github_copilot.ts";
import { OpenAiProvider } from "../../providers/openai.ts";
import { CodexProvider } from "../../providers/openai_codex.ts";
import { OpenAiCompatibleProvider } from "../../providers/openai_compatible.ts";
import type { Provider } from "../../providers/provider.ts";
import { toCamelCase } from "../../providers/vendors.ts";
import { ManualClock } from "./manual_clock.ts";

/** Silence after which tests' backends give up. */
export const STALL_MS = 90_000;

/** What a backend is connected with. */
export interface ConnectOptions {
  /** Where the model listens, without a protocol's path. */
  readonly baseUrl: string;
  /** @default "custom" */
  readonly vendor?: string;
  readonly section?: ProviderSection;
  /** @default a manual one */
  readonly clock?: ManualClock;
}

/** The choice that leads to a simulated model. */
export function chosen(
  { baseUrl, vendor = "custom", section = {} }: ConnectOptions,
): ChosenProvider {
  const choice = chooseProvider({
    model: "test-model",
    provider: vendor,
    providers: {
      [toCamelCase(vendor)]: { apiKey: "the-key", apiBase: baseUrl, ...section },
    },
  });
  assert.equal(choice.state, "chosen", JSON.stringify(choice));
  return choice;
}

/** The backend of a vendor whose key stands in the config. */
export function connect(options: ConnectOptions): Provider {
  const choice = chosen(options);
  const backend = backendOptions(options.clock ?? new ManualClock());
  switch (choice.vendor.backend) {
    case "openai_compatible":
      return new OpenAiCompatibleProvider(choice, backend);
    case "openai":
      return new OpenAiProvider(choice, backend);
    case "azure_openai":
      return new AzureOpenAiProvider(choice, backend);
    case "anthropic":
      return new AnthropicProvider(choice, backend);
    default:
      throw new TypeError(`No key leads to ${choice.vendor.name}`);
  }
}

/** What goes with a sign-in. */
export interface SignedInOptions extends ConnectOptions {
  readonly stateFolder: string;
  /** Where tokens are renewed. */
  readonly signInUrl: string;
  readonly clock: ManualClock;
}

/** Codex, signed in with these tokens. */
export async function connectCodex(
  options: SignedInOptions,
  tokens: { readonly access_token: string; readonly refresh_token: string },
): Promise<Provider> {
  const { stateFolder, signInUrl: issuer, clock } = options;
  const backend = backendOptions(clock);
  await codexTokenFile(stateFolder, backend.newId).write({
    access: tokens.access_token,
    refresh: tokens.refresh_token,
    expires: clock.now() + 3_600_000,
    account_id: "account-1",
  });
  const shared = codexTokens(stateFolder, { ...backend, issuer, homeFolder: stateFolder });
  return new CodexProvider(chosen({ ...options, vendor: "openai_codex" }), {
    ...backend,
    tokens: shared,
  });
}

/** Copilot, signed in to GitHub. */
export async function connectCopilot(options: SignedInOptions): Promise<Provider> {
  const { stateFolder, signInUrl, clock } = options;
  const backend = backendOptions(clock);
  await copilotTokenFile(stateFolder, backend.newId).write({ access: "github-secret" });
  const hosts = { web: signInUrl, api: signInUrl };
  return new CopilotProvider(chosen({ ...options, vendor: "github_copilot" }), {
    ...backend,
    tokens: copilotTokens(stateFolder, { ...backend, hosts }),
  });
}

/** A clock, ids in order, and patience. */
export function backendOptions(clock: ManualClock): BackendOptions {
  let ids = 0;
  return { clock, newId: () => `id${++ids}`, stallMs: STALL_MS };
}
