/**
 * A command line taken apart: every program it would start, with its words and redirections,
 * wherever it stands: in pipes, substitutions, functions, or behind `sudo`, `xargs` and `sh -c`.
 * @module
 */

import { isAbsolute, join, normalize } from "node:path";
import { type Command, forEachChild, parse, type Redirection, type SyntaxNode } from "unbash";
import { type Field, fieldsOf, textOf, type Variables } from "./words.ts";
import { unwrap } from "./wrappers.ts";

/** Text in text in text: `sh -c "sh -c …"` is followed this deep. */
const NESTING_MAX = 8;
/** A command line that starts more programs than this is not looked at further. */
const PROGRAMS_MAX = 2_000;

/** Longer values are not followed: each step can double them. */
const VALUE_CHARS_MAX = 4_096;

/** Where a program's output or input is redirected to. */
export interface Target {
  readonly path: Field;
  readonly isWrite: boolean;
}

/** A program that the command line would start. */
export interface Program {
  /** Name and arguments; never empty. */
  readonly argv: readonly Field[];
  readonly targets: readonly Target[];
  /** Absolute path of the folder it would run in, as far as that is known. */
  readonly folder: string;
}

/** What a command line would do. */
export interface ParsedCommand {
  readonly programs: readonly Program[];
  /** Functions that start themselves more than once, or in the background. */
  readonly multiplyingFunctions: readonly string[];
  /** False where it could not be read to its end: nested too deep, or too long. */
  readonly isComplete: boolean;
}

/** What is known before the command line starts. */
export interface CommandSurroundings {
  /** Absolute path. */
  readonly folder: string;
  /** Absolute path, for `~` and `$HOME`. */
  readonly home: string;
}

/** Takes a command line apart. Text that is no valid shell is read as far as it goes. */
export function parseCommand(text: string, surroundings: CommandSurroundings): ParsedCommand {
  const walk = new Walk(surroundings);
  try {
    walk.script(text, 0);
  } catch (error) {
    // The stack: nobody writes a command that is nested so deep.
    if (!(error instanceof RangeError)) throw error;
    return { ...walk.result(), isComplete: false };
  }
  return walk.result();
}

/** The path that a word means to a program in `folder`. */
export function pathOf(text: string, { folder, home }: CommandSurroundings): string {
  const expanded = text === "~" || text.startsWith("~/") ? join(home, text.slice(1)) : text;
  return normalize(isAbsolute(expanded) ? expanded : join(folder, expanded));
}

class Walk {
  readonly #home: string;
  readonly #variables: Map<string, string>;
  readonly #programs: Program[] = [];
  readonly #multiplying: string[] = [];
  #folder: string;
  #isComplete = true;

  constructor({ folder, home }: CommandSurroundings) {
    this.#folder = folder;
    this.#home = home;
    this.#variables = new Map([["HOME", home], ["PWD", folder], ["IFS", " \t\n"]]);
  }

  result(): ParsedCommand {
    return {
      programs: this.#programs,
      multiplyingFunctions: this.#multiplying,
      isComplete: this.#isComplete,
    };
  }

  script(text: string, depth: number): void {
    if (depth > NESTING_MAX) this.#isComplete = false;
    else this.#visit(parse(text), depth);
  }

  #visit(node: SyntaxNode, depth: number): void {
    if (this.#programs.length >= PROGRAMS_MAX) {
      this.#isComplete = false;
      return;
    }
    if (node.type === "Function") this.#lookAtFunction(node.name.value, node.body);
    if (node.type === "Redirected") this.#addTargets(node.redirects);
    if (node.type === "Pipeline") this.#followTextIntoShell(node.commands, depth);
    if (node.type === "Command") this.#command(node, depth);
    // A subshell's folder and variables end with it.
    const folder = this.#folder;
    forEachChild(node, (child) => this.#visit(child, depth));
    if (node.type === "Subshell" || node.type === "CommandExpansion") this.#folder = folder;
  }

