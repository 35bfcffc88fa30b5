/**
 * One question to Dream's model, waited for to its end, and counted.
 * @module
 */

import type { ChatRequest, ChatResponse, ProviderError } from "../../providers/provider.ts";
import { estimatePromptTokens, estimateTextTokens } from "../../providers/tokens.ts";
import { eachUntilAborted } from "../kernel/aborting.ts";
import type { DreamModel } from "./ports.ts";

/** An answer, or a sentence why there is none. */
export type Answered =
  | { readonly state: "answered"; readonly response: ChatResponse }
  | { readonly state: "failed"; readonly reason: string };

/** Who is asked, within which limits, and how that is counted. */
export type AskedModel = Omit<DreamModel, "batchCharsMax">;

/** What is asked. */
export interface Question extends Pick<ChatRequest, "messages" | "tools"> {
  /** @default "dream" */
  readonly conversationId?: string;
}

/**
 * Asks once; the provider repeats what may be repeated.
 *
 * @throws the signal's reason when it aborts
 */
export async function askOnce(
  asked: AskedModel,
  question: Question,
  signal: AbortSignal,
): Promise<Answered> {
  const promptTokens = estimatePromptTokens(question.messages, question.tools);
  const completionTokens = asked.tokensMax;
  const most = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  const permit = await asked.reserve(most, signal);
  if (permit.state === "refused") return { state: "failed", reason: permit.reason };
  try {
    signal.throwIfAborted();
    return await askNow(asked, question, signal);
  } finally {
    permit.release();
  }
}

async function askNow(
  { provider, model, book, tokensMax, temperature, reasoningEffort }: AskedModel,
  { messages, tools, conversationId = "dream" }: Question,
  signal: AbortSignal,
): Promise<Answered> {
  const request = { model, messages, tools, tokensMax, temperature, reasoningEffort };
  const events = provider.chat({ ...request, conversationId }, signal);
  for await (const event of eachUntilAborted(events, signal)) {
    if (event.type === "failed") return { state: "failed", reason: reasonOf(event.error) };
    if (event.type !== "finished") continue;
    const { response, by = { provider: provider.name, model } } = event;
    const usage = response.usage ?? estimate(messages, response);
    await book({ by, usage, isEstimated: response.usage === null });
    return { state: "answered", response };
  }
  return { state: "failed", reason: "the model's answer broke off" };
}

function reasonOf(error: ProviderError): string {
  return error.userText.replace(/\.$/, "");
}

function estimate(messages: ChatRequest["messages"], { content, calls }: ChatResponse) {
  const promptTokens = estimatePromptTokens(messages, []);
  const said = calls.map(({ call }) => call.function.arguments).join("");
  const completionTokens = estimateTextTokens((content ?? "") + said);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}
