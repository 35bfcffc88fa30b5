/**
 * A program for tests: runs its argument at the level `process` for half a second, and ends it. It
 * is started with the right to run `sh` and hardly another.
 * @module
 */

import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { ProcessLevel } from "../../actors/tools/shell/adapters/process_level.ts";

const [command = ""] = Deno.args;
const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const level = new ProcessLevel({ clock: systemClock, newId: systemNewId, env });
const process = await level.start({ command, folder: "/", hasInput: false, timeoutMs: 60_000 });
void process.stdout.cancel();
void process.stderr.cancel();
const { promise, resolve } = Promise.withResolvers<void>();
systemClock.setTimer(500, resolve);
await promise;
await process[Symbol.asyncDispose]();
await Deno.stdout.write(new TextEncoder().encode(level.description));
