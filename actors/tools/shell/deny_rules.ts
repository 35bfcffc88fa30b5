/**
 * What no command may do, told from the programs that it would start. An early and honest word to
 * the model, not a wall: the wall is the sandbox.
 * @module
 */

import { basename } from "node:path";
import { contains } from "../path_policy.ts";
import {
  type CommandSurroundings,
  type ParsedCommand,
  pathOf,
  type Program,
} from "./parsed_command.ts";
import { programName } from "./wrappers.ts";

/** A rule that was broken. */
export interface Denial {
  /** Short name of the rule, such as `recursive or forced delete`. */
  readonly rule: string;
  /** What of the command broke it. */
  readonly what: string;
  /** The owner's own patterns cannot allow it. */
  readonly isFinal: boolean;
}

/** What the rules need to know. */
export interface DenyContext {
  readonly surroundings: CommandSurroundings;
  /** Absolute paths where the gateway keeps its own state. */
  readonly protectedPaths: readonly string[];
}

/** Names under which the memory's own records are found in any folder. */
const STATE_FILES: ReadonlySet<string> = new Set(["history.jsonl", ".dream_cursor"]);

const RAW_DEVICE =
  /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|dm-|mapper\/|disk\/|loop|md|mem$|kmem$|port$)/;

/** The first rule that the command breaks. */
export function findDenial(command: ParsedCommand, context: DenyContext): Denial | undefined {
  const [multiplying] = command.multiplyingFunctions;
  if (multiplying !== undefined) {
    return { rule: "fork bomb", what: `the function "${multiplying}"`, isFinal: false };
  }
  for (const program of command.programs) {
    const rule = RULES.find(({ isBroken }) => isBroken(program));
    const what = `"${shown(program)}"`;
    if (rule !== undefined) return { rule: rule.name, what, isFinal: false };
    const state = changedState(program, context);
    if (state !== undefined) {
      return { rule: "the gateway's own state", what: `a change of "${state}"`, isFinal: true };
    }
  }
  return undefined;
}

/** A program as one line, for messages and patterns. */
export function shown({ argv }: Program): string {
  return argv.map(({ text }) => text).join(" ");
}

interface Rule {
  readonly name: string;
  readonly isBroken: (program: Program) => boolean;
}

const RULES: readonly Rule[] = [
  { name: "recursive or forced delete", isBroken: deletesRecursively },
  { name: "formatting a disk", isBroken: formats },
  { name: "raw disk access", isBroken: touchesRawDisk },
  { name: "power", isBroken: changesPower },
];

function deletesRecursively({ argv }: Program): boolean {
  const [name, words] = parted(argv);
  switch (name) {
    case "rm":
      return optionsOf(words).some((word) =>
        /^-[a-z]*[rf]/i.test(word) || /^--(r|fo|no-preserve-root)/.test(word)
      );
    case "find":
    case "fd":
      return words.includes("-delete");
    case "del":
    case "erase":
      return words.some((word) => /^\/[fqs]/i.test(word));
    case "rmdir":
    case "rd":
      return words.some((word) => /^\/s/i.test(word));
    default:
      return false;
  }
}

function formats({ argv }: Program): boolean {
  const [name, words] = parted(argv);
  if (/^(mkfs(\..+)?|mke2fs|diskpart|wipefs|blkdiscard)$/.test(name)) return true;
  if (name === "format") return true;
  return name === "diskutil" && /^erase/i.test(words[0] ?? "");
}

function touchesRawDisk({ argv, targets }: Program): boolean {
  if (targets.some(({ path, isWrite }) => isWrite && RAW_DEVICE.test(path.text))) return true;
  const [name, words] = parted(argv);
  if (name === "dd") return words.some((word) => RAW_DEVICE.test(word.replace(/^[io]f=/, "")));
  const writes = /^(tee|cp|mv|shred|fdisk|sfdisk|gdisk|parted|sgdisk|badblocks|hdparm|nvme)$/;
  return writes.test(name) && words.some((word) => RAW_DEVICE.test(word));
}

