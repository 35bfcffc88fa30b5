/**
 * This process, started again: by its service manager, or as a child that takes its place.
 * @module
 */

import { EXIT_TO_RESTART } from "../exit_codes.ts";

/** What is passed on to the child. */
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** How this process was started. */
export interface ProcessStart {
  /** Program and arguments; null when that cannot be told. */
  readonly words: readonly string[] | null;
  /** The environment, before secrets were taken out of it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How this process was started; to be asked before anything changes. */
export function processStart(): ProcessStart {
  return { words: wordsOfProcess(), environment: environmentOfProcess() };
}

/**
 * Has the process start again, after everything was released; resolves with the exit code to end
 * with. Under a service manager (systemd sets `INVOCATION_ID`) that is all; otherwise the same
 * command runs as a child, which gets the signals, until it ends.
 *
 * @param print gets a line about what happens
 */
export async function startAgain(
  { words, environment }: ProcessStart,
  print: (line: string) => void,
): Promise<number> {
  const isManaged = (environment["INVOCATION_ID"] ?? "") !== "";
  const [program, ...args] = words ?? [];
  if (isManaged || program === undefined) {
    const why = isManaged
      ? "by its service manager"
      : "by whoever started it: its command is hidden";
    print(`Restarting ${why} (exit code ${EXIT_TO_RESTART})`);
    return EXIT_TO_RESTART;
  }
  print("Restarting");
  const child = new Deno.Command(program, {
    args,
    env: environment,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  return await endOf(child);
}

async function endOf(child: Deno.ChildProcess): Promise<number> {
  const passers = SIGNALS.map((signal) => {
    const pass = () => passOn(child, signal);
    Deno.addSignalListener(signal, pass);
    return () => Deno.removeSignalListener(signal, pass);
  });
  try {
    return (await child.status).code;
  } finally {
    for (const remove of passers) remove();
  }
}

function passOn(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended, and its status is on the way.
  }
}

/** Deno tells its own flags nowhere but where the system does. */
function wordsOfProcess(): readonly string[] | null {
  if (Deno.build.standalone) return [Deno.execPath(), ...Deno.args];
  try {
    const [, ...args] = Deno.readTextFileSync("/proc/self/cmdline").replace(/\0$/, "").split("\0");
    return [Deno.execPath(), ...args];
  } catch {
    return null;
  }
}

function environmentOfProcess(): Record<string, string> {
  try {
    return Deno.env.toObject();
  } catch {
    return {};
  }
}
