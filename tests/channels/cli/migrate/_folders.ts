/**
 * Folders of other assistants, made by hand, and a place to carry them to.
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { main } from "../../../../channels/cli/main.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { Screen } from "../_provider_home.ts";

/** A source, and a target that is empty. */
export interface Bench extends AsyncDisposable {
  readonly source: string;
  /** Not there yet. */
  readonly home: string;
  readonly config: string;
  readonly workspace: string;
  /** Runs `migrate` on the source. */
  migrate(
    ...flags: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
}

/** Makes both below one folder. */
export async function bench(): Promise<Bench> {
  const folder = await temporaryFolder();
  const source = join(folder.path, "source");
  const home = join(folder.path, "home");
  const config = join(home, "config.json");
  const workspace = join(home, "workspace");
  await Deno.mkdir(source);
  return {
    ...{ source, home, config, workspace },
    migrate: async (...flags) => {
      const screen = new Screen();
      const place = ["--config", config, "--workspace", workspace];
      const code = await main(["migrate", source, ...place, ...flags], screen);
      return { code, out: screen.out, err: screen.err };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** What a folder holds, links as such, without the lock: the same as long as nothing was touched. */
export async function printOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const walk = async (path: string): Promise<void> => {
    const entries = await Array.fromAsync(Deno.readDir(path));
    for (
      const { name, isDirectory, isFile } of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)
    ) {
      if (name === ".troupe.lock") continue; // says who had it last
      const place = join(path, name);
      const { mtime, mode } = await Deno.lstat(place);
      hash.update(`${place} ${mtime?.getTime()} ${mode}\n`);
      if (isDirectory) await walk(place);
      else if (isFile) hash.update(await Deno.readFile(place));
    }
  };
  await walk(folder);
  return hash.digest("hex");
}

/** A job that comes again, as nanobot writes it. */
export function everyHour(id: string): Record<string, string | number | boolean | object | null> {
  return {
    id,
    name: `Job ${id}`,
    enabled: true,
    schedule: { kind: "every", atMs: null, everyMs: 3_600_000, expr: null, tz: null },
    payload: { kind: "agent_turn", message: "Look", deliver: true, channel: "telegram", to: "42" },
    state: { nextRunAtMs: 1, lastRunAtMs: null, lastStatus: null, lastError: null },
    createdAtMs: 1,
    updatedAtMs: 1,
    deleteAfterRun: false,
  };
}

/** A skill's text. */
export const SKILL = "---\nname: brew\ndescription: Makes tea\n---\n\n# Brew\n";
