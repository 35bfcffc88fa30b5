/**
 * Which paths tools may touch. Decides on resolved paths only: whoever asks has followed the
 * symlinks first.
 * @module
 */

import { isAbsolute, join, normalize, relative, sep } from "node:path";

/** What the policy is made from; all paths absolute and resolved. */
export interface PathRules {
  readonly workspace: string;
  readonly homeFolder: string;
  /** Only the workspace, and `readableRoots` for reading. */
  readonly isRestricted: boolean;
  readonly readableRoots: readonly string[];
  /** Files and folders of the gateway itself: tools never change them. */
  readonly protectedPaths: readonly string[];
}

/** What is wanted of a path. */
export type PathUse = "read" | "write";

/** The answer: fine, or why not. */
export type PathVerdict = "allowed" | "outside" | "protected";

/** Names in the workspace that keep the agent itself. */
const STATE_IN_WORKSPACE = [
  "sessions",
  "cron",
  join("memory", "history.jsonl"),
  join("memory", ".cursor"),
  join("memory", ".dream_cursor"),
  ".git",
];

/** The absolute path that a model's path means; symlinks are not followed yet. */
export function absolutePath(path: string, rules: PathRules): string {
  const expanded = path === "~" || path.startsWith("~/")
    ? join(rules.homeFolder, path.slice(1))
    : path;
  return normalize(isAbsolute(expanded) ? expanded : join(rules.workspace, expanded));
}

/** Whether `resolved` may be used so. */
export function judgePath(resolved: string, use: PathUse, rules: PathRules): PathVerdict {
  const isInside = contains(rules.workspace, resolved) ||
    (use === "read" && rules.readableRoots.some((root) => contains(root, resolved)));
  if (rules.isRestricted && !isInside) return "outside";
  if (use === "read") return "allowed";
  const state = STATE_IN_WORKSPACE.map((name) => join(rules.workspace, name));
  const isProtected = [...state, ...rules.protectedPaths].some((path) => contains(path, resolved));
  return isProtected ? "protected" : "allowed";
}

/** Whether `path` is `root` or lies below it. */
export function contains(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
