/// <reference lib="deno.unstable" />
/**
 * A tool host as a thread of this process, where no process may be started. Its rights are as
 * narrow, but its memory is ours, and a loop that never ends keeps a core busy.
 * @module
 */

import { asError } from "../../../kernel/errors.ts";
import type { HostLink, HostListener } from "../host_link.ts";
import { HOST_READY, type HostSetup } from "../host_protocol.ts";
import { startHostThread } from "./host_thread.ts";
import { withModules } from "./module_right.ts";

/** Starts a host's thread in this process. */
export function startHostInside(setup: HostSetup, listener: HostListener): HostLink {
  let hasEnded = false;
  const end = (reason: string) => {
    if (hasEnded) return;
    hasEnded = true;
    queueMicrotask(() => listener.ended(reason));
  };
  let thread: Worker;
  try {
    const { rights, kind } = setup;
    thread = startHostThread(`tools ${kind}`, { ...rights, read: withModules(rights.read) });
  } catch (error) {
    end(`it cannot be started: ${asError(error).message}`);
    return { send: () => {}, close: () => {}, kill: () => {} };
  }
  thread.addEventListener("message", ({ data }) => {
    if (data !== HOST_READY && !hasEnded) listener.line(String(data));
  });
  thread.addEventListener("error", (event) => {
    event.preventDefault(); // else it would end this process
    end(event.message);
  });
  const kill = () => {
    thread.terminate();
    end("it was ended");
  };
  thread.postMessage(JSON.stringify({ type: "set_up", setup }));
  return { send: (line) => thread.postMessage(line), close: kill, kill };
}
