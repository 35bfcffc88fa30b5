/**
 * The configuration file, watched for edits: also those of editors that put a new file in its place.
 * @module
 */

import { basename, dirname } from "node:path";
import { orNull, orNullSync } from "../../kernel/adapters/missing.ts";
import { asError } from "../../kernel/errors.ts";
import { getLogger } from "@logtape/logtape";
import type { ConfigEdits } from "../live/config_keeper.ts";

const logger = getLogger(["troupe", "gateway", "config_watch"]);

/** How edits of a file are noticed and read. */
export function configEdits(file: string, reload: ConfigEdits["reload"]): ConfigEdits {
  return {
    reload,
    stamp: async () => {
      const info = await orNull(Deno.stat(file));
      return info && `${info.dev}:${info.ino}:${info.size}:${info.mtime?.getTime()}`;
    },
    watch: (onChange) => watchFile(file, onChange),
  };
}

/** Watches the folders of the file and of what it leads to: the file itself may be replaced. */
function watchFile(file: string, onChange: () => void): Disposable {
  const real = orNullSync(() => Deno.realPathSync(file)) ?? file;
  const names = new Set([basename(file), basename(real)]);
  const folders = [...new Set([dirname(file), dirname(real)])];
  try {
    const watcher = Deno.watchFs(folders, { recursive: false });
    void tellOf(watcher, names, onChange);
    return { [Symbol.dispose]: () => watcher.close() };
  } catch (error) {
    // No right to it, no such folder, or no more watches: the regular look finds edits, later.
    logger.info("Edits of the configuration are noticed a little later: {reason}", {
      reason: asError(error).message,
    });
    return { [Symbol.dispose]: () => {} };
  }
}

async function tellOf(
  watcher: Deno.FsWatcher,
  names: ReadonlySet<string>,
  onChange: () => void,
): Promise<void> {
  try {
    for await (const { kind, paths } of watcher) {
      const isOurs = paths.some((path) => names.has(basename(path)));
      if (kind !== "access" && isOurs) onChange();
    }
  } catch (error) {
    logger.warn("Edits of the configuration are noticed later from now on: {reason}", {
      reason: asError(error).message,
    });
  }
}
