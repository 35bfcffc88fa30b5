/**
 * Which providers a configuration names: those known by name, and one's own.
 * @module
 */

import { isObject, type JsonObject } from "../kernel/json.ts";
import { showPath } from "./key_path.ts";
import type { Report } from "./report.ts";
import { PROVIDER_KEYS, type ProvidersConfig } from "./schema/providers.ts";
import { foldName, nearestName, toSnake } from "./spelling.ts";
import { own, withoutKey } from "./tree.ts";

/** Stands for the provider that fits the model. */
const AUTO = "auto";

/**
 * The section without entries that are neither known by name nor have an address: an entry of
 * one's own needs `apiBase`. A warning for each.
 */
export function withoutUnreachable(providers: JsonObject, report: Report): JsonObject {
  let kept = providers;
  for (const [name, provider] of Object.entries(providers)) {
    if (PROVIDER_KEYS.includes(name) || !isObject(provider)) continue;
    const apiBase = own(provider, "apiBase");
    if (apiBase !== undefined && apiBase !== null && apiBase !== "") continue;
    kept = withoutKey(kept, name);
    const path = ["providers", name];
    const nearest = nearestName(name, PROVIDER_KEYS);
    const advice = nearest === null ? "" : `did you mean providers.${nearest}? `;
    report.warn(
      path,
      `Unknown provider ${
        showPath(path)
      } is ignored: ${advice}A provider of your own needs apiBase`,
    );
  }
  return kept;
}

/**
 * `agents.defaults.provider` as others look it up: the registry's name, the name of one's own
 * provider, or `auto`. An unknown one is refused.
 */
export function resolveProvider(
  written: string,
  providers: ProvidersConfig,
  report: Report,
): string {
  const wanted = foldName(written);
  if (wanted === AUTO) return AUTO;
  const known = PROVIDER_KEYS.find((key) => foldName(key) === wanted);
  if (known !== undefined) return toSnake(known);
  const own = Object.keys(providers).find((key) => foldName(key) === wanted);
  if (own !== undefined) return own;
  const names = [AUTO, ...PROVIDER_KEYS.map(toSnake), ...Object.keys(providers)];
  const nearest = nearestName(written, names);
  report.refuse(["agents", "defaults", "provider"], {
    code: "config_provider_unknown",
    what: "is not the name of a provider",
    remedy: nearest === null
      ? "write auto, a known name, or the name of a section of providers with apiBase"
      : `did you mean "${nearest}"?`,
  });
  return written;
}
