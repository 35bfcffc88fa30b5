/// <reference lib="deno.unstable" />
/**
 * Starts the thread of a host's tools, narrowed to the host's rights.
 * @module
 */

import { ACTORS_FOLDER } from "../../../kernel/adapters/program_modules.ts";
import type { HostRights } from "../host_protocol.ts";

/** The thread's module: named to the compiler. */
export const HOST_WORKER: URL = new URL("./host_worker.ts", import.meta.url);
/**
 * Starts it; it takes lines by `postMessage` and sends lines back.
 *
 * @param hasFlags Whether this process was started with these rights as its flags. Deno takes a
 * folder with a part that is denied for more than its own process may; so the thread inherits it.
 */
export function startHostThread(
  { read, write, net, denyWrite = [], denyNet = [] }: HostRights,
  name: string,
  module: URL = HOST_WORKER,
  hasFlags: boolean = false,
): Worker {
  return new Worker(module, {
    type: "module",
    name,
    deno: {
      permissions: {
        read: withModules(read),
        write: hasFlags && denyWrite.length > 0 ? "inherit" : listed(write),
        net: hasFlags && denyNet.length > 0 ? "inherit" : listed(net),
        env: false,
        run: false,
        sys: false,
        ffi: false,
        import: false,
      },
    },
  });
}

/** The right to read that a thread needs for itself, on top of its tools'. */
export function withModules(read: boolean | readonly string[]): boolean | string[] {
  if (read === true || Deno.build.standalone) return listed(read);
  return read === false ? [ACTORS_FOLDER] : [...read, ACTORS_FOLDER];
}

function listed(right: boolean | readonly string[]): boolean | string[] {
  return typeof right === "boolean" ? right : [...right];
}
