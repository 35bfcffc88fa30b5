/**
 * Patterns for commands that an owner is asked about, such as `git push*`. A question too many costs
 * a word; one too few may cost more: where it cannot be told what would run, it counts as a match.
 * @module
 */

import type { Program } from "../../tools/shell/parsed_command.ts";

/** Programs that do not start what they are told of: `echo rm` removes nothing. */
const TELLING: ReadonlySet<string> = new Set(
  ["echo", "printf", "cat", "grep", "egrep", "fgrep", "rg", "ls", "head", "tail", "wc", "cd"]
    .concat(["mkdir", "touch", "stat", "file", "which", "type", "man", "basename", "dirname"])
    .concat(["true", "false", "export", "unset"]),
);
/** Programs that run text: what is not given to them in so many words may be anything. */
const RUNNING_TEXT: ReadonlySet<string> = new Set(
  ["sh", "bash", "dash", "zsh", "ksh", "ash", "eval", "source", "."],
);
/** Programs that run a file, or their input, in a language of their own. */
const INTERPRETERS =
  /^(?:python|pypy|node|nodejs|perl|ruby|php|lua|luajit|tclsh|Rscript|osascript|pwsh)[\d.]*$/;
/** With these they run no file: a text, which is looked at as any word, a module, or nothing. */
const NO_FILE = /^(?:-[a-zA-Z]*[ceEmprR]|--eval|--print|--test|--version|--help|-[vVh])(?:=|$)/;
/** Where programs of the system are: what is started from elsewhere may be a script of anybody's. */
const SYSTEM_PATH = /^\/(?:usr\/(?:local\/)?)?s?bin\//;
/** Programs that run what they read from their input, later. */
const RUNNING_INPUT: ReadonlySet<string> = new Set(["at", "batch"]);
/** The name of a program that is found by the files there are; `[` is one, too. */
const PATTERN_IN_NAME = /^(?!\[{1,2}$).*[*?[{]/s;

/** `git push*`: a program, whatever folder it is in, and how its words begin. */
export class CommandPattern {
  readonly #name: RegExp;
  readonly #words: readonly RegExp[];
  readonly #mentions: readonly RegExp[];

  constructor(written: string) {
    const parts = written.trim().split(/\s+/);
    const [name = "", ...words] = parts;
    this.#name = patternOf(name);
    this.#words = words.map(patternOf);
    this.#mentions = parts.map((part) =>
      new RegExp(`(?<![\\w.-])${sourceOf(part, "[^\\s]*")}(?![\\w.-])`, "giu")
    );
  }

  /**
   * Whether a program is meant, or starts one that may be: by its words, or by what stands in them.
   * A word that only the run will tell may be any word; options may stand between the words.
   */
  matches(program: Program): boolean {
    const [name] = program.argv;
    if (name === undefined) return false;
    return this.#isMeant(program) || this.#isMentioned(program);
  }

  #isMeant({ argv: [name, ...args] }: Program): boolean {
    if (name === undefined) return false;
    const isKnown = name.isFixed && !PATTERN_IN_NAME.test(name.text);
    if (isKnown && !this.#name.test(baseName(name.text))) return false;
    let next = 0;
    for (const { text, isFixed } of args) {
      const wanted = this.#words[next];
      if (wanted === undefined || !isFixed) return true;
      // `-c alias.x=push` as well.
      if (wanted.test(text) || wanted.test(text.replace(/^.*=/s, ""))) next++;
    }
    return next >= this.#words.length;
  }

  /** `docker run alpine rm`, `awk 'BEGIN { system("rm x") }'`, and whatever else runs its words. */
  #isMentioned({ argv: [name, ...args] }: Program): boolean {
    if (name === undefined) return false;
    // `printf -v 'a[$(rm x)]'` reads its argument as shell text.
    const tells = TELLING.has(baseName(name.text)) && args[0]?.text !== "-v";
    if (tells) return false;
    const text = args.map((arg) => arg.text).join(" ");
    let at = 0;
    return this.#mentions.every((mention) => {
      mention.lastIndex = at;
      const found = mention.exec(text);
      at = mention.lastIndex;
      return found !== null;
    });
  }
}

/** Whether a program runs text that nobody can see beforehand: a script, or its input. */
export function runsUnseenText({ argv: [name, ...args] }: Program): boolean {
  if (name === undefined) return false;
  const program = baseName(name.text);
  if (RUNNING_INPUT.has(program)) return true;
  if (name.text.includes("/") && !SYSTEM_PATH.test(name.text)) return true;
  if (INTERPRETERS.test(program)) return !args.some(({ text }) => NO_FILE.test(text));
  if (!RUNNING_TEXT.has(program)) return false;
  if (program === "eval") return args.some(({ isFixed }) => !isFixed);
  return args.some(({ isFixed }) => !isFixed) || !args.some(({ text }) => /^-[a-z]*c/.test(text));
}

/** A pattern whose `*` stands for any letters. Some file systems ignore case. */
export function patternOf(written: string): RegExp {
  return new RegExp(`^${sourceOf(written, ".*")}$`, "sui");
}

function sourceOf(written: string, any: string): string {
  return written.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&")).join(any);
}

function baseName(path: string): string {
  return path.replace(/^.*\//s, "");
}
