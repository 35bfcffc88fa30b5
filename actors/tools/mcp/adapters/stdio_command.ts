/**
 * The command line and the environment of a server on this machine.
 * @module
 */

import type { McpRights } from "../../../config/schema/mcp_server.ts";
import { McpError } from "../connection.ts";

/** A program that speaks the protocol. */
export interface StdioCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path. */
  readonly folder: string;
  /** What a module may do that Deno runs. */
  readonly rights: McpRights;
  /** Names of variables that it may read. */
  readonly variables: readonly string[];
}

/** What a program needs of our environment to find itself; never a secret. */
export const INHERITED: readonly string[] = [
  ...["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"],
  ...["LANG", "TMPDIR", "DENO_DIR", "XDG_CACHE_HOME"],
  // Where connections are looked into on their way, a program has to know the authority for it.
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "DENO_CERT", "DENO_TLS_CA_STORE"],
];
/** Where this process has none. */
const DEFAULTS: Readonly<Record<string, string>> = {
  HOME: "/tmp",
  PATH: "/usr/local/bin:/usr/bin:/bin",
  TERM: "dumb",
};

/** The environment: a few names of ours, and what the configuration sets. */
export function stdioEnvironment(
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const inherited = INHERITED.flatMap((name) => {
    const value = variable(name) ?? DEFAULTS[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), NO_COLOR: "1", ...own };
}

/**
 * The words that start it. Where Deno is given a module and not a command of its own, it runs the
 * module with exactly its rights.
 *
 * @throws {McpError} `mcp_unreachable`
 */
export function commandLine(
  { program, args, rights, variables }: StdioCommand,
): readonly [string, ...string[]] {
  const isDeno = /(^|[\\/])deno(\.exe)?$/.test(program);
  const [first = "", ...rest] = args;
  if (isDeno && MODULE.test(first)) {
    const flags = [
      ...flag("read", rights.read),
      ...flag("write", rights.write),
      ...flag("net", rights.net),
      ...flag("run", rights.run),
      ...flag("sys", rights.sys),
      ...flag("env", variables),
    ];
    return [program, "run", "--quiet", "--no-prompt", "--ignore-env", ...flags, first, ...rest];
  }
  if (Object.values(rights).some((values) => values.length > 0)) {
    const text = "rights are for a command deno whose first argument is the module";
    throw new McpError("mcp_unreachable", `it cannot be started: ${text}`);
  }
  if (!isDeno || first !== "run") return [program, ...args];
  return [program, first, "--no-prompt", ...rest.filter((flag) => flag !== "--no-prompt")];
}

/** What names a module, and no command of Deno's. */
const MODULE = /^(npm:|jsr:|https?:|file:|[./~]|[A-Za-z]:[\\/])|\.[cm]?[jt]sx?$/;

function flag(name: string, values: readonly string[]): string[] {
  if (values.length === 0) return [];
  return [`--allow-${name}=${values.map((value) => value.replaceAll(",", ",,")).join(",")}`];
}

function variable(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name) : undefined;
}
