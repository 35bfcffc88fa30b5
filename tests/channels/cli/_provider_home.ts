/**
 * What the commands about providers are tried with.
 * @module
 */

import { join } from "node:path";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { Terminal } from "../../../channels/cli/adapters/terminal.ts";
import { main } from "../../../channels/cli/main.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

/** A terminal that remembers. */
export class Screen implements Terminal {
  out = "";
  err = "";
  readonly isInteractive = false;
  readonly hasColors = false;
  readonly write = (text: string): void => void (this.out += text);
  readonly writeError = (text: string): void => void (this.err += text);
}

/** A folder with a configuration file. */
export interface Home extends AsyncDisposable {
  readonly folder: string;
  readonly config: string;
}

/** Makes one with these sections. */
export async function home(providers: JsonObject, defaults: JsonObject = {}): Promise<Home> {
  const folder = await temporaryFolder();
  const config = join(folder.path, "config.json");
  const model = { model: "test-model", ...defaults };
  await Deno.writeTextFile(config, JSON.stringify({ agents: { defaults: model }, providers }));
  return {
    folder: folder.path,
    config,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Runs a command on it. */
export async function run(
  { config }: Pick<Home, "config">,
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const screen = new Screen();
  const code = await main([...args, "--config", config], screen);
  return { code, out: screen.out, err: screen.err };
}
