/**
 * A workspace full of traps, and calls that try them, for whatever runs file tools.
 * @module
 */

import { join } from "node:path";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { StartHost } from "../../actors/tools/host/host_link.ts";
import { stateInWorkspace } from "../../actors/tools/path_policy.ts";
import { type HostBench, hostBench } from "./host_bench.ts";

/** A bench and the folder that must stay as it is. */
export interface TrappedBench extends HostBench {
  readonly outside: string;
}

/** How a bench differs from the usual. */
export interface TrapOptions {
  /** @default true */
  readonly isRestricted?: boolean;
  readonly start?: StartHost;
}

/** A tool, its arguments, what the answer says. */
export type TriedCall = readonly [tool: string, args: JsonObject, answer: RegExp];

/** A workspace with everything in it that may lead astray; `outside` holds what must stay. */
export async function trappedBench(
  { isRestricted = true, start }: TrapOptions = {},
): Promise<TrappedBench> {
  const bench = await hostBench();
  const { root, workspace } = bench;
  await Deno.writeTextFile(join(root, "config.json"), '{"key":"secret"}');
  await layState(workspace);
  const outside = await layTraps(bench);
  const rules = {
    workspace,
    isRestricted,
    protectedPaths: [join(root, "state")],
    secretPaths: [join(root, "config.json")],
    homeFolder: root,
  };
  const rights = isRestricted
    ? { read: [workspace], write: [workspace] }
    : { read: true, write: true };
  const own = await hostBench({ rules, rights, ...(start && { start }) });
  return {
    ...own,
    root,
    workspace,
    outside,
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    },
  };
}

/** Where traps lie. */
export interface TrapPlace {
  /** The folder around the workspace. */
  readonly root: string;
  readonly workspace: string;
}

/** All that the agent keeps in its workspace. */
async function layState(workspace: string): Promise<void> {
  await Deno.mkdir(join(workspace, "memory"));
  for (const name of stateInWorkspace({ workspace })) {
    if (/\.[a-z]+$/i.test(name) && !name.endsWith(".git")) await Deno.writeTextFile(name, "kept");
    else await Deno.mkdir(name, { recursive: true });
  }
  await Deno.writeTextFile(join(workspace, "sessions", "cli_direct.jsonl"), "kept");
}

/** Lays traps into a workspace that exists; gives the folder outside whose file must stay. */
export async function layTraps({ root, workspace }: TrapPlace): Promise<string> {
  const outside = join(root, "outside");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(outside, "secret.txt"), "secret");
  await Deno.mkdir(join(root, "workspace-evil"));
  await Deno.writeTextFile(join(root, "workspace-evil", "secret.txt"), "secret");
  const links: Record<string, string> = {
    file_link: join(outside, "secret.txt"),
    folder_link: outside,
    root_link: "/",
    up_link: "..",
    chain_1: "chain_2",
    chain_2: "folder_link",
    loop: "loop",
    dangling: join(outside, "new.txt"),
    zero_link: "/dev/zero",
    proc_link: "/proc/self",
    history_link: "memory/history.jsonl",
    sessions_link: "sessions",
    soul_link: "SOUL.md",
  };
  for (const [name, target] of Object.entries(links)) {
    await Deno.symlink(target, join(workspace, name));
  }
  await new Deno.Command("mkfifo", { args: [join(workspace, "pipe")] }).output();
  return outside;
}

/** How a refusal by policy sounds. */
export const DENIED: RegExp = /not allowed/;
const REFUSED = /^(Error: )?Cannot /;

