/**
 * Which providers there are under a config, which are set up, and which one answers now.
 * @module
 */

import { type ChoiceOptions, chooseProvider, type ProviderSection } from "./choice.ts";
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
}

/** All providers, and who answers. */
export interface Inventory {
  readonly model: string;
  /** Why nobody answers; null when somebody does. */
  readonly problem: string | null;
  readonly entries: readonly InventoryEntry[];
}

/** Looks at the config alone: nothing is asked over the network. */
export function providerInventory(options: ChoiceOptions): Inventory {
  const current = chooseProvider(options);
  const own = Object.keys(options.providers).filter((name) => findVendor(name) === undefined);
  const names = [...own, ...VENDORS.map(({ name }) => toCamelCase(name))];
  const found = names.map((name) => {
    const section = sectionOf(options.providers, name);
    const isConfigured = isSet(section?.apiKey) || isSet(section?.apiBase);
    const choice = chooseProvider({ ...options, provider: name });
    const isMatch = current.state === "chosen" && choice.state === "chosen" &&
      choice.vendor.name === current.vendor.name && choice.baseUrl === current.baseUrl &&
      choice.apiKey === current.apiKey;
    const vendor = findVendor(name);
    const baseUrl = choice.state === "chosen" ? choice.baseUrl : vendor?.defaultBaseUrl ?? null;
    const displayName = vendor?.displayName ?? section?.displayName ?? name;
    return { name, displayName, needs: needOf(vendor), isConfigured, baseUrl, isMatch };
  });
  // `custom` with the address of a known vendor is that vendor as well: the section counts.
  const chosen = found.find(({ isMatch, isConfigured }) => isMatch && isConfigured) ??
    found.find(({ isMatch }) => isMatch);
  return {
    model: options.model,
    problem: problemOf(current),
    entries: found.map(({ isMatch: _isMatch, ...entry }) => ({
      ...entry,
      isCurrent: entry.name === chosen?.name,
    })),
  };
}

function problemOf(choice: ReturnType<typeof chooseProvider>): string | null {
  if (choice.state === "unconfigured") return "Cannot ask a model: no provider is set up";
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
