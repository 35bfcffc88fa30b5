/**
 * The secrets of the configurations that were in force: an old key may still be in use, and in what
 * is written down.
 * @module
 */

import type { LoadedConfig } from "../../config/load_config.ts";
import { longestFirst } from "../../config/secrets.ts";

/** Gives all secrets up to now, longest first; the same list until there are new ones. */
export function knownSecrets(inForce: () => LoadedConfig): () => readonly string[] {
  let last: LoadedConfig | undefined;
  let known: readonly string[] = [];
  return () => {
    const loaded = inForce();
    if (loaded === last) return known;
    last = loaded;
    known = longestFirst([...known, ...loaded.secrets.values]);
    return known;
  };
}
