/**
 * Tries a level before anything relies on it: what must work, and what must be denied.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import type { ShellLevel } from "./level.ts";

/** What the probe puts up to be attacked. */
export interface ProbeTargets {
  /** Absolute path of the workspace. */
  readonly workspace: string;
  /** A file outside the workspace that holds `secret`. */
  readonly secretFile: string;
  readonly secret: string;
  /** A file outside that must not come into being. */
  readonly outsideFile: string;
  /** A file among the gateway's state in the workspace that must not come into being. */
  readonly stateFile: string;
  /** A file in the workspace that must come into being. */
  readonly insideFile: string;
  /** Something listens on 127.0.0.1 here. */
  readonly port: number;
  /** Where the proxy is found inside, if there is one. */
  readonly proxyPort: number | undefined;
  /** Whether the owner lets commands reach this machine's network. */
  readonly reachesHost: boolean;
  /** Addresses that the proxy must refuse. */
  readonly refusedAddresses: readonly string[];
}

/** What is to be seen afterwards, from outside. */
export interface ProbeEffects {
  exists(path: string): Promise<boolean>;
  /** Whether anybody connected to the port. */
  wasReached(): boolean;
}

/** What was found. */
export type ProbeResult =
  | { readonly state: "works" }
  | { readonly state: "broken"; readonly problem: string };

/** Longest that the attempt may take. */
export const PROBE_TIMEOUT_MS = 10_000;

/** Runs the attempt; `isConfined` levels must deny what lies outside. */
export async function probeLevel(
  level: ShellLevel,
  isConfined: boolean,
  { targets, effects, signal }: {
    readonly targets: ProbeTargets;
    readonly effects: ProbeEffects;
    readonly signal: AbortSignal;
  },
): Promise<ProbeResult> {
  try {
    const { workspace: folder, insideFile } = targets;
    const command = isConfined ? attack(targets) : `echo x > ${quoted(insideFile)}; echo works`;
    await using process = await level.start({
      command,
      folder,
      hasInput: false,
      timeoutMs: PROBE_TIMEOUT_MS,
    });
    const abort = () => process.kill();
    signal.addEventListener("abort", abort, { once: true });
    const [stdout, stderr] = await Promise.all([
      new Response(process.stdout).text(),
      new Response(process.stderr).text(),
    ]).finally(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) return broken("it did not answer in time");
    if (!stdout.includes("works")) return broken(tellingLine(stderr) ?? "it gave no output");
    return await judge(stdout, targets, effects);
  } catch (error) {
    return broken(asError(error).message);
  }
}

function attack(targets: ProbeTargets): string {
  const { secretFile, outsideFile, stateFile, insideFile, port, proxyPort, refusedAddresses } =
    targets;
  const connect = (host: string, at: number) =>
    `(echo "GET /" > /dev/tcp/${host}/${at}) 2>/dev/null`;
  const askProxy = (host: string, at: number) =>
    proxyPort === undefined ? ":" : `(exec 3<>/dev/tcp/127.0.0.1/${proxyPort}; ` +
      `printf 'CONNECT ${host}:${at} HTTP/1.1\\r\\n\\r\\n' >&3; head -n 1 <&3) 2>/dev/null`;
  return [
    `echo x > ${quoted(insideFile)}`,
    `cat ${quoted(secretFile)} 2>/dev/null`,
    `(echo x > ${quoted(outsideFile)}) 2>/dev/null`,
    `(echo x > ${quoted(stateFile)}) 2>/dev/null`,
    connect("127.0.0.1", port),
    ...refusedAddresses.map((address) => askProxy(address, address === "127.0.0.1" ? port : 80)),
    "echo works",
  ].join("; ");
}

async function judge(
  stdout: string,
  { secret, outsideFile, stateFile, insideFile, proxyPort, reachesHost, refusedAddresses }:
    ProbeTargets,
  effects: ProbeEffects,
): Promise<ProbeResult> {
  if (stdout.includes(secret)) return broken("a file outside the workspace could be read");
  if (await effects.exists(outsideFile)) return broken("a file outside could be written");
  if (await effects.exists(stateFile)) return broken("the gateway's state could be written");
  if (!await effects.exists(insideFile)) return broken("the workspace cannot be written");
  if (!reachesHost && effects.wasReached()) {
    return broken("a port of this machine could be reached");
  }
  if (proxyPort === undefined) return { state: "works" };
  const refusals = stdout.split("\n").filter((line) => /^HTTP\/1\.1 403 /.test(line)).length;
  return refusals === refusedAddresses.length
    ? { state: "works" }
    : broken("the way to the network does not refuse private addresses, or does not open");
}

function broken(problem: string): ProbeResult {
  return { state: "broken", problem };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** The line that names the error, else the last one. */
function tellingLine(text: string): string | undefined {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return lines.find((line) => /error|bwrap:/i.test(line)) ?? lines.at(-1);
}
