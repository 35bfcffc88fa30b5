/**
 * The `exec` tool: runs a shell command.
 * @module
 */

import { z } from "zod";
import { defineTool } from "./define_tool.ts";
import type { ShellOutcome, Tool, ToolResult } from "./tool.ts";

const OUTPUT_BYTES_MAX = 10_000;
const TIMEOUT_S_MAX = 600;
/** What the tool's own limit leaves to end a command that ran into the command's. */
const MARGIN_MS = 10_000;

/** Makes the tool; `timeoutS` is the limit of a command that names none, in seconds. */
export function execTool(timeoutS: number): Tool {
  return defineTool({
    name: "exec",
    description:
      "Run a shell command in the workspace and get its output and exit code. The command has no " +
      `terminal and no input. It is ended after its time limit (${timeoutS} s unless given); ` +
      "long output keeps its beginning and end.",
    parameters: z.object({
      command: z.string().min(1).describe("The command line"),
      working_dir: z.string().optional().describe("Folder to run in; the workspace if left out"),
      timeout: z.int().min(1).max(TIMEOUT_S_MAX).optional().describe("Time limit in seconds"),
    }),
    needs: { run: "shell" },
    concurrency: "exclusive",
    timeoutMs: TIMEOUT_S_MAX * 1_000 + MARGIN_MS,
    run: async ({ command, working_dir: workingDir, timeout }, { processes, signal }) => {
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
