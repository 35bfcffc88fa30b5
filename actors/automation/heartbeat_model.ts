/**
 * The heartbeat's two questions to a model: whether anything is to be done now, and whether what
 * came of it is worth telling.
 * @module
 */

import { z } from "zod";
import type { ChatMessage, RequestedCall, ToolDefinition } from "../../providers/provider.ts";
import { localMinute } from "../kernel/local_time.ts";
import { type Answered, type AskedModel, askOnce } from "../memory/ask_once.ts";

/** A longer answer is judged by its beginning. */
const JUDGED_CHARS_MAX = 8_000;
const JUDGEMENT_TOKENS_MAX = 256;

/** Names the questions for providers that route by conversation. */
const CONVERSATION = "heartbeat";

const DECIDE: ToolDefinition = {
  name: "heartbeat",
  description: "Say whether any of the tasks has to be done now",
  parameters: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["skip", "run"] },
      tasks: { type: "string", description: "With run: what is to be done now, in full" },
      numbers: { type: "array", items: { type: "integer" }, description: "Their numbers" },
    },
    required: ["action"],
  },
};

const JUDGE: ToolDefinition = {
  name: "evaluate_notification",
  description: "Say whether the person should hear of this result",
  parameters: {
    type: "object",
    properties: {
      should_notify: { type: "boolean" },
      reason: { type: "string" },
    },
    required: ["should_notify"],
  },
};

const decision = z.object({
  action: z.enum(["skip", "run"]),
  tasks: z.string().default(""),
  numbers: z.array(z.number()).catch([]),
});

const judgement = z.object({
  should_notify: z.union([
    z.boolean(),
    // Models write it as a word, too.
    z.enum(["true", "false"]).transform((word) => word === "true"),
  ]),
});

/** A task, and when it was last done. */
export interface DatedTask {
  readonly task: string;
  /** Null: never, as far as is known. */
  readonly lastMs: number | null;
}

/** What is to be done now. */
export type HeartbeatDecision =
  | { readonly action: "skip"; readonly reason: string }
  /** `numbers` of tasks, from 0; all where the model named none. */
  | { readonly action: "run"; readonly tasks: string; readonly numbers: readonly number[] };

/** Asks which tasks are due. @throws the signal's reason */
export async function decide(
  model: AskedModel,
  tasks: readonly DatedTask[],
  { nowMs, timezone, signal }: {
    readonly nowMs: number;
    readonly timezone: string;
    readonly signal: AbortSignal;
  },
): Promise<HeartbeatDecision> {
  const lines = tasks.map(({ task, lastMs }, index) => {
    const last = lastMs === null ? "never" : localMinute(lastMs, timezone);
    return `${index + 1}. ${task} (last done: ${last})`;
  });
  const messages: ChatMessage[] = [
    {
      role: "system",
      content: "You look regularly at a list of standing tasks and decide whether any of them " +
        "has to be done now. Call the tool heartbeat: skip when none has, run with the tasks " +
        "that have. A task that names no rhythm is done at each look.",
    },
    {
      role: "user",
      content: `It is ${localMinute(nowMs, timezone)} (${timezone}).\n\n${lines.join("\n")}`,
    },
  ];
  const request = { messages, tools: [DECIDE], conversationId: CONVERSATION };
  const answered = await askOnce(model, request, signal);
  const call = callOf(answered, DECIDE.name);
  if (typeof call === "string") return { action: "skip", reason: call };
  const parsed = decision.safeParse(argumentsOf(call));
  if (!parsed.success) return { action: "skip", reason: "the decision could not be read" };
  const { action, tasks: said, numbers } = parsed.data;
  if (action === "skip") return { action, reason: "nothing is to be done now" };
  const named = numbers.map((number) => number - 1).filter((index) => tasks[index] !== undefined);
  const all = tasks.map((_, index) => index);
  const chosen = named.length === 0 ? all : named;
  const text = said.trim() || chosen.map((index) => tasks[index]?.task ?? "").join("\n");
  return { action, tasks: text, numbers: chosen };
}

/** Whether somebody should hear of an answer; in doubt they should. @throws the signal's reason */
export async function isWorthTelling(
  model: AskedModel,
  { task, answer }: { readonly task: string; readonly answer: string },
  signal: AbortSignal,
): Promise<boolean> {
  const messages: ChatMessage[] = [
    {
      role: "system",
      content: "A background task has run. Decide whether the person should be disturbed with " +
        "its result, by the tool evaluate_notification. Yes for what they can act on, for " +
        "errors, for finished work, and for what they asked to be told. No for routine: all is " +
        "well, nothing new, empty.",
    },
    {
      role: "user",
      content: `Task:\n${task.slice(0, JUDGED_CHARS_MAX)}\n\nResult:\n${
        answer.slice(0, JUDGED_CHARS_MAX)
      }`,
    },
  ];
  const judge = { ...model, temperature: 0, tokensMax: JUDGEMENT_TOKENS_MAX };
  const request = { messages, tools: [JUDGE], conversationId: CONVERSATION };
  const call = callOf(await askOnce(judge, request, signal), JUDGE.name);
  if (typeof call === "string") return true;
  return judgement.safeParse(argumentsOf(call)).data?.should_notify ?? true;
}

/** The call that was asked for, or why there is none. */
function callOf(answered: Answered, name: string): RequestedCall | string {
  if (answered.state === "failed") return answered.reason;
  const { calls, finishReason } = answered.response;
  if (finishReason !== "tool_calls" && finishReason !== "stop") {
    return `it ended with ${finishReason}`;
  }
  return calls.find(({ call }) => call.function.name === name) ?? "the model made no decision";
}

function argumentsOf({ parsed }: RequestedCall): unknown {
  return parsed.state === "invalid" ? {} : parsed.value;
}
