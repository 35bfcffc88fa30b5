/**
 * A program for tests: runs a command at the level and in the folder of its arguments, ends it when
 * it has not ended by itself after so many milliseconds, and prints why it ended. It is started with
 * hardly more than the right to run `sh` or `bwrap`.
 * @module
 */

import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { sleep } from "../../actors/kernel/clock.ts";
import { NetBoundary } from "../../actors/tools/net/boundary.ts";
import { BwrapLevel } from "../../actors/tools/shell/adapters/bwrap_level.ts";
import { ProcessLevel } from "../../actors/tools/shell/adapters/process_level.ts";
import { SHELL_LIMITS, type ShellLevel } from "../../actors/tools/shell/level.ts";

const [level = "", folder = "", command = "", livesMs = ""] = Deno.args;
const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const limits = { ...SHELL_LIMITS, processesMax: 40, memoryBytesMax: 150_000_000 };

function open(): Promise<ShellLevel> {
  if (level === "process") {
    return Promise.resolve(new ProcessLevel({ newId: systemNewId, env, limits }));
  }
  const scope = {
    workspace: folder,
    isRestricted: true,
    ...{ readableRoots: [], writableRoots: [], readOnlyPaths: [], hiddenPaths: [] },
  };
  const boundary = new NetBoundary({ allowedRanges: [], allowedHosts: [] });
  return BwrapLevel.open({ clock: systemClock, scope, env, network: "none", boundary, limits });
}

await using shell = await open();
const process = await shell.start({ command, folder, hasInput: false, timeoutMs: 60_000 });
void process.stdout.cancel();
void process.stderr.cancel();
const over = new AbortController();
const patience = sleep(systemClock, Number(livesMs), over.signal).catch(() => {});
const ended = await Promise.race([process.ended, patience]);
over.abort();
await process[Symbol.asyncDispose]();
await Deno.stdout.write(new TextEncoder().encode(ended?.note ?? "ended by its owner"));
