/**
 * What tools need in tests: a real workspace in a temporary folder.
 * @module
 */

import { join } from "node:path";
import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { WorkspaceFiles } from "../../actors/tools/adapters/workspace_files.ts";
import { ProcessLevel } from "../../actors/tools/shell/adapters/process_level.ts";
import { CommandGuard } from "../../actors/tools/shell/guard.ts";
import { Shell } from "../../actors/tools/shell/shell.ts";
import type { PathRules } from "../../actors/tools/path_policy.ts";
import type { ToolContext, ToolMessageOut } from "../../actors/tools/tool.ts";

/** A workspace with a tool context on it; the folders go when it is disposed. */
export interface ToolBench extends AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly context: ToolContext;
  readonly sent: readonly ToolMessageOut[];
}

/** Makes the workspace; `rules` change the default policy (restricted to it). */
export async function toolBench(rules: Partial<PathRules> = {}): Promise<ToolBench> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "troupe-tools-" }));
  const workspace = join(root, "workspace");
  await Deno.mkdir(workspace);
  const sent: ToolMessageOut[] = [];
  const files = new WorkspaceFiles({
    workspace,
    homeFolder: root,
    isRestricted: true,
    readableRoots: [],
    protectedPaths: [],
    ...rules,
  }, systemNewId);
  const level = new ProcessLevel({
    newId: systemNewId,
    env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: root, LANG: "C.UTF-8" },
  });
  const processes = new Shell({
    clock: systemClock,
    workspace,
    level: () => Promise.resolve(level),
    guard: new CommandGuard({
      workspace,
      home: root,
      isRestricted: true,
      folders: [],
      protectedPaths: [],
      denyPatterns: [],
      allowPatterns: [],
      checkHost: () => {},
    }),
    resolveFolder: (path) => files.resolve(path),
  });
  return {
    root,
    workspace,
    sent,
    context: {
      workspace,
      origin: { channel: "feishu", chatId: "oc_1", sessionKey: "feishu:oc_1" },
      files,
      processes,
      net: {
        request: () => Promise.reject(new Error("no network here")),
        isPublic: () => Promise.resolve(false),
      },
      send: (message) => {
        sent.push(message);
        return Promise.resolve();
      },
      signal: new AbortController().signal,
      reads: new Map(),
    },
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}
