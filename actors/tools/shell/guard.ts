/**
 * Looks at a command before it runs, and says in words the model can use what is not allowed.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import type { LineTest } from "../line_pattern.ts";
import { ToolError } from "../tool.ts";
import { type Denial, findDenial, shown } from "./deny_rules.ts";
import { type CommandSurroundings, parseCommand, type ParsedCommand } from "./parsed_command.ts";
import { findOutsidePath } from "./path_guard.ts";
import { hostsIn } from "./url_guard.ts";

/** Longer ones are refused: nobody writes them, and each character costs. */
const COMMAND_CHARS_MAX = 100_000;

/** Substitutions in a command; each may hold others, and reading them takes its time. */
const SUBSTITUTIONS_MAX = 400;
const SUBSTITUTION = /\$\(|\$\{|`|[<>]\(/g;

/** What a guard goes by. */
export interface GuardOptions {
  /** Absolute path. */
  readonly workspace: string;
  /** Absolute path that `~` means. */
  readonly home: string;
  /** Whether paths outside `folders` are refused. */
  readonly isRestricted: boolean;
  /** Absolute paths that commands may point into besides the workspace. */
  readonly folders: readonly string[];
  /** Absolute paths where the gateway keeps its own state. */
  readonly protectedPaths: readonly string[];
  /** Expressions for single programs with their words; a match refuses the command. */
  readonly denyPatterns: readonly string[];
  /** Lifts the rules (never the one on the gateway's state) where each program matches one. */
  readonly allowPatterns: readonly string[];
  /** @throws when the host may not be reached; its message is shown */
  readonly checkHost: (host: string) => void | Promise<void>;
}

/** Judges commands by what they would start. */
export class CommandGuard {
  readonly #options: GuardOptions;
  #patterns: Promise<Patterns> | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /**
   * Lets a command pass that would run in `folder`.
   *
   * @throws {ToolError} `command_refused`, which names the guard
   */
  async check(text: string, folder: string): Promise<void> {
    if (text.length > COMMAND_CHARS_MAX) {
      throw refused("length", `commands have at most ${COMMAND_CHARS_MAX} characters`);
    }
    if (text.includes("\0")) throw refused("text", "the command holds a NUL character");
    if ((text.match(SUBSTITUTION)?.length ?? 0) > SUBSTITUTIONS_MAX) {
      throw refused("nesting", `commands have at most ${SUBSTITUTIONS_MAX} substitutions`);
    }
    const { home, protectedPaths, isRestricted, workspace, folders } = this.#options;
    const surroundings: CommandSurroundings = { folder, home };
    const command = parseCommand(text, surroundings);
    if (!command.isComplete) {
      throw refused("nesting", "the command is too long or nested too deep to be read");
    }
    const patterns = await (this.#patterns ??= compiled(this.#options));
    checkRules(command, findDenial(command, { surroundings, protectedPaths }), patterns);
    await this.#checkHosts(command);
    if (!isRestricted) return;
    const outside = findOutsidePath(command, { surroundings, folders: [workspace, ...folders] });
    if (outside !== undefined) {
      throw refused("workspace", `"${clipped(outside)}" is outside the workspace "${workspace}"`);
    }
  }

  async #checkHosts(command: ParsedCommand): Promise<void> {
    for (const host of hostsIn(command)) {
      try {
        await this.#options.checkHost(host);
      } catch (error) {
        throw refused("network", asError(error).message);
      }
    }
  }
}

function checkRules(
  command: ParsedCommand,
  denial: Denial | undefined,
  { deny, allow }: Patterns,
): void {
  const { programs } = command;
  const denied = programs.find((program) => matchesAny(deny, shown(program)));
  if (denied !== undefined) {
    throw refused("tools.exec.denyPatterns", `"${clipped(shown(denied))}" matches one`);
  }
  if (denial === undefined) return;
  const isAllowed = !denial.isFinal && allow.length > 0 && programs.length > 0 &&
    programs.every((program) => matchesAny(allow, shown(program)));
  if (!isAllowed) throw refused(denial.rule, clipped(denial.what));
}

/** The owner's patterns, matched in time linear in a command's length. */
interface Patterns {
  readonly deny: readonly LineTest[];
  readonly allow: readonly LineTest[];
}

/** Their engine is loaded where there are any. @throws {ToolError} for what it does not know */
async function compiled({ denyPatterns, allowPatterns }: GuardOptions): Promise<Patterns> {
  if (denyPatterns.length + allowPatterns.length === 0) return { deny: [], allow: [] };
  const { lineTest } = await import("../line_pattern.ts");
  const compile = (pattern: string): LineTest => {
    try {
      return lineTest(pattern, { isLiteral: false, ignoresCase: true });
    } catch (error) {
      throw refused("tools.exec patterns", asError(error).message);
    }
  };
  return { deny: denyPatterns.map(compile), allow: allowPatterns.map(compile) };
}

function matchesAny(patterns: readonly LineTest[], text: string): boolean {
  return patterns.some((matches) => matches(text));
}

function refused(guard: string, what: string): ToolError {
  const text = `Error: this command is not allowed (${guard}): ${what}. This is a policy of the ` +
    "owner; do not try it in another way, ask or go on without it";
  return new ToolError("command_refused", text);
}

function clipped(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
