/**
 * Which model providers a newcomer is offered, and the settings that lead to the one they take.
 * @module
 */

import type { FoundKey } from "../../../providers/key_variables.ts";
import type { LocalServer } from "../../../providers/local_servers.ts";
import { toCamelCase } from "../../../providers/vendors.ts";
import type { SettingChange } from "../section_file.ts";

/** A provider, and how to reach it. */
export interface ProviderAnswer {
  /** The key under `providers` of the configuration. */
  readonly name: string;
  /** A key, or the variable that holds it as `${NAME}`; null where none is needed. */
  readonly apiKey: string | null;
  /** Null for the vendor's own. */
  readonly apiBase: string | null;
}

/** Something that was found on this machine. */
export interface ModelOffer {
  /** One line for people. */
  readonly label: string;
  readonly answer: ProviderAnswer;
  /** What it runs, where that is known already. */
  readonly models: readonly string[];
}

/** Shown of a server's models. */
const MODELS_SHOWN_MAX = 3;

/** What can be used right away: servers of this machine first, which cost nothing. */
export function modelOffers(
  servers: readonly LocalServer[],
  keys: readonly FoundKey[],
): readonly ModelOffer[] {
  return [...servers.map(serverOffer), ...keys.map(keyOffer)];
}

function serverOffer({ name, displayName, baseUrl, models }: LocalServer): ModelOffer {
  const rest = models.length > MODELS_SHOWN_MAX ? ", …" : "";
  return {
    label: `${displayName} on this machine (${
      models.slice(0, MODELS_SHOWN_MAX).join(", ")
    }${rest})`,
    answer: { name, apiKey: null, apiBase: baseUrl },
    models,
  };
}

function keyOffer({ vendor, variable }: FoundKey): ModelOffer {
  return {
    label: `${vendor.displayName}, with the key in ${variable}`,
    answer: { name: toCamelCase(vendor.name), apiKey: `\${${variable}}`, apiBase: null },
    models: [],
  };
}

/** The settings that make `model` of a provider the one that answers. */
export function settingsFor(
  { name, apiKey, apiBase }: ProviderAnswer,
  model: string,
): readonly SettingChange[] {
  const section = ["providers", name];
  return [
    { path: ["agents", "defaults", "provider"], value: name },
    { path: ["agents", "defaults", "model"], value: model },
    ...(apiBase === null ? [] : [{ path: [...section, "apiBase"], value: apiBase }]),
    ...(apiKey === null ? [] : [{ path: [...section, "apiKey"], value: apiKey }]),
  ];
}
