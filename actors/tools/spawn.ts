/**
 * The `spawn` tool: starts a subagent.
 * @module
 */

import { z } from "zod";
import { defineTool, textResult } from "./define_tool.ts";
import { type Tool, type ToolContext, ToolError } from "./tool.ts";

const TASK_CHARS_MAX = 20_000;
/** A label that the model leaves out is the beginning of the task. */
const LABEL_CHARS = 30;
const LABEL_CHARS_MAX = 80;
/** Starting takes one commit. */
const START_MS = 30_000;

const parameters = z.object({
  task: z.string().min(1).max(TASK_CHARS_MAX).describe(
    "All that the subagent needs to know: it does not see this conversation",
  ),
  label: z.string().max(LABEL_CHARS_MAX).optional().describe("A few words for the person"),
  wait: z.boolean().optional().describe(
    "true: wait for the result here, if you cannot go on without it. Leave it out to go on; the " +
      "result then comes as a message of its own",
  ),
});

/**
 * The tool.
 *
 * @param waitMs how long a call may wait for a result
 */
export function spawnTool(waitMs: number): Tool {
  return defineTool({
    name: "spawn",
    description:
      "Start a subagent: a helper that works on one task in the background with tools of its own, " +
      "and reports when it is done. Use it for work that takes long, or for several independent " +
      "pieces at once. It cannot talk to the person, start others or change schedules.",
    parameters,
    needs: {},
    concurrency: "exclusive",
    timeoutMs: START_MS + waitMs,
    run: async ({ task, label = "", wait = false }, context) => {
      const order = { task, label: labelOf(label, task) };
      const subagents = startersOf(context);
      if (wait) return textResult(await subagents.run(order, context.signal));
      const id = await subagents.start(order, context.signal);
      return textResult(
        `Started the subagent "${order.label}" (${id}). Its result will come as a message; do not ` +
          "wait for it, and do not do its work yourself.",
      );
    },
  });
}

function startersOf({ subagents }: ToolContext): NonNullable<ToolContext["subagents"]> {
  if (subagents !== undefined) return subagents;
  throw new ToolError("not_available", "Cannot start subagents here");
}

function labelOf(label: string, task: string): string {
  const given = oneLine(label);
  if (given !== "") return given;
  const line = oneLine(task);
  return line.length <= LABEL_CHARS ? line : `${line.slice(0, LABEL_CHARS).toWellFormed()}…`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, " ").trim();
}
