/**
 * Which provider answers when somebody asks for a model by its name, in the middle of everything.
 * @module
 */

import { chooseProvider, type ProviderChoice, type ProviderSection } from "./choice.ts";
import type { ChosenFallback, ChosenModels, FallbackModel, ModelSettings } from "./model_choice.ts";
import { hasKeyword, prefixOf } from "./model_names.ts";
import type { Vendor } from "./vendor.ts";
import { findVendor, toSnakeCase, VENDORS } from "./vendors.ts";

/** What names may stand for, besides models. */
export interface NamedModels extends ModelSettings {
  /** By their names. */
  readonly presets: Readonly<Record<string, FallbackModel>>;
  /** For a model of which nothing is known but its name. */
  readonly reasoningEffort: string | null;
}

/** The model that a name stands for and who answers for it, or why it cannot be had. */
export type NamedModelChoice =
  | { readonly state: "chosen"; readonly entry: FallbackModel; readonly models: ChosenModels }
  /** One sentence for people. */
  | { readonly state: "refused"; readonly reason: string };

type Sections = Readonly<Record<string, ProviderSection | undefined>>;

/** Longer ones, and those with blanks, are no names. */
const NAME = /^[^\s\p{C}]{1,200}$/u;

/**
 * Chooses by name: a preset, one of the models that stand in, or any other model. The models that
 * stand in for the configured one stand in for it, too.
 */
export function chooseNamedModel(
  name: string,
  settings: NamedModels,
  providers: Sections,
): NamedModelChoice {
  if (!NAME.test(name)) return refused("that is no name of a model");
  const entry = entryOf(name, settings, providers);
  const choice = chooseProvider({ model: entry.model, provider: entry.provider, providers });
  if (choice.state !== "chosen") return refused(problemOf(choice));
  const owner = keylessOwner(entry, choice.vendor);
  if (owner !== undefined) {
    return refused(`"${entry.model}" is a model of ${owner.displayName}, which has no key`);
  }
  const { model } = entry;
  const fallbacks = settings.fallbackModels
    .filter((fallback) => fallback.model !== model)
    .flatMap((fallback): ChosenFallback[] => {
      const choice = chooseProvider({ ...fallback, providers });
      return choice.state === "chosen" ? [{ fallback, choice }] : [];
    });
  return { state: "chosen", entry, models: { state: "chosen", model, choice, fallbacks } };
}

function entryOf(
  name: string,
  { presets, fallbackModels, provider, reasoningEffort }: NamedModels,
  providers: Sections,
): FallbackModel {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  return preset ?? fallbackModels.find(({ model }) => model === name) ?? {
    model: name,
    provider: providerFor(name, provider, providers),
    maxTokens: null,
    contextWindowTokens: null,
    temperature: null,
    reasoningEffort,
  };
}

/**
 * The provider that the name begins with, if it is set up. Otherwise the configured one; but not
 * for a name that begins with another's, where it has only models of its own.
 */
function providerFor(name: string, configured: string, providers: Sections): string {
  const prefix = toSnakeCase(prefixOf(name));
  if (prefix === "" || configured === "auto") return configured;
  const byName = chooseProvider({ model: name, provider: "auto", providers });
  if (byName.state === "chosen" && byName.vendor.name === prefix) return "auto";
  const routes = (findVendor(configured)?.kinds ?? ["direct"]).length > 0;
  return routes || findVendor(prefix) === undefined ? configured : "auto";
}

function problemOf(choice: Exclude<ProviderChoice, { state: "chosen" }>): string {
  return choice.state === "problem" ? choice.problem : choice.missing ?? "no provider is set up";
}

/** The maker of a model, by its name, where somebody else was found who has only models of his own. */
function keylessOwner({ model, provider }: FallbackModel, found: Vendor): Vendor | undefined {
  const takesAny = found.kinds.length > 0 || findVendor(found.name) === undefined;
  if (provider !== "auto" || takesAny || isMaker(found, model)) return undefined;
  return VENDORS.find((vendor) => vendor.kinds.length === 0 && isMaker(vendor, model));
}

function isMaker({ keywords, notKeywords = [] }: Vendor, model: string): boolean {
  return keywords.some((keyword) => hasKeyword(model, keyword)) &&
    !notKeywords.some((keyword) => hasKeyword(model, keyword));
}

function refused(reason: string): NamedModelChoice {
  return { state: "refused", reason };
}
