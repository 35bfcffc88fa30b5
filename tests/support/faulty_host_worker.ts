/**
 * The thread of a tool host whose tools do what tools must not.
 * @module
 */

import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { HostRuntime } from "../../actors/tools/host/host_runtime.ts";
import { HOST_READY } from "../../actors/tools/host/host_protocol.ts";
import { REFUSED } from "../../actors/tools/host/refused_ports.ts";
import type { Tool, ToolResult } from "../../actors/tools/tool.ts";

/** What a Worker's global scope has that the main thread's has not. */
interface ThreadScope {
  postMessage(message: unknown): void;
}

const scope: unknown = globalThis;

const FAULTS: Readonly<Record<string, () => Promise<ToolResult>>> = {
  fine: () => Promise.resolve({ content: "fine", isError: false }),
  hang: () => new Promise(() => {}),
  spin: () => {
    for (;;);
  },
  eat: async () => {
    const kept: Uint8Array[] = [];
    for (;;) {
      kept.push(new Uint8Array(20_000_000).fill(1));
      await Promise.resolve();
    }
  },
  throw_late: () => {
    queueMicrotask(() => {
      throw new RangeError("thrown beside the call");
    });
    return new Promise(() => {});
  },
  nonsense: () => {
    if (isThread(scope)) scope.postMessage("no JSON");
    return new Promise(() => {});
  },
  flood: () => {
    if (!isThread(scope)) return new Promise(() => {});
    for (let n = 0; n < 40; n++) scope.postMessage("x".repeat(1_000_000) + "\\".repeat(n));
    return new Promise(() => {});
  },
  read_outside: async () => ({
    content: await Deno.readTextFile("/etc/hostname"),
    isError: false,
  }),
  run: async () => {
    await new Deno.Command("/bin/sh", { args: ["-c", "true"] }).output();
    return { content: "ran", isError: false };
  },
  environment: () =>
    Promise.resolve({ content: JSON.stringify(Deno.env.toObject()), isError: false }),
  fetch: async () => {
    await fetch("http://127.0.0.1:45871/");
    return { content: "fetched", isError: false };
  },
  import_package: async () => {
    const name = "npm:left-pad@1.3.0";
    await import(name);
    return { content: "imported", isError: false };
  },
};

const runtime = new HostRuntime({
  world: { clock: systemClock, newId: systemNewId },
  reply: (line) => isThread(scope) && scope.postMessage(line),
  open: () =>
    Promise.resolve({
      context: REFUSED,
      find: (name) => Promise.resolve(faulty(name)),
    }),
});

function faulty(name: string): Tool {
  return {
    name,
    description: "",
    parameters: { type: "object" },
    needs: { read: "workspace" },
    concurrency: "shared",
    timeoutMs: 10_000,
    call: () => FAULTS[name]?.() ?? Promise.reject(new TypeError(`no fault "${name}"`)),
  };
}

function isThread(value: unknown): value is ThreadScope {
  return typeof value === "object" && value !== null && "postMessage" in value;
}

globalThis.addEventListener("message", (event) => {
  if (event instanceof MessageEvent) runtime.take(String(event.data));
});
if (isThread(scope)) scope.postMessage(HOST_READY);
