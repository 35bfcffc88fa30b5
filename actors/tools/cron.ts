/**
 * The `cron` tool: reminders and jobs at set times. What it is asked for is done by the actor that
 * owns the jobs.
 * @module
 */

import { z } from "zod";
import { SYSTEM_CHANNEL } from "../journal/journal.ts";
import { defineTool, textResult } from "./define_tool.ts";
import { type Tool, ToolError, type ToolOrigin } from "./tool.ts";

/** Name of the tool. */
export const CRON_TOOL = "cron";

/** What the tool is asked; which fields are needed depends on the action. */
export interface CronToolRequest {
  readonly action: "add" | "list" | "update" | "remove" | "pause" | "resume" | "run";
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  readonly every_seconds?: number | undefined;
  readonly cron_expr?: string | undefined;
  readonly tz?: string | undefined;
  readonly at?: string | undefined;
  readonly deliver?: boolean | undefined;
  readonly missed?: "skip" | "once" | "all" | undefined;
  readonly job_id?: string | undefined;
}

/** What came of it, for the model. */
export type CronToolAnswer =
  | { readonly state: "done"; readonly text: string }
  | { readonly state: "problem"; readonly problem: string };

/** Does what is asked, with the jobs that the origin may see. */
export type CronDesk = (
  request: CronToolRequest,
  scene: { readonly origin: ToolOrigin; readonly signal: AbortSignal },
) => Promise<CronToolAnswer>;

const parameters: z.ZodType<CronToolRequest> = z.object({
  action: z.enum(["add", "list", "update", "remove", "pause", "resume", "run"])
    .describe("What to do; run begins a run at once, beside the schedule"),
  name: z.string().optional().describe("Short name, for add and update"),
  message: z.string().optional().describe(
    "REQUIRED for add: what is to be done when the time comes, as an instruction to yourself that " +
      "can be understood without this conversation",
  ),
  every_seconds: z.number().optional().describe("Interval in seconds, 10 or more"),
  cron_expr: z.string().optional().describe(
    'Cron expression of five fields, such as "0 9 * * MON-FRI", for times of day',
  ),
  tz: z.string().optional().describe(
    "IANA time zone of cron_expr or of at, such as Asia/Shanghai; without it the default zone",
  ),
  at: z.string().optional().describe(
    "A single time: ISO such as 2026-05-01T08:00:00, or from now such as +20m or +2h",
  ),
  deliver: z.boolean().optional().describe("Whether the answer goes to this chat (default true)"),
  missed: z.enum(["skip", "once", "all"]).optional().describe(
    "What happens to times that went by while nothing ran: none is made up for, the last one " +
      "(default), or each",
  ),
  job_id: z.string().optional().describe(
    "REQUIRED for update, remove, pause, resume and run: the id, as list shows it",
  ),
});

/** Makes the tool. */
export function cronTool(desk: CronDesk): Tool {
  return defineTool({
    name: CRON_TOOL,
    description:
      "Schedule reminders and jobs: add (with one of every_seconds, cron_expr and at), list, " +
      "update, remove, pause, resume, run. When a job is due you get its message in this " +
      "conversation, and your answer goes to this chat. This is the only way to be there at a " +
      "later time.",
    parameters,
    needs: {},
    concurrency: "exclusive",
    timeoutMs: 30_000,
    run: async (request, { origin, signal }) => {
      const problem = problemOf(request, origin);
      if (problem !== null) throw new ToolError("arguments_invalid", problem);
      const answer = await desk(request, { origin, signal });
      if (answer.state === "done") return textResult(answer.text);
      throw new ToolError("tool_failed", answer.problem);
    },
  });
}

function problemOf({ action, message, job_id: id }: CronToolRequest, origin: ToolOrigin) {
  if (action === "list") return null;
  if (action !== "add") {
    return id === undefined || id.trim() === ""
      ? `Cannot ${action} a job without job_id: list shows the ids`
      : null;
  }
  if (origin.source === "cron") {
    return "Cannot add a job from within a job that runs: ask the person first, or change the " +
      "job itself with update";
  }
  if (origin.channel === SYSTEM_CHANNEL) {
    return "Cannot add a job: there is no chat that it could answer in";
  }
  if (message !== undefined && message.trim() !== "") return null;
  return "Cannot add a job without message: say in message what is to be done, or what the " +
    "person is to be reminded of, and try again";
}
