/**
 * The command that looks at everything, and its flags.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption, workspaceOption } from "./options.ts";

/** Adds `doctor`. */
export function addDoctor(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  program.command("doctor")
    .description("try everything, and say what to do about what does not work")
    .option("--offline", "ask nothing over the network: no model, no platform, no name")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", examples("doctor", "doctor --offline", "doctor --json"))
    .action(async (flags) => {
      const { doctorCommand } = await (await loadCommands()).doctor();
      done(await doctorCommand(flags, terminal));
    });
}
