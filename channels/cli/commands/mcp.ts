/**
 * `mcp list`, `mcp test` and `mcp login`: servers whose tools join ours.
 * @module
 */

import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { McpConnector, mcpEntries } from "../../../actors/gateway/mcp_servers.ts";
import { placeText } from "../../../actors/tools/mcp/server_place.ts";
import { signInFile } from "../../../actors/tools/mcp/sign_in_file.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { didYouMean } from "../help/did_you_mean.ts";
import { mcpProblem, type McpTrial, tryServer } from "../mcp_trial.ts";
import { VERSION } from "../version.ts";
import { askRunning } from "./status.ts";

/** Flags of the commands. */
export interface McpFlags extends LoadFlags {
  readonly json?: boolean | undefined;
}

/** Lists servers; 0 whether they are well or not. */
export async function mcpListCommand(flags: McpFlags, terminal: Terminal): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const running = await askRunning(loaded);
  const servers = mcpEntries(loaded).map(({ name, kind }) => {
    const status = running?.health.mcp[name];
    const state = status?.state ?? (kind.type === "off" ? "off" : null);
    const detail = status?.detail ?? (running === null ? "no gateway runs" : "not known to it");
    return { name, place: placeText(kind), state, detail, tools: status?.tools ?? null };
  });
  if (flags.json === true) terminal.write(`${JSON.stringify(servers, null, 2)}\n`);
  else if (servers.length === 0) terminal.write("No server is configured (tools.mcpServers)\n");
  else for (const server of servers) terminal.write(`${listLine(server)}\n`);
  return 0;
}

function listLine(
  { name, place, state, detail, tools }: {
    readonly name: string;
    readonly place: string;
    readonly state: string | null;
    readonly detail: string;
    readonly tools: number | null;
  },
): string {
  if (state === "off") return `${name}: ${place}`;
  const how = state === null ? detail : `${state.replaceAll("_", " ")}, ${detail}`;
  return `${name}: ${place}: ${how}${tools === null ? "" : `, ${tools} tools`}`;
}

/** Connects to one server, or to all; 1 when one of them fails. */
export async function mcpTestCommand(
  server: string | undefined,
  flags: McpFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const entries = mcpEntries(loaded).filter(({ name }) => server === undefined || name === server);
  if (entries.length === 0) return unknownServer(server, loaded, terminal);
  await using connector = new McpConnector({
    ...{ loaded: () => loaded, version: VERSION, world: systemWorld() },
  });
  const { signal } = new AbortController();
  const trials = await Promise.all(
    entries.map((entry) => tryServer(entry, { loaded, connector, signal })),
  );
  if (flags.json === true) terminal.write(`${JSON.stringify(trials, null, 2)}\n`);
  else for (const line of trials.flatMap(trialLines)) terminal.write(`${line}\n`);
  return trials.every(({ ok }) => ok) ? 0 : 1;
}

function trialLines(trial: McpTrial): readonly string[] {
  if (!trial.ok) return [`${trial.name}: ${trial.problem}`];
  const { name, product, tools, notes } = trial;
  return [
    `${name}: ${tools.length} tools (${product})`,
    ...notes.map((note) => `  ${note}`),
    ...tools.map((tool) => `  ${tool.name}: ${firstLine(tool.description)}`),
  ];
}

/** Without the words before it that are for models, and anything that moves a terminal's cursor. */
function firstLine(description: string): string {
  const own = description.replace(/^.*?which describes it so: /s, "");
  const [line = ""] = own.split("\n");
  return line.replaceAll(/\p{Cc}/gu, " ").slice(0, 100);
}

/** Signs in; 0 when tokens are stored, or none are needed. */
export async function mcpLoginCommand(
  server: string,
  flags: McpFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const entry = mcpEntries(loaded).find(({ name }) => name === server);
  if (entry === undefined) return unknownServer(server, loaded, terminal);
  const { kind, config } = entry;
  if (kind.type === "off" || kind.type === "stdio") {
    const why = kind.type === "off" ? kind.problem : "it is a program of this machine";
    terminal.writeError(`Error: Cannot sign in to "${server}": ${why}\n`);
    return 1;
  }
  const { clock, newId } = systemWorld();
  const world = { clock, newId };
  await using connector = new McpConnector({ loaded: () => loaded, version: VERSION, world });
  const { signIn } = await import("../../../actors/tools/mcp/adapters/sign_in.ts");
  try {
    const outcome = await signIn({
      ...world,
      server: { type: kind.type, url: kind.url, headers: config.headers },
      file: signInFile(loaded.locations.stateFolder, server, newId),
      http: connector.http,
      oauth: config.oauth,
      visit: (url) => terminal.write(`Open this page in a browser on this machine:\n${url}\n`),
    });
    terminal.write(
      outcome === "signed_in"
        ? `Signed in to "${server}". A gateway that runs finds the tokens when it connects again.\n`
        : `"${server}" needs no sign-in.\n`,
    );
    return 0;
  } catch (error) {
    terminal.writeError(`Error: Cannot sign in to "${server}": ${mcpProblem(error, server)}\n`);
    return 1;
  }
}

function unknownServer(
  server: string | undefined,
  loaded: LoadedConfig,
  terminal: Terminal,
): number {
  const known = mcpEntries(loaded).map(({ name }) => name);
  const problem = server === undefined
    ? "No server is configured (tools.mcpServers)"
    : `Cannot find the server "${server}": ${didYouMean(server, known)}`;
  terminal.writeError(`Error: ${problem}\n`);
  return 1;
}
