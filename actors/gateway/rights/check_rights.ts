/**
 * The rights of this process against those that a configuration needs.
 * @module
 */

import type { LoadedConfig } from "../../config/load_config.ts";
import { isGranted, thisMachine } from "./adapters/machine.ts";
import { curtail, type Curtailed } from "./missing_rights.ts";
import { gatherFacts } from "./rights_facts.ts";
import { partsOf } from "./rights_table.ts";

/**
 * What this process can run of a configuration.
 *
 * @throws {StartError} `rights_missing` when that is nothing
 */
export function checkRights(loaded: LoadedConfig): Curtailed {
  return curtail(loaded, partsOf(gatherFacts(loaded, thisMachine())), isGranted);
}