function changesPower({ argv }: Program): boolean {
  const [name, words] = parted(argv);
  if (/^(shutdown|reboot|poweroff|halt)$/.test(name)) {
    return !words.some((word) => word === "--help" || word === "--version");
  }
  if (name === "init" || name === "telinit") return /^[06]$/.test(words[0] ?? "");
  const [verb] = words.filter((word) => !word.startsWith("-"));
  return /^(systemctl|loginctl)$/.test(name) &&
    /^(halt|poweroff|reboot|kexec|suspend|hibernate|soft-reboot)/.test(verb ?? "");
}

/** Paths that the program would change. */
interface Changes {
  /** Written as they are named. */
  readonly written: readonly string[];
  /** Where a copy of some name would land, if the target is a folder. */
  readonly landing: readonly string[];
  /** Moved away or deleted, with all that they hold. */
  readonly removed: readonly string[];
}

function changesOf({ argv, targets }: Program): Changes {
  const redirected = targets.filter(({ isWrite }) => isWrite).map(({ path }) => path.text);
  const [name, words] = parted(argv);
  const operands = words.filter((word) => !word.startsWith("-"));
  const none = { written: redirected, landing: [], removed: [] };
  switch (name) {
    case "tee":
    case "truncate":
    case "touch":
    case "chmod":
    case "chown":
      return { ...none, written: [...redirected, ...operands] };
    case "rm":
    case "unlink":
    case "rmdir":
    case "shred":
      return { ...none, removed: operands };
    case "mv":
      return { ...copies(words, operands, redirected), removed: operands };
    case "cp":
    case "install":
    case "ln":
    case "rsync":
      return copies(words, operands, redirected);
    case "dd": {
      const files = words.filter((word) => word.startsWith("of=")).map((word) => word.slice(3));
      return { ...none, written: [...redirected, ...files] };
    }
    case "sed":
    case "perl":
    case "ruby": {
      const isInPlace = words.some((word) => /^(-[a-z]*i|--in-place)/.test(word));
      return isInPlace ? { ...none, written: [...redirected, ...operands] } : none;
    }
    case "sort":
    case "curl":
    case "wget": {
      const files = afterOption(words, /^(-[a-zA-Z]*[oO]|--output(-document)?)$/);
      return { ...none, written: [...redirected, ...files] };
    }
    default:
      return none;
  }
}

/** The last operand, or the folder of `-t`, and what may land in it. */
function copies(
  words: readonly string[],
  operands: readonly string[],
  redirected: readonly string[],
): Changes {
  const folders = afterOption(words, /^(-t|--target-directory)$/);
  const target = folders[0] ?? operands.at(-1);
  if (target === undefined) return { written: redirected, landing: [], removed: [] };
  const sources = operands.filter((operand) => operand !== target);
  return {
    written: [...redirected, target],
    landing: sources.map((source) => `${target}/${basename(source)}`),
    removed: [],
  };
}

function afterOption(words: readonly string[], option: RegExp): readonly string[] {
  return words.flatMap((word, at) => option.test(word) ? words.slice(at + 1, at + 2) : []);
}

/** The first path of the gateway's own state that the program would change. */
function changedState(
  program: Program,
  { surroundings, protectedPaths }: DenyContext,
): string | undefined {
  const { written, landing, removed } = changesOf(program);
  const absolute = (path: string) => pathOf(path, { ...surroundings, folder: program.folder });
  const isInside = (path: string) =>
    protectedPaths.some((state) => contains(state, absolute(path)));
  const isNamed = (path: string) => STATE_FILES.has(basename(path)) || isInside(path);
  const holds = (path: string) =>
    protectedPaths.some((state) => contains(absolute(path), state)) && path !== "";
  return written.find(isNamed) ?? landing.find(isInside) ??
    removed.find((path) => isNamed(path) || holds(path));
}

function parted(argv: Program["argv"]): readonly [string, readonly string[]] {
  const [first, ...rest] = argv;
  return [first === undefined ? "" : programName(first), rest.map(({ text }) => text)];
}

/** Words before `--`. */
function optionsOf(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).filter((word) => word.startsWith("-"));
}
