/**
 * The way from a program to a gateway of its own.
 * @module
 */

import type { EmbeddedGateway } from "./embedded_gateway.ts";
import type { CreateGatewayOptions } from "./library_options.ts";

/**
 * Starts a gateway inside this program; dispose of it to stop it.
 *
 * Nothing of the process is touched: no signals, no environment, no logging, for which the program
 * configures LogTape itself. The state folder and the workspace are locked as by any gateway.
 *
 * @throws {ConfigError} with one line for each mistake of the configuration
 * @throws {StartError} when a lock, the journal, the model or a port cannot be had
 * @throws {TypeError} for options that contradict each other
 *
 * @example
 * ```ts ignore
 * import { createGateway } from "./mod.ts";
 *
 * await using gateway = await createGateway();
 * const { text } = await gateway.ask("What is in your workspace?");
 * ```
 */
export async function createGateway(options: CreateGatewayOptions = {}): Promise<EmbeddedGateway> {
  const { EmbeddedGateway } = await loadEmbedded();
  return await EmbeddedGateway.start(options);
}

/** Not named in the `import` itself: Deno would read all of it for the command line's help, too. */
async function loadEmbedded(): Promise<typeof import("./embedded_gateway.ts")> {
  return await import(new URL("./embedded_gateway.ts", import.meta.url).href);
}
