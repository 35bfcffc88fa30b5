/// <reference lib="deno.unstable" />
/**
 * Web Workers, seen from outside.
 * @module
 */

import type { LaunchOptions, WorkerPermissions, WorkerThread } from "../worker_thread.ts";
import { linkPort } from "./message_port.ts";
import { readableModuleFolders } from "./program_modules.ts";
import { isHello, type StartMessage } from "./worker_handshake.ts";

/** Starts a module Worker with just the permissions it is given, and that to read our modules. */
export function launchWorker(
  { entry, permissions, start, onError }: LaunchOptions,
): WorkerThread {
  const worker = new Worker(entry, {
    type: "module",
    name: start.name,
    deno: { permissions: denoPermissions(permissions) },
  });
  const { port1, port2 } = new MessageChannel();
  const hello = new AbortController();
  worker.addEventListener("message", ({ data }) => {
    if (!isHello(data)) return;
    hello.abort();
    worker.postMessage({ type: "troupe_start", start, port: port2 } satisfies StartMessage, [
      port2,
    ]);
  }, { signal: hello.signal });
  worker.addEventListener("error", (event) => {
    event.preventDefault(); // else it would end the whole process
    onError(new Error(event.message || "an error that is no Error left the Worker"));
  });
  return {
    port: linkPort(port1),
    terminate() {
      worker.terminate();
      if (!hello.signal.aborted) port2.close(); // it never left
    },
  };
}

/** Spells out what is not given, as Deno hands down the parent's rights where a name is missing. */
function denoPermissions(given: WorkerPermissions): Deno.PermissionOptionsObject {
  return {
    read: given.read === true || [...given.read || [], ...readableModuleFolders()],
    write: listed(given.write),
    net: listed(given.net),
    env: listed(given.env),
    run: listed(given.run),
    sys: listed(given.sys),
    ffi: listed(given.ffi),
    import: listed(given.import),
  };
}

function listed<T>(permission: boolean | readonly T[] | undefined): boolean | T[] {
  return typeof permission === "object" ? [...permission] : permission ?? false;
}
