/**
 * Which paths tools may touch. Decides on resolved paths only: whoever asks has followed the
 * symlinks first.
 * @module
 */

import { isAbsolute, join, normalize, relative, sep } from "node:path";

/** Where channels keep what people send, in one folder for each channel. */
export interface SentFolder {
  /** As channels name it. */
  readonly named: string;
  /** As it really is. */
  readonly real: string;
}

/** What the policy is made from; all paths absolute and resolved. */
export interface PathRules {
  readonly workspace: string;
  readonly homeFolder: string;
  /** Only the workspace, `writableRoots`, and `readableRoots` for reading. */
  readonly isRestricted: boolean;
  readonly readableRoots: readonly string[];
  /** Folders besides the workspace that tools may write to. */
  readonly writableRoots?: readonly string[];
  /** Files and folders of the gateway itself: tools never change them. */
  readonly protectedPaths: readonly string[];
  /** Files that hold secrets: tools never read them either. */
  readonly secretPaths?: readonly string[];
  /** A folder in which each session sees the folder of its own name alone. @default none is */
  readonly separateFolder?: string | undefined;
  /** A folder of which each session sees what was sent in it alone. @default none is */
  readonly sentFolder?: SentFolder | undefined;
  /** The same files by device and number, as a hard link is another name for one of them. */
  readonly protectedIdentities?: readonly string[];
  /** Whether `A` and `a` are the same name here. @default false */
  readonly foldsCase?: boolean;
}

/** What is wanted of a path. */
export type PathUse = "read" | "write";

/** The answer: fine, or why not. */
export type PathVerdict =
  | "allowed"
  | "outside"
  | "protected"
  | "memory"
  | "secret"
  | "foreign"
  | "device";

/** For whom a path is judged. */
export interface PathUser {
  /** Name of their folder in `separateFolder`; the gateway itself has none, and sees all. */
  readonly ownFolder?: string | undefined;
  /** Files in `sentFolder` that they may see, as channels name them. @default none */
  readonly sentFiles?: readonly string[] | undefined;
}

/** Names in the workspace that keep the agent itself. */
const STATE_IN_WORKSPACE = [
  "sessions",
  "cron",
  join("memory", "history.jsonl"),
  join("memory", ".cursor"),
  join("memory", ".dream_cursor"),
  join("memory", ".pending"),
  join("memory", ".versions"),
  join("memory", "scopes"),
  ".git",
];

/** Files in the workspace that only the memory changes, so that two never write at once. */
const MEMORY_FILES = ["SOUL.md", "USER.md", join("memory", "MEMORY.md")];

/** Where the system shows devices and processes as files: reading may never end, or tell all. */
const DEVICE_FOLDERS = ["/dev", "/proc", "/sys"];

/** Everything in the workspace that tools may read but never change. */
export function stateInWorkspace({ workspace }: Pick<PathRules, "workspace">): string[] {
  return [...STATE_IN_WORKSPACE, ...MEMORY_FILES].map((name) => join(workspace, name));
}

/** The absolute path that a model's path means; symlinks are not followed yet. */
export function absolutePath(path: string, rules: PathRules): string {
  const expanded = path === "~" || path.startsWith("~/")
    ? join(rules.homeFolder, path.slice(1))
    : path;
  return normalize(isAbsolute(expanded) ? expanded : join(rules.workspace, expanded));
}

/** Whether `resolved` may be used so. */
export function judgePath(
  resolved: string,
  use: PathUse,
  rules: PathRules,
  { ownFolder, sentFiles = [] }: PathUser = {},
): PathVerdict {
  const { workspace, isRestricted, readableRoots, writableRoots = [], secretPaths = [] } = rules;
  const isIn = (roots: readonly string[]) => roots.some((root) => holds(root, resolved, rules));
  if (isIn(DEVICE_FOLDERS)) return "device";
  const roots = [workspace, ...writableRoots, ...(use === "read" ? readableRoots : [])];
  if (isRestricted && !isIn(roots)) return "outside";
  if (isIn(secretPaths)) return "secret";
  const { separateFolder } = rules;
  if (ownFolder !== undefined && separateFolder !== undefined && isIn([separateFolder])) {
    if (!isIn([join(separateFolder, ownFolder)])) return "foreign";
  }
  const { sentFolder } = rules;
  if (ownFolder !== undefined && sentFolder !== undefined && isIn([sentFolder.real])) {
    if (!isIn(sentFiles.map((path) => realOf(path, sentFolder)))) return "foreign";
  }
  if (use === "read") return "allowed";
  const below = (names: readonly string[]) => names.map((name) => join(workspace, name));
  if (isIn([...below(STATE_IN_WORKSPACE), ...rules.protectedPaths])) return "protected";
  return isIn(below(MEMORY_FILES)) ? "memory" : "allowed";
}

/** Whether `path` is `root` or lies below it. */
export function contains(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A file that was sent, where the folder of such files really is; a folder is none. */
function realOf(path: string, { named, real }: SentFolder): string {
  const way = relative(named, path);
  return way !== "" && contains(named, path) ? join(real, way) : join(real, "\0");
}

function holds(root: string, path: string, { foldsCase = false }: PathRules): boolean {
  return foldsCase ? contains(folded(root), folded(path)) : contains(root, path);
}

/** File systems that ignore case mostly ignore how accents are written, too. */
function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** Why a path may not be used, in words for the model. */
export function refusalText(
  path: string,
  use: PathUse,
  verdict: Exclude<PathVerdict, "allowed">,
  { workspace }: PathRules,
): string {
  const cannot = `Cannot ${use} "${path}": this is not allowed, as`;
  switch (verdict) {
    case "outside":
      return `${cannot} it is outside the workspace "${workspace}" (a policy, do not retry)`;
    case "protected":
      return `${cannot} the gateway keeps its own state there (a policy, do not retry)`;
    case "secret":
      return `${cannot} it holds secrets of the gateway (a policy, do not retry)`;
    case "foreign":
      return `${cannot} it belongs to another conversation (a policy, do not retry)`;
    case "device":
      return `${cannot} it is a device or a part of the system, not a file`;
    case "memory":
      return `${cannot} the memory looks after this file itself: change it with edit_file or ` +
        "write_file, which go through the memory";
  }
}
