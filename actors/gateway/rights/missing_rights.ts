/**
 * The check at the start: which rights this process lacks, and what is switched off for it.
 * @module
 */

import type { LoadedConfig } from "../../config/load_config.ts";
import { StartError } from "../errors.ts";
import { flagOf } from "./flags.ts";
import type { Need } from "./need.ts";
import type { PartNeeds } from "./rights_table.ts";

/** What is left when rights are missing. */
export interface Curtailed {
  /** The configuration without the parts that are off. */
  readonly loaded: LoadedConfig;
  readonly isHealthOff: boolean;
  /** One for each missing flag. */
  readonly lines: readonly string[];
}

/**
 * Looks at all needs, and switches off what would only fail later.
 *
 * @throws {StartError} `rights_missing` when nothing can work
 */
export function curtail(
  loaded: LoadedConfig,
  parts: readonly PartNeeds[],
  isGranted: (need: Need) => boolean,
): Curtailed {
  const lacking = parts
    .map((part) => ({ ...part, needs: part.needs.filter((need) => !isGranted(need)) }))
    .filter(({ needs }) => needs.length > 0);
  const lines = lacking.flatMap(lineOf);
  if (lacking.some(({ switches }) => switches.type === "start")) {
    throw new StartError("rights_missing", `Cannot start: ${lines.join("; ")}`);
  }
  const channels = lacking.flatMap(({ switches }) =>
    switches.type === "channel" ? [switches.name] : []
  );
  return {
    lines,
    isHealthOff: lacking.some(({ switches }) => switches.type === "health"),
    loaded: without(loaded, {
      channels,
      isApiOff: lacking.some(({ switches }) => switches.type === "api"),
    }),
  };
}

function lineOf({ part, needs, without }: PartNeeds): string[] {
  const rights = [...new Set(needs.map(({ right }) => right))];
  return rights.map((right) => {
    const values = needs.filter((need) => need.right === right).map(({ value }) => value);
    return `Rights: ${flagOf(right, values).join(" ")} is missing for ${part}: ${without}`;
  });
}

function without(
  loaded: LoadedConfig,
  { channels: names, isApiOff }: {
    readonly channels: readonly string[];
    readonly isApiOff: boolean;
  },
): LoadedConfig {
  const { config } = loaded;
  if (names.length === 0 && !isApiOff) return loaded;
  const api = { ...config.api, enabled: config.api.enabled && !isApiOff };
  const enabled = Object.fromEntries(
    Object.entries(config.channels.enabled).filter(([name]) => !names.includes(name)),
  );
  return { ...loaded, config: { ...config, api, channels: { ...config.channels, enabled } } };
}
