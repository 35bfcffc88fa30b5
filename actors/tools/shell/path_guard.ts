/**
 * Paths outside the workspace in the words of a command: the early word to the model. What keeps
 * a command in is its level.
 * @module
 */

import { contains } from "../path_policy.ts";
import {
  type CommandSurroundings,
  type ParsedCommand,
  pathOf,
  type Program,
} from "./parsed_command.ts";
import { programName } from "./wrappers.ts";

/** Where commands may point to. All paths absolute. */
export interface PathGuardRules {
  readonly surroundings: CommandSurroundings;
  /** The workspace, the media folder and the like. */
  readonly folders: readonly string[];
}

/** Programs whose words are text or patterns, not files. */
const TEXT_PROGRAMS = /^(echo|printf|:|true|false|alias|export|test|\[|expr|jq|awk|gawk|mawk)$/;
/** Programs whose first word is a pattern. */
const PATTERN_PROGRAMS = /^(grep|egrep|fgrep|rg|sed|ag|perl)$/;

/** What every program may open. */
const DEVICES =
  /^\/dev\/(null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd(\/\d+)?|shm(\/.*)?)$/;
/** Where programs live, and where everyone may put what is not kept. */
const COMMON = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/tmp", "/var/tmp"];
/** Places that a word with a slash in front really means; `/api/users` is hardly a file. */
const ROOT_FOLDERS =
  /^\/(root|home|etc|var|proc|sys|boot|mnt|media|srv|run|dev|lost\+found|Users|Library|System|Volumes|Applications|private)(\/|$)/;

/** The first word that points to where nothing may be read or written. */
export function findOutsidePath(
  { programs }: ParsedCommand,
  rules: PathGuardRules,
): string | undefined {
  for (const program of programs) {
    const words = [...wordsOf(program), ...program.targets.map(({ path }) => path.text)];
    const outside = words.find((word) => isOutside(word, program, rules));
    if (outside !== undefined) return outside;
  }
  return undefined;
}

function wordsOf({ argv }: Program): readonly string[] {
  const [first, ...rest] = argv;
  if (first === undefined) return [];
  const name = programName(first);
  if (TEXT_PROGRAMS.test(name)) return [];
  const [pattern, ...others] = rest.filter(({ text }) => !/^-[^=/~]*$/.test(text));
  const words = PATTERN_PROGRAMS.test(name) ? others : [pattern, ...others];
  return [first, ...words].flatMap((word) => word === undefined ? [] : pathsIn(word.text));
}

/** The word itself, or what stands behind `--option=`, `if=`, `@` or `file://`. */
function pathsIn(word: string): readonly string[] {
  if (/^file:\/\//i.test(word)) return [word.slice("file://".length).replace(/^localhost/i, "")];
  const value = /^(?:--?[\w-]+=|\w+=|@|\w+=@)(.+)$/.exec(word)?.[1];
  return value === undefined ? [word] : [value];
}

function isOutside(
  word: string,
  { folder }: Program,
  { surroundings, folders }: PathGuardRules,
): boolean {
  if (/^[A-Za-z]:[\\/]/.test(word) || word.startsWith("\\\\")) return true;
  const isPath = word.startsWith("/") || /^~(\/|$)/.test(word) ||
    /(^|[\\/])\.\.([\\/]|$)/.test(word);
  if (!isPath || /\s{2}|\n/.test(word)) return false;
  const path = pathOf(word.replaceAll("\\", "/"), { ...surroundings, folder });
  if ([...folders, ...COMMON].some((allowed) => contains(allowed, path))) return false;
  if (DEVICES.test(path)) return false;
  if (!word.startsWith("/")) return true;
  return ROOT_FOLDERS.test(path) || path === "/" || contains(surroundings.home, path) ||
    contains(path, surroundings.folder);
}
