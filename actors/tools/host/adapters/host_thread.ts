/// <reference lib="deno.unstable" />
/**
 * Starts the thread of a host's tools, narrowed to the host's rights.
 * @module
 */

/** The thread's module: named to the compiler. */
export const HOST_WORKER: URL = new URL("./host_worker.ts", import.meta.url);

type Right = boolean | readonly string[] | "inherit";

/** What a thread may do: that, and nothing else. */
export interface ThreadRights {
  readonly read: Right;
  readonly write: Right;
  readonly net: Right;
}

/**
 * What its process may, that being started with a host's rights as its flags. Deno takes a folder
 * with a part that is denied for more than its own process may, so it cannot be named again.
 */
export const RIGHTS_OF_PROCESS: ThreadRights = {
  read: "inherit",
  write: "inherit",
  net: "inherit",
};

/** The argument of a process whose rights no flags could name: it narrows its thread itself. */
export const NARROWS_ITSELF = "--narrows-itself";

/** Starts it; it takes lines by `postMessage` and sends lines back. */
export function startHostThread(
  name: string,
  { read, write, net }: ThreadRights,
  module: URL = HOST_WORKER,
): Worker {
  return new Worker(module, {
    type: "module",
    name,
    deno: {
      permissions: {
        read: listed(read),
        write: listed(write),
        net: listed(net),
        env: false,
        run: false,
        sys: false,
        ffi: false,
        import: false,
      },
    },
  });
}

function listed(right: Right): boolean | string[] | "inherit" {
  return typeof right === "object" ? [...right] : right;
}
