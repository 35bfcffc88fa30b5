/**
 * The fence's file in a state folder.
 * @module
 */

import { join } from "node:path";
import { orNull, removeIfThere } from "../../../kernel/adapters/missing.ts";
import { DiskTextFiles } from "../../../kernel/adapters/text_files.ts";
import { type Fence, FENCE_FILE, parseFence } from "../fence.ts";

/**
 * The fence around a state folder; null where there is none. Where a file stands in the folder's
 * place there is none either: whoever locks the folder says what is wrong with it.
 */
export async function readFence(stateFolder: string): Promise<Fence | null> {
  try {
    return parseFence(await orNull(Deno.readTextFile(join(stateFolder, FENCE_FILE))));
  } catch (error) {
    if (error instanceof Deno.errors.NotADirectory) return null;
    throw error;
  }
}

/** Puts a fence around a state folder. */
export async function putFence(stateFolder: string, fence: Fence): Promise<void> {
  await new DiskTextFiles(stateFolder).replace(FENCE_FILE, `${JSON.stringify(fence)}\n`);
}

/** Takes the fence away. */
export async function liftFence(stateFolder: string): Promise<void> {
  await removeIfThere(join(stateFolder, FENCE_FILE));
}
