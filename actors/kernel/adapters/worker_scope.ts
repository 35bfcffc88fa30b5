/**
 * The global scope of a Worker.
 * @module
 */

import { asError } from "../errors.ts";
import { invariant } from "../invariant.ts";
import type { WorkerExit, WorkerScope } from "../worker_thread.ts";
import { linkPort } from "./message_port.ts";
import { HELLO, isStart } from "./worker_handshake.ts";

/** What a Worker's global scope has that the main thread's has not. */
interface ThreadGlobal {
  postMessage(message: unknown): void;
  close(): void;
}

/**
 * The scope of the Worker that this code runs in.
 *
 * @throws {InvariantError} in the main thread
 */
export function threadScope(): WorkerScope {
  const scope: unknown = globalThis;
  invariant(isThreadGlobal(scope), "this code runs in a Worker");
  return {
    onFault,
    onExit: (handler) => onExit(scope, handler),
    connect() {
      const { promise, resolve } = Promise.withResolvers<
        Awaited<ReturnType<WorkerScope["connect"]>>
      >();
      const connected = new AbortController();
      globalThis.addEventListener("message", (event) => {
        if (!(event instanceof MessageEvent) || !isStart(event.data)) return;
        connected.abort();
        resolve({ port: linkPort(event.data.port), start: event.data.start });
      }, { signal: connected.signal });
      scope.postMessage(HELLO);
      return promise;
    },
  };
}

/** A fault that was reported must not end the thread before the report has left. */
function onFault(handler: (error: Error) => boolean): void {
  globalThis.addEventListener("error", (event) => {
    if (handler(asError(event.error))) event.preventDefault();
  });
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (handler(asError(event.reason))) event.preventDefault();
  });
}

/** Nothing outside sees these ways to end, so they are told before they happen. */
function onExit(scope: ThreadGlobal, handler: (exit: WorkerExit) => void): void {
  let isTold = false;
  const tell = (exit: WorkerExit) => {
    if (isTold) return;
    isTold = true;
    handler(exit);
  };
  const close = scope.close.bind(scope);
  const exit = Deno.exit;
  Object.defineProperty(globalThis, "close", {
    value: () => {
      tell("closed");
      close();
    },
  });
  Object.defineProperty(Deno, "exit", {
    value: (code?: number): never => {
      tell("exited");
      return exit(code);
    },
  });
  globalThis.addEventListener("unload", () => tell("exited"));
}

function isThreadGlobal(scope: unknown): scope is ThreadGlobal {
  return typeof scope === "object" && scope !== null && "postMessage" in scope &&
    typeof scope.postMessage === "function" && "close" in scope &&
    typeof scope.close === "function";
}
