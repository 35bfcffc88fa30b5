/**
 * The `goal` tool: the model says how it stands with the goal of its session.
 * @module
 */

import { z } from "zod";
import { defineTool, textResult } from "./define_tool.ts";
import { type Tool, ToolError } from "./tool.ts";

const NOTE_CHARS_MAX = 500;

const parameters = z.object({
  status: z.enum(["reached", "blocked"]).describe(
    "reached: you made sure that all of it is done; blocked: only a person can help",
  ),
  note: z.string().max(NOTE_CHARS_MAX).optional().describe(
    "In a few words: what was reached, or what you need",
  ),
});

/** The tool. */
export const goalTool: Tool = defineTool({
  name: "goal",
  description:
    "End the work on the goal that a person set with /goal: it is reached, or blocked. Only for " +
    "such goals; without this call the work goes on by itself.",
  parameters,
  needs: {},
  concurrency: "exclusive",
  timeoutMs: 30_000,
  run: async ({ status, note = "" }, { goal }) => {
    if (goal === undefined) throw new ToolError("not_available", "There are no goals here");
    await goal.judge({ status, note: note.trim() });
    return textResult(`The goal is ${status}. Say so in a few words; no further turn follows`);
  },
});
