/**
 * How a Worker gets its port: it says hello once its module runs, and is sent the port then.
 * @module
 */

import type { WorkerStart } from "../worker_thread.ts";

/** What a Worker says first. */
export const HELLO = { type: "troupe_hello" } as const;

/** What it is sent back. */
export interface StartMessage {
  readonly type: "troupe_start";
  readonly start: WorkerStart;
  readonly port: MessagePort;
}

/** Whether a Worker's message is its hello. */
export function isHello(data: unknown): boolean {
  return hasType(data) && data.type === HELLO.type;
}

/** Whether a message to a Worker is the one that starts it. */
export function isStart(data: unknown): data is StartMessage {
  return hasType(data) && data.type === "troupe_start" && "port" in data &&
    data.port instanceof MessagePort && "start" in data;
}

function hasType(data: unknown): data is { readonly type: unknown } {
  return typeof data === "object" && data !== null && "type" in data;
}