  #command({ name, prefix, args, redirects }: Command, depth: number): void {
    for (const part of prefix) {
      if (part.type !== "Assignment" || part.value.type !== "Word") continue;
      this.#assign(part.name, textOf(part.value, this.#variables));
    }
    const argv = name === undefined
      ? []
      : [...fieldsOf(name, this.#variables), ...args.flatMap((arg) => this.#argument(arg))];
    const targets = targetsOf(redirects, this.#variables);
    const [first] = argv;
    if (first === undefined) {
      if (targets.length > 0) this.#add({ argv: [NOTHING], targets, folder: this.#folder });
      return;
    }
    this.#program(argv, targets, depth);
    if (SHELLS.test(first.text)) this.#input(redirects, depth);
  }

  #argument(arg: Command["args"][number]): readonly Field[] {
    if (arg.type === "Word") return fieldsOf(arg, this.#variables);
    // `export a=rm` sets a variable too.
    const value = arg.value.type === "Word" ? textOf(arg.value, this.#variables) : NOTHING;
    this.#assign(arg.name, value);
    return [{ ...value, text: `${arg.name}=${value.text}` }];
  }

  #assign(name: string, { text, isFixed }: Field): void {
    if (isFixed && text.length <= VALUE_CHARS_MAX) this.#variables.set(name, text);
    else this.#variables.delete(name);
  }

  #program(argv: readonly Field[], targets: readonly Target[], depth: number): void {
    const folder = this.#folder;
    this.#add({ argv, targets, folder });
    if (depth > NESTING_MAX) {
      this.#isComplete = false;
      return;
    }
    for (const inner of unwrap(argv)) {
      if (inner.type === "script") this.script(inner.text, depth + 1);
      else this.#program(inner.argv, [], depth + 1);
    }
    const [name, to] = argv;
    if (name?.text === "cd" || name?.text === "pushd") this.#changeFolder(to);
  }

  #changeFolder(to: Field | undefined): void {
    if (to !== undefined && (!to.isFixed || to.text === "-")) return;
    this.#folder = pathOf(to?.text ?? "~", { folder: this.#folder, home: this.#home });
    this.#variables.set("PWD", this.#folder);
  }

  /** `sh <<EOF` and `sh <<< "…"` run what they are given. */
  #input(redirects: readonly Redirection[], depth: number): void {
    for (const redirect of redirects) {
      if (redirect.type === "HereDoc") this.script(redirect.body.text, depth + 1);
      if (redirect.type === "HereString" && redirect.target !== undefined) {
        this.script(textOf(redirect.target, this.#variables).text, depth + 1);
      }
    }
  }

  /** `echo … | sh` runs what is echoed. */
  #followTextIntoShell(commands: readonly SyntaxNode[], depth: number): void {
    for (const [index, command] of commands.entries()) {
      const next = commands[index + 1];
      if (command.type !== "Command" || next?.type !== "Command") continue;
      if (
        !SHELLS.test(next.name?.value ?? "") || !/^(echo|printf)$/.test(command.name?.value ?? "")
      ) {
        continue;
      }
      const words = command.args.flatMap((arg) => this.#argument(arg));
      this.script(words.map(({ text }) => text).join(" "), depth + 1);
    }
  }

  #lookAtFunction(name: string, body: SyntaxNode): void {
    let calls = 0;
    let isInBackground = false;
    const look = (node: SyntaxNode, inBackground: boolean) => {
      const isBackground = inBackground || (node.type === "Statement" && node.background === true);
      if (node.type === "Command" && node.name?.value === name) {
        calls++;
        isInBackground ||= isBackground;
      }
      forEachChild(node, (child) => look(child, isBackground));
    };
    look(body, false);
    if (calls > 1 && isInBackground || calls > 0 && isInBackground) this.#multiplying.push(name);
  }

  #addTargets(redirects: readonly Redirection[]): void {
    const targets = targetsOf(redirects, this.#variables);
    if (targets.length > 0) this.#add({ argv: [NOTHING], targets, folder: this.#folder });
  }

  #add(program: Program): void {
    this.#programs.push(program);
  }
}

/** Stands for the program of a redirection that has none. */
const NOTHING: Field = { text: ":", isFixed: true, isBare: true };

const SHELLS = /^(\/\S*\/)?(ba|da|z|k|a)?sh$/;

function targetsOf(redirects: readonly Redirection[], variables: Variables): readonly Target[] {
  return redirects.flatMap((redirect): readonly Target[] => {
    if (redirect.type !== "Redirect" || redirect.target === undefined) return [];
    const path = textOf(redirect.target, variables);
    // `2>&1` and `>&-` name descriptors.
    if (/&$/.test(redirect.operator) && /^(\d+|-)$/.test(path.text)) return [];
    return [{ path, isWrite: redirect.operator !== "<" && redirect.operator !== "<&" }];
  });
}
