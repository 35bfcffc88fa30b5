/**
 * The command `serve`, and its flags.
 * @module
 */

import { type Command, InvalidArgumentError } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { loadCommands } from "./load_commands.ts";
import { examples } from "./help/examples.ts";
import { configOption, portOption, workspaceOption } from "./options.ts";

/** Adds `serve`. */
export function addServe(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("serve")
    .description("serve the OpenAI-compatible API alone, without chats, until it is stopped")
    .addOption(portOption("port of the API"))
    .option("-H, --host <address>", "address to listen on (api.host)")
    .option("-t, --timeout <seconds>", "longest time for one request (api.timeout)", seconds)
    .addOption(configOption())
    .addOption(workspaceOption())
    .option("--verbose", "log details")
    .addHelpText("after", examples("serve", "serve --port 9000 --timeout 300"))
    .action(async (flags) => {
      const { serveCommand } = await (await loadCommands()).serve();
      done(await serveCommand(flags, terminal));
    });
}

function seconds(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 86_400) return value;
  throw new InvalidArgumentError("a time is a number of seconds above 0, at most 86400");
}
