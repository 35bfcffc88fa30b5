/// <reference lib="deno.unstable" />
/**
 * The process of a tool host. Its first line of input says which; it starts a thread with just
 * those rights, gives up its own, hands lines to and fro, and watches the memory of both. It ends
 * when its input does.
 * @module
 */

import { systemClock } from "../../../kernel/adapters/system_clock.ts";
import { writeAll } from "../../../kernel/adapters/write_all.ts";
import { LineSplitter } from "../line_splitter.ts";
import { HOST_READY, type HostRights, LINE_BYTES_MAX, type ToHost } from "../host_protocol.ts";
import {
  HOST_WORKER,
  NARROWS_ITSELF,
  RIGHTS_OF_PROCESS,
  startHostThread,
  type ThreadRights,
} from "./host_thread.ts";
import { withModules } from "./module_right.ts";

/** How a host ends that needs more memory than it may have. */
export const EXIT_MEMORY = 71;
/** How a host ends whose thread is gone. */
export const EXIT_BROKEN = 70;
const WATCH_MS = 50;
/** Read at once at most. */
const INPUT_BYTES = 64 * 1024;

const ALL_RIGHTS: readonly Deno.PermissionName[] = [
  "run",
  "write",
  "net",
  "env",
  "sys",
  "ffi",
  "read",
];

/** Runs the host until its input ends; `module` is what its thread runs. */
export async function runHost(module: URL = HOST_WORKER): Promise<void> {
  const splitter = new LineSplitter(LINE_BYTES_MAX);
  let thread: Worker | undefined;
  for await (const chunk of input()) {
    for (const line of splitter.push(chunk)) {
      thread ??= openThread(line, module);
      thread.postMessage(line);
    }
  }
  Deno.exit(0);
}

/** What comes in: a stream of the platform's would take 5 ms more of each start. */
async function* input(): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(INPUT_BYTES);
  for (;;) {
    const count = await Deno.stdin.read(buffer);
    if (count === null) return;
    yield buffer.slice(0, count);
  }
}

function openThread(line: string, module: URL): Worker {
  // Its own gateway wrote the line; a parser for it would cost a third of the start.
  const message: ToHost = JSON.parse(line);
  if (message.type !== "set_up") throw new TypeError("Cannot start a host: it is not set up");
  const { rights, kind } = message.setup;
  const thread = startHostThread(`tools ${kind}`, threadRights(rights), module);
  const encoder = new TextEncoder();
  let written = Promise.resolve();
  thread.addEventListener("message", ({ data }) => {
    if (data === HOST_READY) return giveUpRights();
    // Not by a stream either, for the same reason.
    written = written.then(() => writeAll(Deno.stdout, encoder.encode(`${data}\n`)));
  });
  thread.addEventListener("error", () => Deno.exit(EXIT_BROKEN));
  watchMemory(rights.memoryBytesMax);
  return thread;
}

/** The rights of a compiled binary are fixed; any other host has its own, as far as flags can say. */
function threadRights(rights: HostRights): ThreadRights {
  if (Deno.build.standalone) return rights;
  if (!Deno.args.includes(NARROWS_ITSELF)) return RIGHTS_OF_PROCESS;
  return { ...RIGHTS_OF_PROCESS, read: withModules(rights.read), write: rights.write };
}

/** From now on this process can do nothing but what its thread was given. */
function giveUpRights(): void {
  for (const name of ALL_RIGHTS) Deno.permissions.revokeSync({ name });
}

/** The thread may spin, and buffers are not on the heap: only the process as a whole tells. */
function watchMemory(bytesMax: number): void {
  if (Deno.memoryUsage().rss > bytesMax) Deno.exit(EXIT_MEMORY);
  systemClock.setTimer(WATCH_MS, () => watchMemory(bytesMax));
}

if (import.meta.main) await runHost();
