/**
 * From a conversation to what the model wants next: an answer or tools. Answers that were cut off
 * are continued, blank ones asked for again.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ChatMessage, ChatResponse, ProviderError } from "../../providers/provider.ts";
import { visibleText } from "../../providers/visible_text.ts";
import type { SpentBudget } from "./budgets.ts";
import type { ModelOutcome } from "./model_call.ts";
import { CUT_CALL_PROMPT, CUT_TEXT_PROMPT, FINAL_ANSWER_PROMPT } from "./wording.ts";

const logger = getLogger(["troupe", "session", "answer_attempt"]);

/** How often an answer that was cut off is continued. */
const CONTINUATIONS_MAX = 3;

/** How often a blank answer is asked for again; the last time without tools. */
const BLANKS_MAX = 2;

const NOTHING: ChatResponse = {
  content: null,
  calls: [],
  finishReason: "stop",
  usage: null,
  reasoning: null,
  thinkingBlocks: [],
};

/** What the model wants. `text` is what people may see of its words. */
export type Attempt =
  | { readonly type: "tools"; readonly text: string; readonly response: ChatResponse }
  | { readonly type: "answer"; readonly text: string; readonly response: ChatResponse }
  | { readonly type: "blank" }
  | { readonly type: "failed"; readonly error: ProviderError }
  | OutOfBudget;

/** The model may not be asked now. */
export interface OutOfBudget {
  readonly type: "out_of_budget";
  readonly budget: SpentBudget;
}

/** How one call ended, or why it was not made. */
export type CallOutcome =
  | ModelOutcome
  | { readonly state: "out_of_budget"; readonly budget: SpentBudget };

/** One call of the model. */
export interface AttemptCall {
  /** Added behind the conversation for this call only. */
  readonly extra: readonly ChatMessage[];
  readonly withTools: boolean;
  /** Text of earlier calls that this one goes on with, as the model wrote it. */
  readonly kept: string;
}

/** What an attempt needs. */
export interface AttemptOptions {
  readonly call: (call: AttemptCall) => Promise<CallOutcome>;
  /** A blank answer is one: what had to be said was sent by a tool. */
  readonly isBlankFine: boolean;
}

/**
 * Calls the model until it answers, asks for tools, fails, or may not be called any more:
 *
 * - cut off at the length limit: asked to go on, up to 3 times; the pieces are one answer
 * - blank: asked once more in the same way, then once without tools
 * - calls count only under `stop` and `tool_calls`; others may be incomplete and are left out
 */
export async function attemptAnswer({ call, isBlankFine }: AttemptOptions): Promise<Attempt> {
  let kept = "";
  let continuations = 0;
  let blanks = 0;
  let extra: readonly ChatMessage[] = [];
  for (;;) {
    const withTools = blanks < BLANKS_MAX;
    const outcome = await call({ extra, withTools, kept });
    if (outcome.state === "out_of_budget") {
      return { type: "out_of_budget", budget: outcome.budget };
    }
    if (outcome.state === "failed" && outcome.error.code !== "provider_empty") {
      return { type: "failed", error: outcome.error };
    }
    const response = outcome.state === "answered" ? outcome.response : NOTHING;
    const written = kept + (response.content ?? "");
    const text = visibleText(written);
    if (withTools && mayRun(response)) return { type: "tools", text, response };
    if (isCut(response) && continuations < CONTINUATIONS_MAX) {
      continuations++;
      kept = written;
      extra = goOn(text, response);
      continue;
    }
    if (text !== "") return { type: "answer", text, response };
    if (isBlankFine || ++blanks > BLANKS_MAX) return { type: "blank" };
    extra = blanks < BLANKS_MAX ? [] : [{ role: "user", content: FINAL_ANSWER_PROMPT }];
  }
}

function mayRun({ calls, finishReason }: ChatResponse): boolean {
  if (calls.length === 0) return false;
  if (finishReason === "stop" || finishReason === "tool_calls") return true;
  logger.warn("Left out {count} tool calls: the answer ended with {finishReason}", {
    count: calls.length,
    finishReason,
  });
  return false;
}

/** Cut off in its text or in a call; what was cut off in its thoughts is just blank. */
function isCut({ finishReason, content, calls }: ChatResponse): boolean {
  return finishReason === "length" && (visibleText(content ?? "") !== "" || calls.length > 0);
}

function goOn(text: string, { calls }: ChatResponse): ChatMessage[] {
  const prompt = calls.length > 0 ? CUT_CALL_PROMPT : CUT_TEXT_PROMPT;
  const messages: ChatMessage[] = [{ role: "user", content: prompt }];
  if (text !== "") messages.unshift({ role: "assistant", content: text });
  return messages;
}
