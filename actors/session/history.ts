/**
 * What of a conversation the model is shown again: a well-formed list, whatever was stored.
 * @module
 */

import type {
  AssistantMessage,
  ChatMessage,
  ContentBlock,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "../../providers/provider.ts";

/** Result of a call that a stop or a crash kept from ending. */
export const INTERRUPTED_RESULT =
  "Error: this tool call was interrupted before it finished; its effect is unknown";

/**
 * Messages that a replay keeps at least, if there are as many: more than a model's window holds,
 * and few enough that copying them costs nothing. Whole turns beyond twice as many are let go.
 */
const REPLAY_MESSAGES_MIN = 10_000;
/** Messages that a replay keeps at most. */
export const REPLAYED_MAX: number = 2 * REPLAY_MESSAGES_MIN;

/** The result that stands in where a call has none. */
export function interruptedResult(call: ToolCall): ToolMessage {
  return {
    role: "tool",
    tool_call_id: call.id,
    name: call.function.name,
    content: INTERRUPTED_RESULT,
  };
}

/** An assistant's calls that still wait for their results. */
interface OpenRound {
  readonly waiting: ToolCall[];
  /** Ids as stored, of the calls in `waiting`, side by side. */
  readonly storedIds: string[];
}

/**
 * Builds the replay while messages come in, at a cost that does not depend on what came before:
 *
 * - it starts at a user message, and system messages and blank ones are left out;
 * - every tool call is followed by exactly one result: results that nothing asked for are dropped,
 *   missing ones are filled in, ids that repeat within one message are told apart;
 * - neighbours of one role become one message;
 * - of a very long conversation only the end is kept;
 * - it knows from where on a turn's own messages wait for their answer.
 *
 * Messages that went in are never changed.
 */
export class Replay {
  #messages: ChatMessage[] = [];
  #round: OpenRound | null = null;
  /** Where the first message stands that waits for an answer. */
  #ownFrom = Infinity;
  #isNextOwn = false;

  /** The replay of `messages`. */
  static of(messages: Iterable<ChatMessage>): Replay {
    const replay = new Replay();
    // Older ones would be let go again, one by one.
    for (const message of [...messages].slice(-REPLAYED_MAX)) replay.push(message);
    return replay;
  }

  /**
   * An independent copy, to which a turn can add what is never stored.
   *
   * @param recentMax messages that it holds: whole turns, so that there may be a few more
   */
  fork(recentMax: number = Infinity): Replay {
    const copy = new Replay();
    let from = Math.max(0, this.#messages.length - recentMax);
    while (from > 0 && from < this.#messages.length && this.#messages[from]?.role !== "user") {
      from--;
    }
    copy.#messages = this.#messages.slice(from);
    copy.#ownFrom = this.#ownFrom - from;
    copy.#isNextOwn = this.#isNextOwn;
    if (this.#round !== null && copy.#messages.length > 0) {
      const { waiting, storedIds } = this.#round;
      copy.#round = { waiting: waiting.slice(), storedIds: storedIds.slice() };
    }
    return copy;
  }

  /** Where the turn's own messages begin in {@link Replay.messages}; Infinity where none is known. */
  get ownFrom(): number {
    return this.#ownFrom;
  }

  /** All before is answered, or not the turn's: its own messages begin with the next of a person. */
  ownFromNext(): void {
    this.#isNextOwn = true;
  }

  /** Adds the next message of the conversation. */
  push(message: ChatMessage): void {
    if (message.role === "tool") return this.#pushResult(message);
    if (message.role === "system" || isBlank(message)) return;
    if (message.role === "assistant" && this.#messages.length === 0) return;
    this.#closeRound();
    const last = this.#messages.at(-1);
    const shown = joined(last, message);
    if (shown !== message) this.#messages.pop();
    if (shown.role === "assistant" && shown.tool_calls !== undefined) {
      this.#messages.push(this.#openRound(shown, shown.tool_calls));
    } else {
      this.#messages.push(shown);
    }
    if (this.#isNextOwn && message.role === "user") {
      this.#ownFrom = this.#messages.length - 1;
      this.#isNextOwn = false;
    }
    if (this.#messages.length > REPLAYED_MAX) this.#letGo();
  }

  /** The list as of now, after `leading`; later pushes do not change it. */
  messages(...leading: readonly ChatMessage[]): ChatMessage[] {
    const missing = this.#round?.waiting.map(interruptedResult) ?? [];
    return leading.concat(this.#messages, missing);
  }

  #letGo(): void {
    const first = this.#messages.length - REPLAY_MESSAGES_MIN;
    const last = Math.min(first, this.#ownFrom);
    const start = this.#messages.findLastIndex(({ role }, at) => at <= last && role === "user");
    if (start <= 0) return;
    this.#messages = this.#messages.slice(start);
    this.#ownFrom -= start;
  }

  #pushResult(result: ToolMessage): void {
    const round = this.#round;
    const index = round?.storedIds.indexOf(result.tool_call_id) ?? -1;
    const call = round?.waiting[index];
    if (round === null || call === undefined) return;
    round.waiting.splice(index, 1);
    round.storedIds.splice(index, 1);
    this.#messages.push(
      call.id === result.tool_call_id ? result : { ...result, tool_call_id: call.id },
    );
  }

  #openRound(message: AssistantMessage, calls: readonly ToolCall[]): AssistantMessage {
    const distinct = withDistinctIds(calls);
    this.#round = { waiting: distinct.slice(), storedIds: calls.map((call) => call.id) };
    return distinct.every((call, index) => call === calls[index])
      ? message
      : { ...message, tool_calls: distinct };
  }

  #closeRound(): void {
    if (this.#round === null) return;
    this.#messages.push(...this.#round.waiting.map(interruptedResult));
    this.#round = null;
  }
}

/** The replay of `messages` as a list. */
export function wellFormed(messages: Iterable<ChatMessage>): ChatMessage[] {
  return Replay.of(messages).messages();
}

function isBlank(message: UserMessage | AssistantMessage): boolean {
  if (message.role === "assistant" && (message.tool_calls?.length ?? 0) > 0) return false;
  const { content } = message;
  if (content === null || typeof content === "string") return (content ?? "").trim() === "";
  return content.every((block) => block.type === "text" && block.text.trim() === "");
}

function joined(
  last: ChatMessage | undefined,
  message: UserMessage | AssistantMessage,
): UserMessage | AssistantMessage {
  if (last?.role === "user" && message.role === "user") {
    return { role: "user", content: joinContents(last.content, message.content) };
  }
  if (last?.role === "assistant" && message.role === "assistant") {
    return joinAssistants(last, message);
  }
  return message;
}

type Content = UserMessage["content"];

function joinContents(first: Content, second: Content): Content {
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [...asBlocks(first), ...asBlocks(second)];
}

function asBlocks(content: Content): readonly ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** `first` has no calls: had it any, their results would stand between the two. */
function joinAssistants(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const reasoning = [first.reasoning_content, second.reasoning_content].filter(Boolean).join(
    "\n\n",
  );
  const thinking = [...first.thinking_blocks ?? [], ...second.thinking_blocks ?? []];
  return {
    ...second,
    content: [first.content, second.content].filter(Boolean).join("\n\n"),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(thinking.length > 0 && { thinking_blocks: thinking }),
  };
}

/** Ids that repeat get a number behind them; calls that need none stay the same objects. */
function withDistinctIds(calls: readonly ToolCall[]): ToolCall[] {
  const taken = new Set<string>();
  const stored = new Set(calls.map((call) => call.id));
  return calls.map((call) => {
    let id = call.id;
    for (let n = 2; taken.has(id) || (id !== call.id && stored.has(id)); n++) {
      id = `${call.id}_${n}`;
    }
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
}
