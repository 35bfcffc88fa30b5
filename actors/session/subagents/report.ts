/**
 * What a subagent reports, and how the model of its session is told.
 * @module
 */

import { markUntrusted } from "../../tools/untrusted.ts";
import { type FitOptions, fitOptions, fitResult } from "../tool_result.ts";
import type { SubagentTask } from "./subagent_row.ts";

/**
 * completed: it answered; incomplete: a limit ended it, and the text is what there was; failed: it
 * has no answer, and the text says why.
 */
export interface SubagentReport {
  readonly state: "completed" | "incomplete" | "failed";
  readonly text: string;
}

/** Of a task, in front of its result. */
const TASK_CHARS_MAX = 600;

/** A subagent whose process, or session, ended before it was done. */
export const INTERRUPTED: SubagentReport = {
  state: "failed",
  text: "It was interrupted: the assistant stopped or started again while it worked. Whatever it " +
    "did until then may be done in part; nothing of it runs any more.",
};

/** A subagent that broke. */
export function brokenReport(reason: string): SubagentReport {
  return { state: "failed", text: `It broke off with an error: ${reason}` };
}

/** How a report of one of a session's subagents is cut and kept: as a tool's long result is. */
export function reportFit(
  services: Parameters<typeof fitOptions>[0],
  sessionKey: string,
): FitOptions {
  return fitOptions(services, { toolName: "a subagent", sessionKey });
}

/**
 * The report as a message to the model. What the subagent says may stem from pages and files, and
 * so is marked; what is too long stands in a file.
 */
export async function reportText(
  { id, label, task }: SubagentTask,
  { state, text }: SubagentReport,
  options: FitOptions,
): Promise<string> {
  return [
    `[Result of a subagent: "${oneLine(label)}" (${id}), ${state}]`,
    `Its task was: ${clipped(oneLine(task))}`,
    "",
    await markedText(label, text, options),
    "",
    "Tell the person what matters of this, briefly and in plain words, without ids and technical " +
    "terms, or go on with what you needed it for.",
  ].join("\n");
}

/** The report as the result of the call that waited for it. */
export async function inlineText(
  { label }: SubagentTask,
  { state, text }: SubagentReport,
  options: FitOptions,
): Promise<string> {
  return `[Subagent "${oneLine(label)}": ${state}]\n${await markedText(label, text, options)}`;
}

/** The file keeps its marks, and so does what is shown of it. */
async function markedText(label: string, text: string, options: FitOptions): Promise<string> {
  const source = `subagent "${label}"`;
  const marked = markUntrusted(text, source);
  const fitted = await fitResult({ content: marked, isError: false }, options);
  return fitted === marked || typeof fitted !== "string" ? marked : markUntrusted(fitted, source);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function clipped(text: string): string {
  return text.length <= TASK_CHARS_MAX ? text : `${text.slice(0, TASK_CHARS_MAX).toWellFormed()}…`;
}
