/**
 * The commands about MCP servers, and their flags.
 * @module
 */

import type { Command } from "commander";
import type { Terminal } from "./adapters/terminal.ts";
import { examples } from "./help/examples.ts";
import { loadCommands } from "./load_commands.ts";
import { configOption, jsonOption } from "./options.ts";

/** Adds `mcp`. */
export function addMcp(
  program: Command,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const mcp = program.command("mcp")
    .description("show MCP servers, try them, or sign in to one");
  mcp.command("list")
    .description("list the servers of the configuration, and how they are")
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText("after", examples("mcp list", "mcp list --json"))
    .action(async (flags) => {
      const { mcpListCommand } = await (await loadCommands()).mcp();
      done(await mcpListCommand(flags, terminal));
    });
  mcp.command("test")
    .description("connect to servers and show their tools, or what is wrong")
    .argument("[server]", "as the configuration names it; all without")
    .addOption(jsonOption())
    .addOption(configOption())
    .addHelpText("after", examples("mcp test", "mcp test files --json"))
    .action(async (server, flags) => {
      const { mcpTestCommand } = await (await loadCommands()).mcp();
      done(await mcpTestCommand(server, flags, terminal));
    });
  mcp.command("login")
    .description("sign in to a server that wants it, in the browser")
    .argument("<server>", "as the configuration names it")
    .addOption(configOption())
    .addHelpText("after", examples("mcp login notion"))
    .action(async (server, flags) => {
      const { mcpLoginCommand } = await (await loadCommands()).mcp();
      done(await mcpLoginCommand(server, flags, terminal));
    });
}
