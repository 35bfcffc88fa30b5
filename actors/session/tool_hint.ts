/**
 * One short line about the tools that run, for people who wait.
 * @module
 */

import type { RequestedCall } from "../../providers/provider.ts";
import type { JsonObject, JsonValue } from "../kernel/json.ts";
import { abbreviatePath, abbreviatePathsIn, abbreviateUrl, maskSecrets } from "./abbreviate.ts";

/** Longest path, command or argument in a hint, in characters. */
const HINT_CHARS_MAX = 40;
/** Characters of an argument that are looked at: enough for what is shown and what masks it. */
const ARGUMENT_CHARS_MAX = 500;
/** Longest path inside a command. */
const PATH_IN_COMMAND_CHARS_MAX = 25;

/** What hints may know about the machine. */
export interface HintOptions {
  /** Shown as `~`. */
  readonly home?: string | undefined;
  /** Names of MCP servers, which may hold `_`; without them a name ends at the first `_`. */
  readonly mcpServers?: readonly string[] | undefined;
}

/** How a tool's main argument is shown. */
interface HintForm {
  readonly argument: readonly string[];
  readonly show: (argument: string, home: string | undefined) => string;
}

const PATH_ARGUMENTS = ["path", "file_path"];

const FORMS: ReadonlyMap<string, HintForm> = new Map([
  ["read_file", pathForm("read")],
  ["write_file", pathForm("write")],
  ["edit_file", pathForm("edit")],
  ["edit", pathForm("edit")],
  ["list_dir", pathForm("ls")],
  ["glob", quotedForm("glob", "pattern")],
  ["grep", quotedForm("grep", "pattern")],
  ["web_search", quotedForm("search", "query")],
  ["web_fetch", {
    argument: ["url"],
    show: (url) => `fetch ${abbreviateUrl(url, HINT_CHARS_MAX)}`,
  }],
  ["exec", { argument: ["command"], show: showCommand }],
]);

/** Hints of calls, joined by `, `; equal neighbours are folded to `hint × N`. */
export function toolHints(calls: readonly RequestedCall[], options: HintOptions = {}): string {
  const folded: { hint: string; count: number }[] = [];
  for (const call of calls) {
    const hint = toolHint(call, options);
    const last = folded.at(-1);
    if (last?.hint === hint) last.count++;
    else folded.push({ hint, count: 1 });
  }
  return folded.map(({ hint, count }) => count > 1 ? `${hint} × ${count}` : hint).join(", ");
}

/** The hint of one call; its name where the arguments are of no use. */
export function toolHint(requested: RequestedCall, options: HintOptions = {}): string {
  // The model chose every character: none may move a terminal's cursor or end the line.
  return rawHint(requested, options).replaceAll(/[\s\p{Cc}]+/gu, " ");
}

function rawHint({ call, parsed }: RequestedCall, options: HintOptions): string {
  const name = call.function.name;
  const values = parsed.state === "ok" ? parsed.value : {};
  const form = FORMS.get(name);
  const argument = argumentOf(values, form?.argument ?? []);
  if (form !== undefined) return argument === null ? name : form.show(argument, options.home);
  const shown = shownToolName(name, options);
  return argument === null ? shown : `${shown}("${short(maskSecrets(argument))}")`;
}

/** The first of the named arguments that is text, else the first text at all. */
function argumentOf(values: JsonObject, names: readonly string[]): string | null {
  const candidates = [...names.map((name) => values[name]), ...Object.values(values)];
  const argument = candidates.find(isSaying)?.trim() ?? null;
  return argument?.slice(0, ARGUMENT_CHARS_MAX).replaceAll(/\s+/g, " ") ?? null;
}

function isSaying(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function pathForm(verb: string): HintForm {
  return {
    argument: PATH_ARGUMENTS,
    show: (path, home) => `${verb} ${abbreviatePath(path, { charsMax: HINT_CHARS_MAX, home })}`,
  };
}

function quotedForm(verb: string, argument: string): HintForm {
  return { argument: [argument], show: (text) => `${verb} "${short(maskSecrets(text))}"` };
}

function showCommand(command: string, home: string | undefined): string {
  const limits = { charsMax: PATH_IN_COMMAND_CHARS_MAX, home };
  return `$ ${short(abbreviatePathsIn(maskSecrets(command), limits))}`;
}

/** A tool's name as people see it: `server::tool` for one of an MCP server. */
export function shownToolName(name: string, { mcpServers = [] }: HintOptions = {}): string {
  return mcpName(name, mcpServers) ?? name;
}

function mcpName(name: string, servers: readonly string[]): string | null {
  if (!name.startsWith("mcp_")) return null;
  const rest = name.slice("mcp_".length);
  const known = servers
    .filter((server) => rest.startsWith(`${server}_`))
    .toSorted((a, b) => b.length - a.length)[0];
  const server = known ?? rest.split("_", 1)[0] ?? "";
  const tool = rest.slice(server.length + 1);
  return server === "" || tool === "" ? null : `${server}::${tool}`;
}

function short(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= HINT_CHARS_MAX) return text;
  return `${characters.slice(0, HINT_CHARS_MAX - 1).join("")}…`;
}
