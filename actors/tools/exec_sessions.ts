/**
 * The tools for commands that run on: `write_stdin` and `list_exec_sessions`.
 * @module
 */

import { z } from "zod";
import type { ActorRef } from "../kernel/ref.ts";
import { defineTool, textResult } from "./define_tool.ts";
import type {
  ShellSessionEntry,
  ShellSessionsMessage,
  ShellSessionView,
} from "./shell/shell_session_protocol.ts";
import type { Tool, ToolResult } from "./tool.ts";

const YIELD_MS_DEFAULT = 1_000;
const YIELD_MS_MAX = 60_000;
const MARGIN_MS = 10_000;
const INPUT_CHARS_MAX = 100_000;
const OUTPUT_CHARS_MAX = 10_000;
const COMMAND_CHARS_SHOWN = 120;

/** Makes `write_stdin`. */
export function writeStdinTool(sessions: ActorRef<ShellSessionsMessage>): Tool {
  return defineTool({
    name: "write_stdin",
    description:
      "Look at a session that exec has started: get what it wrote since the last look, and " +
      "whether it still runs. Give input to write to it (end a line with \\n), or terminate to " +
      "end it. Waits up to yield_time_ms, until wait_for appears, or until it has ended.",
    parameters: z.object({
      session_id: z.string().min(1).describe("As exec gave it"),
      input: z.string().max(INPUT_CHARS_MAX).optional().describe("Text for its standard input"),
      close_stdin: z.boolean().optional().describe("End its input after that"),
      wait_for: z.string().min(1).optional().describe("Return as soon as this text appears"),
      terminate: z.boolean().optional().describe("End the command"),
      yield_time_ms: z.int().min(1).max(YIELD_MS_MAX).optional()
        .describe(`Longest wait; ${YIELD_MS_DEFAULT} if left out`),
    }),
    needs: { run: "shell" },
    concurrency: "exclusive",
    timeoutMs: YIELD_MS_MAX + 2 * MARGIN_MS,
    run: async (parameters, { origin, signal }) => {
      const { input = "", close_stdin: closesInput = false, terminate = false } = parameters;
      const { session_id: id, wait_for: waitFor } = parameters;
      const { yield_time_ms: yieldMs = YIELD_MS_DEFAULT } = parameters;
      const view = await sessions.ask<ShellSessionView>((replyTo) => ({
        type: "use_session",
        sessionKey: origin.sessionKey,
        ...{ id, input, closesInput, terminates: terminate, waitFor, yieldMs, replyTo },
      }), { timeoutMs: yieldMs + MARGIN_MS, signal });
      return describeView(view);
    },
  });
}

/** Makes `list_exec_sessions`. */
export function listExecSessionsTool(sessions: ActorRef<ShellSessionsMessage>): Tool {
  return defineTool({
    name: "list_exec_sessions",
    description: "List the sessions of this conversation that exec has started and that still run.",
    parameters: z.object({}),
    needs: { run: "shell" },
    concurrency: "shared",
    timeoutMs: MARGIN_MS,
    run: async (_parameters, { origin: { sessionKey }, signal }) => {
      const entries = await sessions.ask<readonly ShellSessionEntry[]>(
        (replyTo) => ({ type: "list_sessions", sessionKey, replyTo }),
        { timeoutMs: MARGIN_MS, signal },
      );
      if (entries.length === 0) return textResult("No sessions");
      return textResult(entries.map(lineOf).join("\n"));
    },
  });
}

/** What the model reads of a session: output, then how it stands. */
export function describeView({ id, end, output, ageMs }: ShellSessionView): ToolResult {
  const { text, lostChars } = output;
  const shown = text.length <= OUTPUT_CHARS_MAX ? text : clip(text);
  const parts = [
    ...(lostChars > 0 ? [`… ${lostChars} earlier characters were not kept …`] : []),
    shown.trimEnd(),
    end === undefined
      ? `Still running after ${Math.round(ageMs / 1000)} s. Session: ${id} (see write_stdin)`
      : end.exitCode === null
      ? `Ended by a signal${end.note === undefined ? "" : ` (${end.note})`}`
      : `Exit code: ${end.exitCode}`,
  ];
  return { content: parts.filter((part) => part !== "").join("\n"), isError: false };
}

function clip(text: string): string {
  const half = OUTPUT_CHARS_MAX / 2;
  const between = text.length - OUTPUT_CHARS_MAX;
  return `${text.slice(0, half)}\n… ${between} characters left out …\n${text.slice(-half)}`;
}

function lineOf({ id, command, hasEnded, ageMs }: ShellSessionEntry): string {
  const line = command.replaceAll(/\s+/g, " ").slice(0, COMMAND_CHARS_SHOWN);
  const state = hasEnded ? "has ended, its last output waits" : "runs";
  return `${id}: ${state}, ${Math.round(ageMs / 1000)} s, ${line}`;
}
