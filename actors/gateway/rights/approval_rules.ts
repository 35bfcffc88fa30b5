/**
 * Which tool calls an owner is asked about first, from section `tools.approval`.
 * @module
 */

import type { Config } from "../../config/schema.ts";
import { redactObject } from "../../config/redact.ts";
import { type Inbound, SYSTEM_CHANNEL } from "../../journal/journal.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ApprovalPort } from "../../session/approval.ts";
import type { CommandSurroundings } from "../../tools/shell/parsed_command.ts";
import { CommandPattern, patternOf, runsUnseenText } from "./command_pattern.ts";

/** A channel of this machine says with this key that a person sits there who can answer. */
const ATTENDED = "isAttended";

/** The tool that runs commands, and the one that types into those which run. */
const SHELL = "exec";
const SHELL_INPUT = "write_stdin";

/** What the rules are made from. */
export interface ApprovalRulesOptions {
  readonly config: Pick<Config, "owners" | "tools">;
  /** Platforms: whoever writes there can answer there. */
  readonly platforms: readonly string[];
  /** Longest first. */
  readonly secrets: readonly string[];
  /** What commands start from. */
  readonly surroundings: CommandSurroundings;
}

/** The rules; undefined where no call is asked about. */
export function approvalRules(options: ApprovalRulesOptions): ApprovalPort | undefined {
  const { config: { owners, tools: { approval } }, platforms, secrets, surroundings } = options;
  if (approval.tools.length + approval.commands.length === 0) return undefined;
  const tools = approval.tools.map(patternOf);
  const commands = approval.commands.map((written) => new CommandPattern(written));
  const isTool = (name: string) => tools.some((pattern) => pattern.test(name));
  const asksOfShell = commands.length > 0 || isTool(SHELL);
  return {
    timeoutMs: approval.timeout * 1_000,
    mayAsk: (tool) => isTool(tool) || (isShell(tool) && asksOfShell),
    mustAsk: async (tool, args) => {
      if (isTool(tool)) return true;
      // What is typed into a running command may be a part of anything.
      if (tool === SHELL_INPUT) return asksOfShell && args["input"] !== undefined;
      return tool === SHELL && commands.length > 0 && await isNamed(args, commands, surroundings);
    },
    canAsk: ({ channel, replyChannel, context }) =>
      channel !== SYSTEM_CHANNEL && replyChannel === channel &&
      (platforms.includes(channel) || context[ATTENDED] === true),
    mayDecide: (answer, home) => isOwner(answer, home, owners),
    shown: (args) => redactObject(args, secrets),
  };
}

/** Without owners whoever asked for the turn decides. */
function isOwner(answer: Inbound, home: Inbound, owners: readonly string[]): boolean {
  return owners.length === 0
    ? answer.senderId === home.senderId
    : owners.includes(`${answer.channel}:${answer.senderId}`);
}

function isShell(tool: string): boolean {
  return tool === SHELL || tool === SHELL_INPUT;
}

/** Also where it cannot be told what would run. */
async function isNamed(
  { command }: JsonObject,
  patterns: readonly CommandPattern[],
  surroundings: CommandSurroundings,
): Promise<boolean> {
  // With other separators words fall apart elsewhere.
  if (typeof command !== "string" || /\bIFS\b/.test(command)) return true;
  const { parseCommand } = await import("../../tools/shell/parsed_command.ts");
  const { programs, isComplete } = parseCommand(command, surroundings);
  return !isComplete ||
    programs.some((program) =>
      runsUnseenText(program) || patterns.some((pattern) => pattern.matches(program))
    );
}
