/**
 * What the model is shown in a turn: the history, and the turn's own messages with their time and
 * images, which are never stored.
 * @module
 */

import type {
  AssistantMessage,
  ChatMessage,
  ChatRequest,
  ChatResponse,
  RequestedCall,
  ToolDefinition,
  UserMessage,
} from "../../providers/provider.ts";
import type { Conversation } from "./conversation.ts";
import { fitMessages, inputBudget } from "./governance.ts";
import { Replay } from "./history.ts";
import type { SessionSettings } from "./ports.ts";

/**
 * The history with the messages of the turn's unanswered inbounds as the model sees them. Those of
 * inbounds that wait aside are left out.
 *
 * @param shown for each unanswered inbound, in order; null for one that waits aside
 */
export function replayWith(
  conversation: Conversation,
  shown: readonly (UserMessage | null)[],
): Replay {
  const messages: (ChatMessage | null)[] = conversation.replayed().map(({ message }) => message);
  let left = shown.length;
  for (let index = messages.length - 1; index >= 0 && left > 0; index--) {
    if (messages[index]?.role === "user") messages[index] = shown[--left] ?? null;
  }
  return Replay.of(messages.filter((message) => message !== null));
}

/** What goes into a request besides the messages. */
export interface RequestOptions {
  readonly system: string;
  /** Behind the conversation, for this request only. */
  readonly extra: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly settings: SessionSettings;
  readonly conversationId: string;
}

/** The request for the next model call, within the model's window. */
export function modelRequest(
  replay: Replay,
  { system, extra, tools, settings, conversationId }: RequestOptions,
): ChatRequest {
  const all = replay.messages({ role: "system", content: system });
  all.push(...extra);
  return {
    model: settings.model,
    messages: fitMessages(all, { inputTokensMax: inputBudget(settings), tools }),
    tools,
    tokensMax: settings.tokensMax,
    temperature: settings.temperature,
    reasoningEffort: settings.reasoningEffort,
    conversationId,
  };
}

/** What the model said, as it is stored: visible text, thoughts, and the calls it makes. */
export function assistantMessage(
  text: string,
  { reasoning, thinkingBlocks }: Pick<ChatResponse, "reasoning" | "thinkingBlocks">,
  calls: readonly RequestedCall[] = [],
): AssistantMessage {
  return {
    role: "assistant",
    content: text,
    ...(calls.length > 0 && { tool_calls: calls.map(({ call }) => call) }),
    ...(reasoning !== null && { reasoning_content: reasoning }),
    ...(thinkingBlocks.length > 0 && { thinking_blocks: thinkingBlocks }),
  };
}

/** The calls with ids that tell them apart: models leave them out, or give one twice. */
export function withDistinctIds(calls: readonly RequestedCall[]): RequestedCall[] {
  const taken = new Set<string>();
  return calls.map((requested, index) => {
    const { call } = requested;
    const wanted = call.id === "" ? `call_${index}` : call.id;
    let id = wanted;
    for (let n = 2; taken.has(id); n++) id = `${wanted}_${n}`;
    taken.add(id);
    return id === call.id ? requested : { ...requested, call: { ...call, id } };
  });
}
