/**
 * Tool hosts for tests: real processes over a workspace in a temporary folder.
 * @module
 */

import { join } from "node:path";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import {
  denoCommand,
  hostProcesses,
  startHostProcess,
} from "../../actors/tools/host/adapters/process_link.ts";
import type { StartHost } from "../../actors/tools/host/host_link.ts";
import type { HostRights, HostSetup } from "../../actors/tools/host/host_protocol.ts";
import { ToolHosts } from "../../actors/tools/host/tool_hosts.ts";
import type { PathRules } from "../../actors/tools/path_policy.ts";

const MEMORY_BYTES_MAX = 400_000_000;

/** Starts hosts with tools that break; `faulty_host_worker.ts` names them. */
export const startFaultyHost: StartHost = hostProcesses(
  denoCommand(new URL("./faulty_host_entry.ts", import.meta.url)),
);

/** Hosts over a workspace; both go when it is disposed. */
export interface HostBench extends AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly hosts: ToolHosts;
  /** Runs a tool and gives its text. */
  call(tool: string, args?: JsonObject, signal?: AbortSignal): Promise<string>;
}

/** How a bench differs from the usual. */
export interface HostBenchOptions {
  readonly start?: StartHost;
  readonly clock?: Clock;
  /** What the name of its folder begins with. */
  readonly prefix?: string;
  readonly rules?: Partial<PathRules>;
  readonly rights?: Partial<HostRights>;
}

/** Makes a bench. */
export async function hostBench(options: HostBenchOptions = {}): Promise<HostBench> {
  const { start = startHostProcess, clock = systemClock, prefix = "troupe-hosts-" } = options;
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix }));
  const workspace = join(root, "workspace");
  await Deno.mkdir(workspace);
  const rules: PathRules = {
    workspace,
    homeFolder: root,
    isRestricted: true,
    readableRoots: [],
    protectedPaths: [],
    ...options.rules,
  };
  const rights: HostRights = {
    // A thread's module is read like a file.
    read: [workspace, ...start === startFaultyHost ? [import.meta.dirname ?? ""] : []],
    write: [workspace],
    net: false,
    memoryBytesMax: MEMORY_BYTES_MAX,
    ...options.rights,
  };
  const setup: HostSetup = { kind: "files", rights, workspace, rules, settings: {} };
  const hosts = new ToolHosts({ setupOf: () => setup, start, clock });
  const origin = { channel: "cli", chatId: "direct", sessionKey: "cli:direct" };
  return {
    root,
    workspace,
    hosts,
    call: async (tool, args = {}, signal = new AbortController().signal) => {
      const { result } = await hosts.call("files", { tool, args, origin, reads: [] }, signal);
      return typeof result.content === "string" ? result.content : JSON.stringify(result.content);
    },
    [Symbol.asyncDispose]: async () => {
      await hosts[Symbol.asyncDispose]();
      await Deno.remove(root, { recursive: true });
    },
  };
}
