/**
 * What a new workspace starts with. The texts are part of the program, compiled or not.
 * @module
 */

import { dirname, join } from "node:path";
import agents from "../../../workspace-template/AGENTS.md" with { type: "text" };
import heartbeat from "../../../workspace-template/HEARTBEAT.md" with { type: "text" };
import soul from "../../../workspace-template/SOUL.md" with { type: "text" };
import tools from "../../../workspace-template/TOOLS.md" with { type: "text" };
import user from "../../../workspace-template/USER.md" with { type: "text" };
import memory from "../../../workspace-template/memory/MEMORY.md" with { type: "text" };

/** Each file's path in the workspace, and its text. */
export const WORKSPACE_TEMPLATE: ReadonlyMap<string, string> = new Map([
  ["AGENTS.md", agents],
  ["SOUL.md", soul],
  ["USER.md", user],
  ["TOOLS.md", tools],
  ["HEARTBEAT.md", heartbeat],
  ["memory/MEMORY.md", memory],
]);

/** Folders that a workspace has from the start. */
const FOLDERS = ["memory", "sessions", "skills"] as const;

/**
 * Makes the workspace's folders, and those of its files that are missing; what is there is never
 * changed.
 *
 * @param workspace absolute path
 * @returns the paths of the files that were made, relative to the workspace
 */
export async function syncWorkspace(workspace: string): Promise<string[]> {
  for (const folder of FOLDERS) await Deno.mkdir(join(workspace, folder), { recursive: true });
  const created: string[] = [];
  for (const [path, text] of WORKSPACE_TEMPLATE) {
    if (await createFile(join(workspace, path), text)) created.push(path);
  }
  return created;
}

async function createFile(path: string, text: string): Promise<boolean> {
  await Deno.mkdir(dirname(path), { recursive: true });
  try {
    await Deno.writeTextFile(path, text, { createNew: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}
