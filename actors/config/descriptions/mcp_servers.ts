/**
 * What the keys of `tools.mcpServers` are for.
 * @module
 */

import type { SettingTexts } from "./setting_text.ts";

/** By the way from the root. */
export const mcpServersTexts: SettingTexts = {
  "tools.mcpServers": "Servers whose tools join ours, by names of your own ([MCP](mcp.md)).",
  "tools.mcpServers.<name>": "A server: a program with a `command`, or one elsewhere with a `url`.",
  "tools.mcpServers.<name>.type": "How it is spoken to. null: found out from `command` or `url`.",
  "tools.mcpServers.<name>.command":
    "Program of a server on this machine; it gets a minimal environment.",
  "tools.mcpServers.<name>.args": "Arguments of the program.",
  "tools.mcpServers.<name>.env": "Variables of the program; secrets as `${NAME}`.",
  "tools.mcpServers.<name>.rights":
    'For `"command": "deno"` with a module: exactly [what it may do](mcp.md#what-a-server-may-do).',
  "tools.mcpServers.<name>.rights.read": "Whole paths that it may read.",
  "tools.mcpServers.<name>.rights.write": "Whole paths that it may write.",
  "tools.mcpServers.<name>.rights.net": "What it reaches, as `host` or `host:port`.",
  "tools.mcpServers.<name>.rights.run": "Programs that it may start.",
  "tools.mcpServers.<name>.rights.sys": "Facts of the system that it may ask, such as `hostname`.",
  "tools.mcpServers.<name>.url": {
    takes: "address",
    text: "Address of a server elsewhere; it may be private.",
  },
  "tools.mcpServers.<name>.headers": "Headers of each request; secrets as `${NAME}`.",
  "tools.mcpServers.<name>.oauth":
    "[Signing in](mcp.md#signing-in), where the server registers no client by itself.",
  "tools.mcpServers.<name>.oauth.clientId": "The client's id.",
  "tools.mcpServers.<name>.oauth.clientSecret": "Its secret, best as `${NAME}`.",
  "tools.mcpServers.<name>.oauth.scope": "What to ask for, separated by blanks.",
  "tools.mcpServers.<name>.oauth.callbackPort":
    "Port on this machine that the browser comes back to; 0: any that is free.",
  "tools.mcpServers.<name>.toolTimeout":
    "Seconds that a call may go without an answer or a sign of progress.",
  "tools.mcpServers.<name>.enabledTools":
    'Which of its tools, resources and prompts there are, by its names or by ours. `["*"]`: all; `[]`: none.',
};
