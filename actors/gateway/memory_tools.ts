/**
 * The file tools, where they meet the files of facts: those are changed by the memory alone, which
 * keeps a version of each state and never overwrites what somebody writes by hand.
 * @module
 */

import { join } from "node:path";
import type { JsonObject } from "../kernel/json.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { MemoryEdit, MemoryEdited, MemoryMessage } from "../memory/protocol.ts";
import {
  MEMORY_FILE_NAMES,
  type MemoryFileName,
  type MemoryOrigin,
  MemoryScope,
} from "../memory/scope.ts";
import { noteRead } from "../tools/text_file.ts";
import type { Tool, ToolContext, ToolResult } from "../tools/tool.ts";

const ANSWER_MS = 25_000;

/** What the tools reach of the memory. */
export interface MemoryOfTools {
  readonly ref: ActorRef<MemoryMessage>;
  readonly scopeOf: (origin: MemoryOrigin) => MemoryScope;
  /** The text of a memory file; null where there is none. */
  readonly read: (path: string) => Promise<string | null>;
}

/** The tool, which hands what concerns a file of facts to the memory. */
export function memoryTool(tool: Tool, memory: MemoryOfTools): Tool {
  const work = WORK.get(tool.name);
  if (work === undefined) return tool;
  return {
    ...tool,
    call: async (args, context) => {
      const file = await memoryFileOf(args["path"], context);
      const place = file === undefined
        ? undefined
        : { file, scope: memory.scopeOf(context.origin) };
      const result = place && await work(args, { ...place, memory, context });
      return result ?? await tool.call(args, context);
    },
  };
}

interface Scene {
  readonly file: MemoryFileName;
  readonly scope: MemoryScope;
  readonly memory: MemoryOfTools;
  readonly context: ToolContext;
}

/** Undefined leaves it to the tool. */
type Work = (args: JsonObject, scene: Scene) => Promise<ToolResult | undefined>;

const WORK: ReadonlyMap<string, Work> = new Map([
  ["edit_file", editMemory],
  ["write_file", writeMemory],
  ["read_file", readMemory],
]);

async function memoryFileOf(
  path: unknown,
  { files, workspace }: ToolContext,
): Promise<MemoryFileName | undefined> {
  if (typeof path !== "string") return undefined;
  const resolved = await files.resolve(path).catch(() => undefined); // the tool says why not
  return MEMORY_FILE_NAMES.find((file) =>
    resolved === join(workspace, MemoryScope.global.pathOf(file))
  );
}

async function editMemory(args: JsonObject, scene: Scene): Promise<ToolResult | undefined> {
  const { old_text: from, new_text: to, replace_all: isEverywhere, occurrence } = args;
  if (typeof from !== "string" || typeof to !== "string") return undefined;
  if (occurrence !== undefined) {
    return failure(`Cannot edit ${scene.file}.md by occurrence: give more of the surroundings`);
  }
  return await change(scene, { type: "replace", from, to, isEverywhere: isEverywhere === true });
}

/** A whole text replaces one that the session has read, as it is now. */
async function writeMemory(args: JsonObject, scene: Scene): Promise<ToolResult | undefined> {
  const { content: text } = args;
  if (typeof text !== "string") return undefined;
  const { file, scope, memory } = scene;
  const base = await memory.read(scope.pathOf(file));
  if (base === null || base.trim() === "") return await change(scene, { type: "write", text });
  if (!await knows(scene, base)) {
    const reason = "it was not read, or has changed since";
    return failure(`Cannot write ${file}.md: ${reason}. Read it, then edit it with edit_file`);
  }
  return await change(scene, { type: "write", text, base });
}

/** Everybody's files are read like any other; a scope's stand where tools do not reach. */
async function readMemory(_args: JsonObject, scene: Scene): Promise<ToolResult | undefined> {
  const { file, scope, memory } = scene;
  if (scope.isGlobal || file === "SOUL") return undefined;
  const text = await memory.read(scope.pathOf(file));
  if (text === null) return failure(`Cannot read ${file}.md: it is empty yet`);
  await noteKnown(scene, text);
  return { content: text, isError: false };
}

async function change(scene: Scene, edit: MemoryEdit): Promise<ToolResult> {
  const { file, scope, memory, context } = scene;
  const reason = `Asked for in ${context.origin.sessionKey}`;
  const edited = await memory.ref.ask<MemoryEdited>(
    (replyTo) => ({ type: "edit_memory_file", scope, file, edit, reason, replyTo }),
    { timeoutMs: ANSWER_MS, signal: context.signal },
  );
  switch (edited.state) {
    case "refused":
      return failure(edited.reason);
    case "unchanged":
      return { content: `${file}.md holds that already`, isError: false };
    case "edited":
      await noteKnown(scene, await memory.read(scope.pathOf(file)) ?? "");
      return { content: `Edited ${file}.md; the former version is kept`, isError: false };
  }
}

/** Whether the session has read the file as it is. */
async function knows(scene: Scene, text: string): Promise<boolean> {
  const reads = new Map<string, string>();
  await noteRead({ resolved: readKey(scene), bytes: new TextEncoder().encode(text) }, { reads });
  return scene.context.reads.get(readKey(scene)) === reads.get(readKey(scene));
}

async function noteKnown(scene: Scene, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  await noteRead({ resolved: readKey(scene), bytes }, scene.context);
}

function readKey({ file, scope, context }: Scene): string {
  return join(context.workspace, scope.pathOf(file));
}

function failure(reason: string): ToolResult {
  return { content: `Error: ${reason}`, isError: true };
}
