/**
 * The thread in which the shell interpreter runs in a compiled program.
 * @module
 */

import { invariant } from "../../../kernel/invariant.ts";
import type { FromThread } from "./narrowed_entry.ts";
import { runJob, type VirtualJob } from "./virtual_job.ts";

/** What a Worker's global scope has that the main thread's has not. */
interface ThreadScope {
  postMessage(message: FromThread): void;
}

const scope: unknown = globalThis;
invariant(isThreadScope(scope), "this module runs in a Worker");
const say = scope.postMessage.bind(scope);

globalThis.addEventListener("message", (event) => {
  if (event instanceof MessageEvent) void run(event.data);
});
await import("just-bash"); // as long as there is somebody who may load it
say({ type: "ready" });

async function run(job: VirtualJob): Promise<void> {
  const writer = (stream: "stdout" | "stderr") => (text: string): Promise<void> => {
    say({ type: "wrote", stream, text });
    return Promise.resolve();
  };
  const exitCode = await runJob(job, { stdout: writer("stdout"), stderr: writer("stderr") });
  say({ type: "ended", exitCode });
}

function isThreadScope(value: unknown): value is ThreadScope {
  return typeof value === "object" && value !== null && "postMessage" in value;
}
