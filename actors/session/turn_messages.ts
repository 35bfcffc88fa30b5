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
  SystemMessage,
  ToolDefinition,
  UserMessage,
} from "../../providers/provider.ts";
import type { Conversation } from "./conversation.ts";
import { compactMessages, fitMessages, type RequestLimits, requestTokens } from "./governance.ts";
import { Replay } from "./history.ts";
import type { SessionSettings } from "./ports.ts";
import type { RequestView } from "./request_view.ts";

/**
 * The history with the messages of the turn's unanswered inbounds as the model sees them. Those of
 * inbounds that wait aside are left out. Where others of the turn were answered since, they come
 * last: a history that ends in an answer asks for nothing.
 *
 * @param shown for each unanswered inbound, in order; null for one that waits aside
 */
export function replayWith(
  conversation: Conversation,
  shown: readonly (UserMessage | null)[],
): Replay {
  const before: ChatMessage[] = [];
  const messages = conversation.replayed().map(({ message }) => message);
  const unanswered = new Set(usersFromTheEnd(messages, shown.length));
  const visible = shown.filter((message) => message !== null);
  const mustComeLast = isAnswer(messages.at(-1));
  let next = shown.length - unanswered.size;
  for (const [index, message] of messages.entries()) {
    const own = unanswered.has(index) ? shown[next++] ?? null : message;
    if (own !== null && !(mustComeLast && unanswered.has(index))) before.push(own);
  }
  return replayOf(mustComeLast ? [...before, ...visible] : before, new Set(visible));
}

function replayOf(messages: readonly ChatMessage[], own: ReadonlySet<ChatMessage>): Replay {
  const firstOwn = messages.findIndex((message) => own.has(message));
  const replay = new Replay();
  for (const [index, message] of messages.entries()) {
    if (index === firstOwn) replay.ownFromNext();
    replay.push(message);
  }
  return replay;
}

/** Places of the newest messages of people. */
function usersFromTheEnd(messages: readonly ChatMessage[], count: number): number[] {
  const places = messages.flatMap(({ role }, index) => role === "user" ? [index] : []);
  return count === 0 ? [] : places.slice(-count);
}

function isAnswer(message: ChatMessage | undefined): boolean {
  return message?.role === "assistant" && (message.tool_calls ?? []).length === 0;
}

/** What goes into a request besides the messages. */
export interface RequestOptions {
  readonly system: SystemMessage;
  /** Behind the conversation, for this request only. */
  readonly extra: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly settings: SessionSettings;
  readonly conversationId: string;
  /** What the request may take up, in tokens; null is no limit. */
  readonly inputTokensMax: number | null;
  /** How the conversation was shortened for earlier requests. */
  readonly view?: RequestView;
}

/** The request for the next model call, within the model's window. */
export function modelRequest(replay: Replay, options: RequestOptions): ChatRequest {
  const messages = conversationOf(replay, options);
  return requestOf(fitMessages(messages, limitsOf(replay, options)), options);
}

/** The same for a model that found it too long; undefined when there is nothing left to cut. */
export function smallerRequest(replay: Replay, options: RequestOptions): ChatRequest | undefined {
  const messages = compactMessages(conversationOf(replay, options), limitsOf(replay, options));
  return messages === undefined ? undefined : requestOf(messages, options);
}

/** What a request takes up besides the conversation, in tokens. */
export function overheadTokens({ system, tools }: RequestOptions): number {
  return requestTokens([system], tools);
}

function conversationOf(replay: Replay, { system }: RequestOptions): ChatMessage[] {
  return replay.messages(system);
}

/** The turn's own messages are never cut, nor what is behind the conversation. */
function limitsOf(
  { ownFrom }: Replay,
  { extra, tools, inputTokensMax: max, view }: RequestOptions,
): RequestLimits {
  return {
    view,
    inputTokensMax: max === null ? null : Math.max(1, max - requestTokens(extra, [])),
    tools,
    ownFrom: 1 + ownFrom, // behind the system message
  };
}

function requestOf(
  messages: readonly ChatMessage[],
  { extra, tools, settings, conversationId }: RequestOptions,
): ChatRequest {
  return {
    model: settings.model,
    messages: extra.length === 0 ? messages : [...messages, ...extra],
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
