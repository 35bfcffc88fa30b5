/**
 * Finds in the order in which people look for them: what changed last comes first.
 * @module
 */

import { join, relative } from "node:path";
import type { WalkEntry } from "./folder_walk.ts";
import { contains } from "./path_policy.ts";
import type { ToolFiles } from "./tool.ts";

/** Finds whose times are looked up: beyond it the order is by name. */
const DATED_MAX = 5_000;
/** Looked up side by side. */
const AT_ONCE = 16;

/** Where the finds are. */
export interface FoundPlace {
  /** Absolute path that the finds' paths begin at. */
  readonly root: string;
  readonly workspace: string;
  readonly files: Pick<ToolFiles, "info">;
}

/** A find and how it is shown: relative to the workspace if it is there; folders end with `/`. */
export interface ShownFind {
  readonly entry: WalkEntry;
  readonly absolute: string;
  readonly shown: string;
}

/** The finds, newest first, then by name. */
export async function newestFirst(
  found: readonly WalkEntry[],
  { root, workspace, files }: FoundPlace,
): Promise<ShownFind[]> {
  const finds = found.map((entry) => {
    const absolute = join(root, entry.path);
    const path = shownPath(absolute, workspace);
    return { entry, absolute, shown: entry.kind === "directory" ? `${path}/` : path };
  });
  const byName = (a: ShownFind, b: ShownFind) => a.shown < b.shown ? -1 : 1;
  if (finds.length > DATED_MAX) return finds.toSorted(byName);
  const times = new Map<ShownFind, number>();
  const waiting = finds.values();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (const find of waiting) times.set(find, await modifiedAt(find, files));
  }));
  return finds.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || byName(a, b));
}

/** How a path is named to the model: relative to the workspace if it is there. */
export function shownPath(absolute: string, workspace: string): string {
  return contains(workspace, absolute) ? relative(workspace, absolute) : absolute;
}

/** A link that leads out, or a file that just went, counts as old. */
async function modifiedAt(
  { entry, absolute }: ShownFind,
  files: Pick<ToolFiles, "info">,
): Promise<number> {
  if (entry.kind === "symlink") return 0;
  try {
    return (await files.info(absolute))?.modifiedAtMs ?? 0;
  } catch {
    return 0;
  }
}