/** Calls that must be refused. `$` is the workspace, `^` the folder around it. */
export const HOSTILE: readonly TriedCall[] = [
  ["read_file", { path: "../outside/secret.txt" }, DENIED],
  ["read_file", { path: "./../outside/secret.txt" }, DENIED],
  ["read_file", { path: "memory/../../outside/secret.txt" }, DENIED],
  ["read_file", { path: "a/b/c/../../../../outside/secret.txt" }, DENIED],
  ["read_file", { path: "^/outside/secret.txt" }, DENIED],
  ["read_file", { path: "$/../outside/secret.txt" }, DENIED],
  ["read_file", { path: "~/outside/secret.txt" }, DENIED],
  ["read_file", { path: "~/../../../../etc/passwd" }, DENIED],
  ["read_file", { path: "/etc/passwd" }, DENIED],
  ["read_file", { path: "//etc/passwd" }, DENIED],
  ["read_file", { path: "/etc/../etc/./passwd" }, DENIED],
  ["read_file", { path: "^/workspace-evil/secret.txt" }, DENIED],
  ["read_file", { path: "../workspace-evil/secret.txt" }, DENIED],
  ["read_file", { path: "file_link" }, DENIED],
  ["read_file", { path: "folder_link/secret.txt" }, DENIED],
  ["read_file", { path: "chain_1/secret.txt" }, DENIED],
  ["read_file", { path: "root_link/etc/passwd" }, DENIED],
  ["read_file", { path: "up_link/outside/secret.txt" }, DENIED],
  ["read_file", { path: "loop" }, REFUSED],
  ["read_file", { path: "dangling" }, REFUSED],
  ["read_file", { path: "/proc/self/environ" }, DENIED],
  ["read_file", { path: "/proc/self/cwd/../outside/secret.txt" }, DENIED],
  ["read_file", { path: "/proc/self/root/etc/passwd" }, DENIED],
  ["read_file", { path: "/proc/self/fd/0" }, DENIED],
  ["read_file", { path: "/proc/1/environ" }, DENIED],
  ["read_file", { path: "proc_link/environ" }, DENIED],
  ["read_file", { path: "/sys/kernel/notes" }, DENIED],
  ["read_file", { path: "/dev/zero" }, DENIED],
  ["read_file", { path: "/dev/random" }, DENIED],
  ["read_file", { path: "/dev/stdin" }, DENIED],
  ["read_file", { path: "/dev/tty" }, DENIED],
  ["read_file", { path: "/dev/fd/0" }, DENIED],
  ["read_file", { path: "zero_link" }, DENIED],
  ["read_file", { path: "pipe" }, /not a regular file/],
  ["read_file", { path: "." }, /not a regular file/],
  ["read_file", { path: "a\0b" }, /NUL/],
  ["read_file", { path: "$/a\0/../../outside/secret.txt" }, /NUL/],
  ["read_file", { path: "x".repeat(5_000) }, /too long/],
  ["read_file", { path: "../".repeat(64) + "etc/passwd" }, DENIED],
  ["read_file", { path: "..\\outside\\secret.txt" }, /Cannot find/],
  ["read_file", { path: "%2e%2e/outside/secret.txt" }, /Cannot find/],
  ["read_file", { path: "file:///etc/passwd" }, /Cannot find/],
  ["read_file", { path: "\uff0e\uff0e/outside/secret.txt" }, /Cannot find/],
  ["write_file", { path: "../outside/new.txt", content: "x" }, DENIED],
  ["write_file", { path: "^/outside/secret.txt", content: "x" }, DENIED],
  ["write_file", { path: "file_link", content: "x" }, DENIED],
  ["write_file", { path: "folder_link/new.txt", content: "x" }, DENIED],
  ["write_file", { path: "folder_link/new/deep.txt", content: "x" }, DENIED],
  ["write_file", { path: "dangling", content: "x" }, REFUSED],
  ["write_file", { path: "/dev/full", content: "x" }, DENIED],
  ["write_file", { path: "/proc/self/oom_score_adj", content: "x" }, DENIED],
  ["write_file", { path: "pipe", content: "x" }, /not a regular file/],
  ["write_file", { path: "memory", content: "x" }, /not a regular file/],
  ["write_file", { path: "sessions/cli_direct.jsonl", content: "x" }, DENIED],
  ["write_file", { path: "sessions/new.jsonl", content: "x" }, DENIED],
  ["write_file", { path: "./memory/../sessions/new.jsonl", content: "x" }, DENIED],
  ["write_file", { path: "sessions_link/new.jsonl", content: "x" }, DENIED],
  ["write_file", { path: "history_link", content: "x" }, DENIED],
  ["write_file", { path: "memory/history.jsonl", content: "x" }, DENIED],
  ["write_file", { path: "memory/.cursor", content: "x" }, DENIED],
  ["write_file", { path: "memory/.dream_cursor", content: "x" }, DENIED],
  ["write_file", { path: "cron/jobs.json", content: "x" }, DENIED],
  ["write_file", { path: ".git/config", content: "x" }, DENIED],
  ["write_file", { path: "SOUL.md", content: "x" }, /the memory looks after/],
  ["write_file", { path: "USER.md", content: "x" }, /the memory looks after/],
  ["write_file", { path: "soul_link", content: "x" }, /the memory looks after/],
  ["edit_file", { path: "memory/MEMORY.md", old_text: "kept", new_text: "x" }, /the memory/],
  ["edit_file", { path: "file_link", old_text: "secret", new_text: "x" }, DENIED],
  ["edit_file", { path: "sessions/cli_direct.jsonl", old_text: "kept", new_text: "" }, DENIED],
  ["apply_patch", {
    edits: [{ path: "../outside/secret.txt", action: "replace", old_text: "s", new_text: "x" }],
  }, DENIED],
  ["apply_patch", {
    edits: [
      { path: "good.txt", action: "add", new_text: "x" },
      { path: "cron/jobs.json", action: "add", new_text: "x" },
    ],
  }, DENIED],
  ["notebook_edit", { path: "../outside/n.ipynb", cell_index: 0, edit_mode: "insert" }, DENIED],
  ["list_dir", { path: ".." }, DENIED],
  ["list_dir", { path: "folder_link" }, DENIED],
  ["list_dir", { path: "/" }, DENIED],
  ["list_dir", { path: "root_link/etc", recursive: true }, DENIED],
  ["glob", { pattern: "*", path: "../outside" }, DENIED],
  ["glob", { pattern: "*", path: "chain_1" }, DENIED],
  ["grep", { pattern: "secret", path: "../outside" }, DENIED],
  ["grep", { pattern: "secret", path: "file_link" }, DENIED],
  ["grep", { pattern: "root", path: "/etc/passwd" }, DENIED],
];

