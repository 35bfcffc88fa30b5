/// <reference lib="deno.unstable" />
/**
 * One command in the shell interpreter, in a process that cannot be started with flags of Deno: a
 * compiled program. A thread gets the rights to the workspace, and the process gives up its own.
 * @module
 */

import { systemClock } from "../../../kernel/adapters/system_clock.ts";
import { writeAll } from "../../../kernel/adapters/write_all.ts";
import { LineSplitter } from "../../host/line_splitter.ts";
import { JOB_BYTES_MAX, ORPHANED, parseJob, type VirtualJob } from "./virtual_job.ts";

/** The argument by which a compiled program becomes a shell. */
export const SHELL_ARGUMENT = "--shell-virtual";
/** The thread's module: named to the compiler. */
const THREAD = new URL("./narrowed_worker.ts", import.meta.url);
const WATCH_MS = 50;
const ALL_RIGHTS: readonly Deno.PermissionName[] = [
  ...["run", "write", "net", "env", "sys", "ffi", "read"] as const,
];

/** What the thread says. */
export type FromThread =
  /** Its modules are loaded. */
  | { readonly type: "ready" }
  | { readonly type: "wrote"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly type: "ended"; readonly exitCode: number };

/** Runs the job that the first line of the input names; the input ends early with the gateway. */
export async function runNarrowed(): Promise<void> {
  const lines = new LineSplitter(JOB_BYTES_MAX);
  for await (const chunk of Deno.stdin.readable) {
    const [text] = lines.push(chunk);
    if (text !== undefined) start(parseJob(text));
  }
  Deno.exit(ORPHANED);
}

function start(job: VirtualJob): void {
  const thread = new Worker(THREAD, {
    type: "module",
    name: "shell",
    deno: { permissions: rightsOf(job) },
  });
  let written = Promise.resolve();
  thread.addEventListener("message", ({ data }: MessageEvent<FromThread>) => {
    switch (data.type) {
      case "ready":
        for (const name of ALL_RIGHTS) Deno.permissions.revokeSync({ name });
        return thread.postMessage(job);
      case "wrote":
        written = written.then(() => writeAll(Deno[data.stream], encoded(data.text)));
        return;
      case "ended":
        return void written.finally(() => Deno.exit(data.exitCode));
    }
  });
  thread.addEventListener("error", () => Deno.exit(ORPHANED));
  watchMemory(job.memoryBytesMax);
}

/** Libraries look into the environment; this process was given an empty one. */
function rightsOf(
  { workspace, readableRoots, writableRoots }: VirtualJob,
): Deno.PermissionOptionsObject {
  const writable = [workspace, ...writableRoots];
  return {
    read: [...writable, ...readableRoots],
    write: writable,
    env: Deno.permissions.querySync({ name: "env" }).state === "granted",
    sys: ["uid", "gid"],
    ...{ net: false, run: false, ffi: false, import: false },
  };
}

/** The thread may spin: only the process as a whole tells. */
function watchMemory(bytesMax: number): void {
  if (Deno.memoryUsage().rss > bytesMax) {
    Deno.stderr.writeSync(encoded("sh: ended: it used more memory than it may have\n"));
    Deno.exit(ORPHANED);
  }
  systemClock.setTimer(WATCH_MS, () => watchMemory(bytesMax));
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

if (import.meta.main) await runNarrowed();
