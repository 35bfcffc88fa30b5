/**
 * Fits a request into the model's window. Only the view of one request is cut; what is stored
 * stays whole.
 * @module
 */

import { estimateMessageTokens, estimatePromptTokens } from "../../providers/tokens.ts";
import type { ChatMessage, ToolDefinition, ToolMessage } from "../../providers/provider.ts";
import type { SessionSettings } from "./ports.ts";
import type { RequestView } from "./request_view.ts";

/** Kept free for what estimates get wrong. */
const SAFETY_TOKENS = 1_024;
/** However big the system prompt is, this much of the conversation is tried. */
const CONVERSATION_TOKENS_MIN = 128;
/** The newest results of {@link COMPACTABLE} tools are never hidden to save room for older ones. */
const RESULTS_KEPT = 10;
/** What is left at least of a result that is cut. */
const RESULT_CHARS_MIN = 400;
/** A request that is hardly smaller would be refused again. */
const SMALLER_SHARE = 0.9;
/** With a view: what the conversation takes up of its room after it was shortened. */
const STEP_SHARE = 0.7;
/** Shorter results are not worth hiding. */
const COMPACTABLE_CHARS_MIN = 500;
/** Tools whose results can be had again. */
const COMPACTABLE: ReadonlySet<string> = new Set([
  "read_file",
  "exec",
  "grep",
  "glob",
  "web_search",
  "web_fetch",
  "list_dir",
]);

/** What a request must fit into. */
export interface RequestLimits {
  /** Tokens for messages and tools together; null sets no limit. */
  readonly inputTokensMax: number | null;
  readonly tools: readonly ToolDefinition[];
  /**
   * From this message on nothing is left out: here begins what the model is to answer.
   *
   * @default the last user message
   */
  readonly ownFrom?: number;
  /**
   * What is left out stays left out, and what is kept stays, until there is no room any more; then
   * more is left out than must be, so that it lasts.
   *
   * @default as much is kept as there is room for
   */
  readonly view?: RequestView | undefined;
}

/** The input budget of a model call, in tokens; null when the settings leave no sensible one. */
export function inputBudget(
  settings: Pick<SessionSettings, "contextBlockLimit" | "contextWindowTokens" | "tokensMax">,
): number | null {
  const computed = settings.contextWindowTokens - settings.tokensMax - SAFETY_TOKENS;
  const budget = settings.contextBlockLimit ?? computed;
  return budget > 0 ? budget : null;
}

/**
 * The messages that go into a request: `messages` itself when all of it fits; else without old
 * results of tools that can run again, and, if that is not enough, without the oldest turns. The
 * system message, and everything from `ownFrom` and from the last user message on, always stay.
 * Cost grows with what is kept, not with what there is.
 *
 * @param messages a system message, then a well-formed replay
 */
export function fitMessages(
  messages: readonly ChatMessage[],
  { inputTokensMax, tools, ownFrom = Infinity, view }: RequestLimits,
): readonly ChatMessage[] {
  if (inputTokensMax === null) return messages;
  const systemCount = messages.findIndex((message) => message.role !== "system");
  if (systemCount === -1) return messages;
  const system = messages.slice(0, systemCount);
  const room = Math.max(
    CONVERSATION_TOKENS_MIN,
    inputTokensMax - toolTokens(tools) - sum(system.map(tokensOf)),
  );
  if (tailStart(messages, systemCount, room, tokensOf) === systemCount) return messages;
  const again = view?.again(messages, systemCount, ownFrom);
  if (again !== undefined && sum(again.map(tokensOf)) <= room) return [...system, ...again];
  const compactor = new Compactor(RESULTS_KEPT, (name) => COMPACTABLE.has(name));
  const keptTokens = view === undefined ? room : Math.floor(room * STEP_SHARE);
  const start = tailStart(messages, systemCount, keptTokens, (m) => tokensOf(compactor.next(m)));
  const kept = messages.slice(Math.min(turnStart(messages, systemCount, start), ownFrom));
  const short = shrunk(kept, room);
  view?.remember(kept, short);
  return [...system, ...short];
}

/**
 * Much smaller messages, for a model that found these too long: as {@link fitMessages}, and with
 * what is still too long of the tools' results cut. Undefined when there is nothing left to cut.
 *
 * @param messages a system message, then a well-formed replay
 */
export function compactMessages(
  messages: readonly ChatMessage[],
  asked: RequestLimits,
): readonly ChatMessage[] | undefined {
  const limits = { ...asked, view: undefined };
  const refused = requestTokens(fitMessages(messages, limits), limits.tools);
  const half = Math.floor(refused / 2);
  const fitted = fitMessages(messages, { ...limits, inputTokensMax: half });
  const excess = requestTokens(fitted, limits.tools) - half;
  const cut = excess <= 0 ? fitted : shortenResults(fitted, excess);
  return requestTokens(cut, limits.tools) < refused * SMALLER_SHARE ? cut : undefined;
}