/** Calls of every day. */
export const HARMLESS: readonly TriedCall[] = [
  ["write_file", { path: "notes.md", content: "# Notes\n" }, /Wrote/],
  ["write_file", { path: "a/b/c/deep.txt", content: "deep\n" }, /Wrote/],
  ["write_file", { path: "$/absolute.txt", content: "x\n" }, /Wrote/],
  ["write_file", { path: "~/workspace/home.txt", content: "x\n" }, /Wrote/],
  ["write_file", { path: "./a/../dots.txt", content: "x\n" }, /Wrote/],
  ["write_file", { path: "..hidden", content: "x\n" }, /Wrote/],
  ["write_file", { path: "...", content: "x\n" }, /Wrote/],
  ["write_file", { path: ".env.example", content: "A=1\n" }, /Wrote/],
  ["write_file", { path: "reboot.md", content: "x\n" }, /Wrote/],
  ["write_file", { path: "with blank, comma.txt", content: "x\n" }, /Wrote/],
  ["write_file", { path: "文件/笔记.md", content: "你好\n" }, /Wrote/],
  ["write_file", { path: "emoji 😀.txt", content: "x\n" }, /Wrote/],
  ["write_file", { path: "project/.git/config", content: "x\n" }, /Wrote/],
  ["write_file", { path: "project/sessions/list.md", content: "x\n" }, /Wrote/],
  ["write_file", { path: "memory/ideas.md", content: "x\n" }, /Wrote/],
  ["write_file", { path: "docs/SOUL.md", content: "x\n" }, /Wrote/],
  ["write_file", { path: "sessions.md", content: "x\n" }, /Wrote/],
  ["write_file", { path: "cron.txt", content: "x\n" }, /Wrote/],
  ["write_file", { path: "skills/weather/SKILL.md", content: "x\n" }, /Wrote/],
  ["write_file", { path: "dev/zero", content: "x\n" }, /Wrote/],
  ["write_file", { path: "AGENTS.md", content: "x\n" }, /Wrote/],
  ["write_file", { path: "HEARTBEAT.md", content: "x\n" }, /Wrote/],
  ["read_file", { path: "SOUL.md" }, /1\| kept/],
  ["read_file", { path: "memory/MEMORY.md" }, /1\| kept/],
  ["read_file", { path: "memory/history.jsonl" }, /1\| kept/],
  ["read_file", { path: "sessions/cli_direct.jsonl" }, /1\| kept/],
  ["read_file", { path: "$/notes.md" }, /# Notes/],
  ["read_file", { path: "soul_link" }, /1\| kept/],
  ["read_file", { path: "文件/笔记.md" }, /你好/],
  ["edit_file", { path: "notes.md", old_text: "Notes", new_text: "Note" }, /Edited/],
  ["apply_patch", { edits: [{ path: "p.txt", action: "add", new_text: "x" }] }, /Added/],
  ["notebook_edit", { path: "n.ipynb", cell_index: 0, edit_mode: "insert" }, /Inserted/],
  ["list_dir", { path: "." }, /notes\.md/],
  ["list_dir", { path: "sessions" }, /cli_direct/],
  ["glob", { pattern: "**/*.md" }, /notes\.md/],
  ["grep", { pattern: "Note" }, /notes\.md/],
];

/** Makes the calls; gives those whose answer is another one. */
export async function tryCalls(
  calls: readonly TriedCall[],
  bench: HostBench,
): Promise<string[]> {
  const others: string[] = [];
  for (const [tool, args, expected] of calls) {
    const answer = await bench.call(tool, placed(args, bench)).catch(messageOf);
    if (!expected.test(answer)) others.push(`${tool} ${JSON.stringify(args)}: ${answer}`);
  }
  return others;
}

/** The arguments with the places of this bench in them. */
export function placed(args: JsonObject, { workspace, root }: TrapPlace): JsonObject {
  const { path } = args;
  if (typeof path !== "string") return args;
  return { ...args, path: path.replace(/^\$/, workspace).replace(/^\^/, root) };
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
