/**
 * The first start at a terminal: without any configuration it offers to set one up.
 * @module
 */

import { systemConfigSource } from "../../actors/config/adapters/system_source.ts";
import { ConfigError } from "../../actors/config/errors.ts";
import { loadConfig } from "../../actors/config/load_config.ts";
import { locateConfig } from "../../actors/config/locations.ts";
import { exists } from "../../actors/kernel/adapters/missing.ts";
import { channelManifests } from "../registry.ts";
import { ask, canAsk } from "./adapters/prompt.ts";
import type { Terminal } from "./adapters/terminal.ts";
import type { LoadFlags } from "./load.ts";
import { EXIT_LEFT } from "./exit_codes.ts";
import { confirm } from "./onboarding/person.ts";

/**
 * Offers the set-up where nothing is set up and a person is there; a script sees none of it.
 *
 * @returns the exit code when the person left; null to go on with the command
 */
export async function offerFirstRun(flags: LoadFlags, terminal: Terminal): Promise<number | null> {
  if (!canAsk() || !terminal.isInteractive) return null;
  if (flags.config !== undefined || await isAnythingSet()) return null;
  terminal.write("Nothing is set up yet.\n");
  const say = (text: string) => terminal.write(`${text}\n`);
  const person = { say, refuse: say, ask };
  try {
    if (!await confirm(person, "Set a model and a chat up now?", true)) return null;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return EXIT_LEFT;
  }
  const { onboardCommand } = await import("./commands/onboard.ts");
  const code = await onboardCommand({ workspace: flags.workspace }, terminal, { isOnTheWay: true });
  return code === EXIT_LEFT ? code : null;
}

/** A file, even one that cannot be used, or settings in the environment. */
async function isAnythingSet(): Promise<boolean> {
  const source = systemConfigSource();
  if (await exists(locateConfig(source, undefined).configFile)) return true;
  try {
    return (await loadConfig({ source, manifests: channelManifests })).overrides.length > 0;
  } catch (error) {
    if (error instanceof ConfigError) return true; // the command says what is wrong
    throw error;
  }
}
