/**
 * The thread in which a host's tools run, with the host's rights and no more. It reads and writes
 * lines over its own port; who started it is a process of the host's, or the gateway itself.
 * @module
 */

import { systemClock, systemNewId } from "../../../kernel/adapters/system_clock.ts";
import { invariant } from "../../../kernel/invariant.ts";
import { HOST_READY } from "../host_protocol.ts";
import { openKind } from "../host_kinds.ts";
import { HostRuntime } from "../host_runtime.ts";

/** What a Worker's global scope has that the main thread's has not. */
interface ThreadScope {
  postMessage(message: unknown): void;
}

// The process's output carries answers: what a tool or its library prints must not get among them.
const { console: printer } = globalThis;
const print = printer.error.bind(printer);
Object.assign(printer, {
  ...{ log: print, info: print, debug: print, dir: print, dirxml: print, table: print },
  ...{ group: print, groupCollapsed: print, count: print, timeLog: print, timeEnd: print },
});

const scope: unknown = globalThis;
invariant(isThreadScope(scope), "this module runs in a Worker");
const runtime = new HostRuntime({
  open: openKind,
  world: { clock: systemClock, newId: systemNewId },
  reply: (line) => scope.postMessage(line),
});
globalThis.addEventListener("message", (event) => {
  if (event instanceof MessageEvent) runtime.take(String(event.data));
});

// Whoever started this thread may give up the right to load it only now.
scope.postMessage(HOST_READY);

function isThreadScope(value: unknown): value is ThreadScope {
  return typeof value === "object" && value !== null && "postMessage" in value;
}
