/**
 * Kills a program that owns a shell, and tells what outlives it.
 * @module
 */

import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { ShellGround } from "../contract/shell_level.ts";
import { until } from "./until.ts";

/** The levels by name. */
export const LEVELS: z.ZodEnum<{ bwrap: "bwrap"; virtual: "virtual"; process: "process" }> = z.enum(
  ["bwrap", "virtual", "process"],
);
/** The networks of level `bwrap`. */
export const NETWORKS: z.ZodEnum<{ filtered: "filtered"; none: "none"; host: "host" }> = z.enum(
  ["filtered", "none", "host"],
);

/** Nothing may outlive its owner for longer. */
const OUTLIVES_MS_MAX = 3_000;

/** What is started, and when its owner dies. */
export interface KilledOwnerOptions {
  readonly level: z.infer<typeof LEVELS>;
  /** @default "none" */
  readonly network?: z.infer<typeof NETWORKS>;
  readonly commands: readonly string[];
  /** How long after it has started the commands. */
  readonly livesMs: number;
}

/**
 * Kills an owner of running commands with SIGKILL and waits for the end of all that it started.
 *
 * @throws {Error} when something outlives it
 */
export async function killOwner(
  { workspace, outside }: ShellGround,
  { level, network = "none", commands, livesMs }: KilledOwnerOptions,
): Promise<void> {
  const program = fileURLToPath(new URL("./shell_owner.ts", import.meta.url));
  const flags = ["-A", "--cached-only", "--no-check"];
  const owner = new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, program, level, network, workspace, outside, ...commands],
    stdout: "piped",
  }).spawn();
  const reader = owner.stdout.getReader();
  const { value } = await reader.read();
  if (value === undefined) throw new Error("The owner could not start its commands");
  await pause(livesMs);
  owner.kill("SIGKILL");
  await owner.status;
  await reader.cancel();
  await noneLeft(workspace);
}

/** Waits until no process belongs to a folder: by its arguments, or by where it is. */
export async function noneLeft(folder: string): Promise<void> {
  let left: readonly string[] = [];
  try {
    await until(async () => (left = await processesOf(folder)).length === 0, {
      timeoutMs: OUTLIVES_MS_MAX,
    });
  } catch (error) {
    throw new Error(`Still there:\n${left.join("\n")}`, { cause: error });
  }
}

/** Waits until none of these processes is there. */
export async function noneAlive(pids: readonly number[]): Promise<void> {
  const isAlive = (pid: number) => Deno.stat(`/proc/${pid}`).then(() => true, () => false);
  await until(async () => !(await Promise.all(pids.map(isAlive))).includes(true), {
    timeoutMs: OUTLIVES_MS_MAX,
    what: `the end of ${pids}`,
  });
}

/** The tool hosts that a gateway has started, from the sources or as a compiled program. */
export async function hostsOf(gateway: number): Promise<readonly number[]> {
  const names = await Array.fromAsync(Deno.readDir("/proc"), ({ name }) => name);
  const found = names.filter((name) => /^\d+$/.test(name)).map(async (pid) => {
    const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (!/host_entry|--tool-host/.test(line)) return [];
    const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
    return status.includes(`PPid:\t${gateway}\n`) ? [Number(pid)] : [];
  });
  return (await Promise.all(found)).flat();
}

/** The command lines of the processes that belong to a folder, their numbers before them. */
export async function processesOf(folder: string): Promise<readonly string[]> {
  const names = await Array.fromAsync(Deno.readDir("/proc"), ({ name }) => name);
  const found = names.filter((name) => /^\d+$/.test(name)).map(async (pid) => {
    const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    const place = await Deno.readLink(`/proc/${pid}/cwd`).catch(() => "");
    const isFound = line.includes(folder) || place.startsWith(folder);
    return isFound ? [`${pid} ${line.replaceAll("\0", " ")}`] : [];
  });
  return (await Promise.all(found)).flat();
}