/** What a request takes up, in tokens. */
export function requestTokens(
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
): number {
  return toolTokens(tools) + sum(messages.map(tokensOf));
}

/** What one message takes up, in tokens. */
export function messageTokens(message: ChatMessage): number {
  return tokensOf(message);
}

/** Cuts the longest results, so that all together lose about `excess` tokens. */
function shortenResults(
  messages: readonly ChatMessage[],
  excess: number,
): readonly ChatMessage[] {
  const results = messages.filter(({ role, content }) =>
    role === "tool" && typeof content === "string"
  );
  const tokens = sum(results.map(tokensOf));
  const chars = sum(results.map(({ content }) => content?.length ?? 0));
  const roomChars = Math.max(0, tokens - excess) * (chars / Math.max(1, tokens));
  const charsMax = Math.floor(roomChars / Math.max(1, results.length));
  return messages.map((message) => shortened(message, Math.max(RESULT_CHARS_MIN, charsMax)));
}

function shortened(message: ChatMessage, charsMax: number): ChatMessage {
  if (message.role !== "tool" || typeof message.content !== "string") return message;
  const { content } = message;
  if (content.length <= charsMax) return message;
  const tail = Math.floor(charsMax / 4);
  const dropped = `\n[${content.length - charsMax} characters left out to save room]\n`;
  const head = content.slice(0, charsMax - tail).toWellFormed();
  return { ...message, content: head + dropped + content.slice(-tail).toWellFormed() };
}

/** Where the longest end of the list begins that fits into `room`. */
function tailStart(
  messages: readonly ChatMessage[],
  first: number,
  room: number,
  cost: (message: ChatMessage) => number,
): number {
  let left = room;
  for (let index = messages.length - 1; index >= first; index--) {
    const message = messages[index];
    if (message === undefined) break;
    left -= cost(message);
    if (left < 0) return index + 1;
  }
  return first;
}

/** The first user message from `start` on; without one, the last user message of all. */
function turnStart(messages: readonly ChatMessage[], first: number, start: number): number {
  for (let index = start; index < messages.length; index++) {
    if (messages[index]?.role === "user") return index;
  }
  for (let index = start - 1; index > first; index--) {
    if (messages[index]?.role === "user") return index;
  }
  return first;
}

/** Hides old results; if the rest is still too big, those of any tool but the last round's. */
function shrunk(messages: readonly ChatMessage[], room: number): readonly ChatMessage[] {
  const compacted = compact(messages, new Compactor(RESULTS_KEPT, (name) => COMPACTABLE.has(name)));
  if (sum(compacted.map(tokensOf)) <= room) return compacted;
  const lastRound = messages.findLastIndex((message) => message.role !== "tool");
  const head = compact(messages.slice(0, lastRound), new Compactor(0, () => true));
  return [...head, ...messages.slice(lastRound)];
}

function compact(messages: readonly ChatMessage[], compactor: Compactor): ChatMessage[] {
  return messages.toReversed().map((message) => compactor.next(message)).toReversed();
}

/** Goes from the newest message to the oldest and hides results beyond the newest few. */
class Compactor {
  #left: number;
  readonly #isCompactable: (toolName: string) => boolean;

  constructor(keptMax: number, isCompactable: (toolName: string) => boolean) {
    this.#left = keptMax;
    this.#isCompactable = isCompactable;
  }

  next(message: ChatMessage): ChatMessage {
    if (message.role !== "tool" || !this.#isCompactable(message.name)) return message;
    if (this.#left-- > 0) return message;
    const isLong = typeof message.content === "string" &&
      message.content.length >= COMPACTABLE_CHARS_MIN;
    return isLong ? omitted(message) : message;
  }
}

function omitted(message: ToolMessage): ToolMessage {
  return { ...message, content: `[earlier result of ${message.name} left out to save room]` };
}

/** Estimates are asked for again at every request, and messages and lists of tools never change. */
const estimates = new WeakMap<ChatMessage, number>();
const toolEstimates = new WeakMap<readonly ToolDefinition[], number>();

function toolTokens(tools: readonly ToolDefinition[]): number {
  if (tools.length === 0) return 0;
  const known = toolEstimates.get(tools);
  if (known !== undefined) return known;
  const tokens = estimatePromptTokens([], tools);
  toolEstimates.set(tools, tokens);
  return tokens;
}

function tokensOf(message: ChatMessage): number {
  const known = estimates.get(message);
  if (known !== undefined) return known;
  const tokens = estimateMessageTokens(message);
  estimates.set(message, tokens);
  return tokens;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
