/**
 * The configuration that holds in a gateway: that of the start, or the last edit that was applied.
 * @module
 */

import type { LoadableProvider } from "../../providers/registry.ts";
import type { LoadedConfig } from "../config/load_config.ts";

/** It, and who answers for its model. Another object after each edit. */
export interface HeldConfig {
  readonly loaded: LoadedConfig;
  readonly provider: LoadableProvider;
}
