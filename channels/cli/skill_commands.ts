/**
 * The commands about skills, and their flags.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption, workspaceOption } from "./options.ts";

/** Adds `skills`. */
export function addSkills(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const skills = program.command("skills")
    .description("look at the assistant's skills, install or remove some");
  skills.command("list")
    .description("list all skills, and what some lack")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", examples("skills list", "skills list --json"))
    .action(async (flags) => {
      const { listCommand } = await (await loadCommands()).skills();
      done(await listCommand(flags, terminal));
    });
  skills.command("show")
    .description("show a skill: what it needs, its files, its text")
    .argument("<name>", "as list names it")
    .addOption(jsonOption())
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", examples("skills show weather"))
    .action(async (name, flags) => {
      const { showCommand } = await (await loadCommands()).skills();
      done(await showCommand(name, flags, terminal));
    });
  skills.command("install")
    .description(
      "install skills from a folder or an npm package, after showing what comes with them",
    )
    .argument("<source>", "a folder (./x), or name, name@1.2.3, @scope/name")
    .option("-y, --yes", "do not ask")
    .option("--force", "replace skills of the same name")
    .option("--registry <url>", "npm registry (NPM_CONFIG_REGISTRY, or the public one)")
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText(
      "after",
      examples("skills install ./my-skills", "skills install @me/skills@1.2.3 --yes"),
    )
    .action(async (source, flags) => {
      const { installCommand } = await (await loadCommands()).skills();
      done(await installCommand(source, flags, terminal));
    });
  skills.command("remove")
    .description("remove a skill of the workspace, with all its files")
    .argument("<name>", "as list names it")
    .option("-y, --yes", "do not ask")
    .addOption(configOption())
    .addOption(workspaceOption())
    .addHelpText("after", examples("skills remove weather --yes"))
    .action(async (name, flags) => {
      const { removeCommand } = await (await loadCommands()).skills();
      done(await removeCommand(name, flags, terminal));
    });
}
