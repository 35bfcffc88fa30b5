/// <reference lib="deno.unstable" />
/**
 * A tool host as a process of its own, started with exactly its rights.
 * @module
 */

import { CACHED_ONLY, moduleCache } from "../../../kernel/adapters/module_cache.ts";
import { asError } from "../../../kernel/errors.ts";
import type { HostLink, HostListener, StartHost } from "../host_link.ts";
import { type HostRights, type HostSetup, LINE_BYTES_MAX } from "../host_protocol.ts";
import { LineSplitter } from "../line_splitter.ts";
import { NARROWS_ITSELF } from "./host_thread.ts";
import { withModules } from "./module_right.ts";

/** The process's module. */
const HOST_ENTRY = new URL("./host_entry.ts", import.meta.url);
/** The argument by which a compiled binary becomes a host. */
export const HOST_ARGUMENT = "--tool-host";
const EXITS = new Map([[71, "it needed more memory than it may have"]]);
/** What is kept of what it writes beside its answers. */
const STDERR_BYTES_MAX = 2_000;
/** Address space that the engine reserves for two threads, on top of what a host uses. */
const PRLIMIT_EXTRA_BYTES = 1_000_000_000;

/** Starts a host's process. */
export const startHostProcess: StartHost = hostProcesses(
  Deno.build.standalone ? () => [Deno.execPath(), HOST_ARGUMENT] : denoCommand(HOST_ENTRY),
);

/** The command line of a host with these rights. */
export type HostCommand = (rights: HostRights) => readonly string[];

/** Starts hosts by a command line. */
export function hostProcesses(commandOf: HostCommand): StartHost {
  return (setup, listener) => startProcess(commandOf(setup.rights), setup, listener);
}

/** Runs a host's module with exactly its rights. */
export function denoCommand(entry: URL): HostCommand {
  return (rights) => denoLine(rights, entry);
}

function startProcess(
  command: readonly string[],
  setup: HostSetup,
  listener: HostListener,
): HostLink {
  let child: Deno.ChildProcess;
  try {
    child = spawn(command, setup.rights);
  } catch (error) {
    queueMicrotask(() => listener.ended(`it cannot be started: ${asError(error).message}`));
    return { send: () => {}, close: () => {}, kill: () => {} };
  }
  const link = new ProcessLink(child, listener);
  link.send(JSON.stringify({ type: "set_up", setup }));
  return link;
}

class ProcessLink implements HostLink {
  readonly #child: Deno.ChildProcess;
  readonly #listener: HostListener;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #said = "";

  constructor(child: Deno.ChildProcess, listener: HostListener) {
    this.#child = child;
    this.#listener = listener;
    this.#input = child.stdin.getWriter();
    this.#input.closed.catch(() => {}); // its end is told by its status
    void this.#live();
  }

  send(line: string): void {
    this.#input.write(this.#encoder.encode(`${line}\n`)).catch(() => {});
  }

  close(): void {
    this.#input.close().catch(() => {});
  }

  kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended
    }
  }

  async #live(): Promise<void> {
    const reading = Promise.all([this.#readLines(), this.#readErrors()]);
    const { code, signal } = await this.#child.status;
    await reading;
    await this.#input.abort().catch(() => {});
    const how = signal === null ? `its process ended with code ${code}` : `by ${signal}`;
    this.#listener.ended(EXITS.get(code) ?? (this.#said === "" ? how : `${how}: ${this.#said}`));
  }

  async #readLines(): Promise<void> {
    const splitter = new LineSplitter(LINE_BYTES_MAX);
    try {
      for await (const chunk of this.#child.stdout) {
        for (const line of splitter.push(chunk)) this.#listener.line(line);
      }
    } catch (error) {
      this.#said = asError(error).message;
      this.kill();
    }
  }

  async #readErrors(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      if (this.#said.length >= STDERR_BYTES_MAX) continue;
      this.#said += decoder.decode(chunk.subarray(0, STDERR_BYTES_MAX), { stream: true });
    }
  }
}

function spawn(command: readonly string[], rights: HostRights): Deno.ChildProcess {
  const limited = limitsMemory()
    ? ["prlimit", `--data=${rights.memoryBytesMax + PRLIMIT_EXTRA_BYTES}`, ...command]
    : command;
  const [program = "", ...args] = limited;
  return new Deno.Command(program, {
    args,
    clearEnv: true,
    env: { ...moduleCache(), NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true, // Ctrl-C in a terminal is for the conversation, not for its tools
  }).spawn();
}

function denoLine(rights: HostRights, entry: URL): string[] {
  const { net, denyNet = [], memoryBytesMax } = rights;
  const ofPaths = pathFlags(rights);
  return [
    Deno.execPath(),
    "run",
    "--quiet",
    "--no-prompt",
    ...CACHED_ONLY,
    "--no-check",
    "--ignore-env",
    // Else all that any tool may ever import is looked at before the first line runs.
    "--unstable-lazy-dynamic-imports",
    `--v8-flags=--max-old-space-size=${Math.floor(memoryBytesMax / 1_000_000)}`,
    ...ofPaths ?? ["--allow-read", "--allow-write"],
    ...flag("allow-net", net),
    ...flag("deny-net", denyNet.length > 0 && denyNet),
    entry.href,
    ...ofPaths === undefined ? [NARROWS_ITSELF] : [],
  ];
}

/** Undefined where a path has a comma: Deno splits its lists there, and 2.9 knows no escape. */
function pathFlags({ read, write, denyWrite = [] }: HostRights): string[] | undefined {
  const lists = [withModules(read), write, denyWrite];
  if (lists.some((list) => typeof list === "object" && list.join("").includes(","))) return;
  return [
    ...flag("allow-read", withModules(read)),
    ...flag("allow-write", write),
    ...flag("deny-write", denyWrite.length > 0 && denyWrite),
  ];
}

function flag(name: string, value: boolean | readonly string[]): string[] {
  if (typeof value === "boolean") return value ? [`--${name}`] : [];
  return value.length === 0 ? [] : [`--${name}=${value.join(",")}`];
}

let hasPrlimit: boolean | undefined;

/** Whether the system's own limit can be set; the watch inside the host holds everywhere. */
function limitsMemory(): boolean {
  return hasPrlimit ??= canRun("prlimit");
}

function canRun(program: string): boolean {
  if (Deno.build.os !== "linux") return false;
  const query = { name: "run", command: program } as const;
  if (Deno.permissions.querySync(query).state !== "granted") return false;
  try {
    return new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}
