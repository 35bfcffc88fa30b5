/**
 * The `exec` tool: runs a shell command, to its end or until it has shown enough.
 * @module
 */

import { z } from "zod";
import type { ActorRef } from "../kernel/ref.ts";
import { defineTool } from "./define_tool.ts";
import { describeView } from "./exec_sessions.ts";
import type { ShellSessionsMessage, ShellSessionView } from "./shell/shell_session_protocol.ts";
import type { ShellOutcome, Tool, ToolResult } from "./tool.ts";

const OUTPUT_BYTES_MAX = 10_000;
const TIMEOUT_S_MAX = 600;
/** A session that names no limit of its own is ended after this long, or when it lies idle. */
const SESSION_TIMEOUT_MS = 24 * 3_600_000;
const YIELD_MS_MAX = 60_000;
/** What the tool's own limit leaves to end a command that ran into the command's. */
const MARGIN_MS = 10_000;

/**
 * Makes the tool.
 *
 * @param timeoutS the limit of a command that names none, in seconds
 * @param sessions who keeps commands that run on; without it each command runs to its end
 */
export function execTool(timeoutS: number, sessions?: ActorRef<ShellSessionsMessage>): Tool {
  return defineTool({
    name: "exec",
    description:
      "Run a shell command in the workspace and get its output and exit code. The command has no " +
      `terminal and no input. It is ended after its time limit (${timeoutS} s unless given); ` +
      "long output keeps its beginning and end. For servers and other long work give " +
      "yield_time_ms: a command that runs longer goes on as a session, which write_stdin reads, " +
      "feeds and ends.",
    parameters: z.object({
      command: z.string().min(1).describe("The command line"),
      working_dir: z.string().optional().describe("Folder to run in; the workspace if left out"),
      timeout: z.int().min(1).max(TIMEOUT_S_MAX).optional().describe("Time limit in seconds"),
      yield_time_ms: z.int().min(1).max(YIELD_MS_MAX).optional()
        .describe("Wait this long, then let the command run on as a session"),
    }),
    needs: { run: "shell" },
    concurrency: "exclusive",
    timeoutMs: TIMEOUT_S_MAX * 1_000 + MARGIN_MS,
    run: async (
      { command, working_dir: workingDir, timeout, yield_time_ms: yieldMs },
      { processes, origin, signal },
    ) => {
      if (sessions !== undefined && yieldMs !== undefined) {
        const timeoutMs = timeout === undefined ? SESSION_TIMEOUT_MS : timeout * 1_000;
        const view = await sessions.ask<ShellSessionView>((replyTo) => ({
          type: "open_session",
          sessionKey: origin.sessionKey,
          command: { command, workingDir, timeoutMs },
          ...{ yieldMs, signal, replyTo },
        }), { timeoutMs: yieldMs + MARGIN_MS, signal });
        return describeView(view);
      }
      const limitS = Math.min(timeout ?? timeoutS, TIMEOUT_S_MAX);
      const outcome = await processes.run({
        command,
        workingDir,
        timeoutMs: limitS * 1_000,
        outputBytesMax: OUTPUT_BYTES_MAX,
      }, signal);
      return describe(outcome, limitS);
    },
  });
}

function describe({ state, exitCode, stdout, stderr }: ShellOutcome, limitS: number): ToolResult {
  const parts = [stdout.trimEnd()];
  if (stderr.trim() !== "") parts.push(`STDERR:\n${stderr.trimEnd()}`);
  if (state === "timed_out") {
    const end = `Error: the command was ended after its limit of ${limitS} s`;
    return { content: [end, ...parts].filter((part) => part !== "").join("\n"), isError: true };
  }
  parts.push(exitCode === null ? "Ended by a signal" : `Exit code: ${exitCode}`);
  return { content: parts.filter((part) => part !== "").join("\n"), isError: false };
}
