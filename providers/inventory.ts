/**
 * Which providers there are under a config, which are set up, and which one answers now.
 * @module
 */

import {
  type ChoiceOptions,
  chooseProvider,
  type ProviderChoice,
  type ProviderSection,
} from "./choice.ts";
import { chooseModels, type ModelSettings } from "./model_choice.ts";
import { isKind, type Vendor } from "./vendor.ts";
import { findVendor, toCamelCase, toSnakeCase, VENDORS } from "./vendors.ts";

/** How a provider is reached: with a key, at an address of the user's, or by a sign-in. */
export type ProviderNeed = "key" | "address" | "local" | "sign_in";

/** One provider under a config. */
export interface InventoryEntry {
  /** The key under `providers` in the config. */
  readonly name: string;
  readonly displayName: string;
  readonly needs: ProviderNeed;
  /** A key or an address stands in the config; of a sign-in nothing is known here. */
  readonly isConfigured: boolean;
  /** Null where there is none yet. */
  readonly baseUrl: string | null;
  /** The one that answers for the model of the config. */
  readonly isCurrent: boolean;
  /** Models that are asked here when those before them give no answer. */
  readonly standIns: readonly string[];
}

/** What the inventory is made from. */
export type InventoryOptions =
  & Omit<ChoiceOptions, "model" | "provider">
  & ModelSettings;

/** All providers, and who answers. */
export interface Inventory {
  readonly model: string;
  /** Why nobody answers; null when somebody does. */
  readonly problem: string | null;
  readonly entries: readonly InventoryEntry[];
}

/** Looks at the config alone: nothing is asked over the network. */
export function providerInventory(options: InventoryOptions): Inventory {
  const models = chooseModels(options, options.providers);
  const current = chooseProvider(options);
  const own = Object.keys(options.providers).filter((name) => findVendor(name) === undefined);
  const names = [...own, ...VENDORS.map(({ name }) => toCamelCase(name))];
  const found = names.map((name) => lookUp(name, options));
  const chosen = whoAnswers(current, found);
  const fallbacks = models.state === "chosen" ? models.fallbacks : [];
  const standIns = fallbacks.map(({ fallback: { model }, choice }) => ({
    model,
    found: whoAnswers(choice, found),
  }));
  return {
    model: options.model,
    problem: problemOf(models),
    entries: found.map((one) => ({
      ...one.entry,
      isCurrent: one === chosen,
      standIns: standIns.filter(({ found }) => found === one).map(({ model }) => model),
    })),
  };
}

/** A provider under its name, and where that leads. */
interface Found {
  readonly entry: Omit<InventoryEntry, "isCurrent" | "standIns">;
  readonly choice: ProviderChoice;
}

function lookUp(name: string, options: InventoryOptions): Found {
  const section = sectionOf(options.providers, name);
  const choice = chooseProvider({ ...options, provider: name });
  const vendor = findVendor(name);
  return {
    choice,
    entry: {
      name,
      displayName: vendor?.displayName ?? section?.displayName ?? name,
      needs: needOf(vendor),
      isConfigured: isSet(section?.apiKey) || isSet(section?.apiBase),
      baseUrl: choice.state === "chosen" ? choice.baseUrl : vendor?.defaultBaseUrl ?? null,
    },
  };
}

/** `custom` with the address of a known vendor is that vendor as well: the section counts. */
function whoAnswers(choice: ProviderChoice, found: readonly Found[]): Found | undefined {
  const matching = found.filter((one) => isSame(one.choice, choice));
  return matching.find(({ entry }) => entry.isConfigured) ?? matching[0];
}

function isSame(one: ProviderChoice, other: ProviderChoice): boolean {
  return one.state === "chosen" && other.state === "chosen" &&
    one.vendor.name === other.vendor.name && one.baseUrl === other.baseUrl &&
    one.apiKey === other.apiKey;
}

function problemOf(choice: ReturnType<typeof chooseModels>): string | null {
  if (choice.state === "unconfigured") {
    return choice.missing ?? "Cannot ask a model: no provider is set up";
  }
  return choice.state === "problem" ? choice.problem : null;
}

function needOf(vendor: Vendor | undefined): ProviderNeed {
  if (vendor === undefined) return "address";
  if (isKind(vendor, "oauth")) return "sign_in";
  if (isKind(vendor, "local")) return "local";
  return isKind(vendor, "direct") ? "address" : "key";
}

function sectionOf(
  providers: ChoiceOptions["providers"],
  name: string,
): ProviderSection | undefined {
  const key = Object.keys(providers).find((other) => toSnakeCase(other) === toSnakeCase(name));
  return key === undefined ? undefined : providers[key];
}

function isSet(value: string | null | undefined): boolean {
  return (value ?? "").trim() !== "";
}
