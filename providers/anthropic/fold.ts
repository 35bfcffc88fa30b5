/**
 * Folds the events of Anthropic's Messages API into one response, while they arrive.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import { requestedCall } from "../messages/arguments.ts";
import { withOrigin } from "../messages/origin.ts";
import type { FinishReason, RequestedCall, Usage } from "../provider.ts";
import { type Fold, type Folded, foldFault, type FoldResult, NOTHING } from "../wire/answer.ts";
import { TextBuffer } from "../wire/text_buffer.ts";
import { faultOfVendorError } from "../wire/vendor_error.ts";
import {
  type WireBlock,
  type WireDelta,
  type WireEvent,
  wireEvent,
  type WireUsage,
} from "./events.ts";

/** How an answer is folded. */
export interface FoldOptions {
  readonly newCallId: () => string;
  /** Our name of a tool. */
  readonly toolName: (wireName: string) => string;
  /** Noted with thinking, which only this model may see again. */
  readonly origin: string;
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  // The server took a break; going on is what `length` leads to.
  pause_turn: "length",
  refusal: "refusal",
};

interface OpenBlock {
  start: WireBlock;
  readonly thinking: TextBuffer;
  readonly json: TextBuffer;
  signature: string;
}

/** Collects one answer. */
export class MessageFold implements Fold {
  readonly #options: FoldOptions;
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #text = new TextBuffer();
  readonly #reasoning = new TextBuffer();
  #usage: WireUsage = {};
  #stopReason: string | null = null;
  #isComplete = false;

  constructor(options: FoldOptions) {
    this.#options = options;
  }

  get isFinished(): boolean {
    return this.#stopReason !== null;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  add(data: unknown): Folded {
    const parsed = wireEvent.safeParse(data);
    if (!parsed.success) return NOTHING;
    const event = parsed.data;
    if (event.error) return { state: "fault", fault: faultOfVendorError(event.error) };
    switch (event.type) {
      case "message_start":
        this.#count(event.message?.usage);
        return NOTHING;
      case "content_block_start":
        return this.#begin(event.index ?? 0, event.content_block);
      case "content_block_delta":
        return this.#grow(event.index ?? 0, event.delta);
      case "message_delta":
        this.#count(event.usage);
        this.#stopReason = event.delta?.stop_reason ?? this.#stopReason;
        return NOTHING;
      case "message_stop":
        this.#isComplete = true;
        return NOTHING;
      case "message":
        return this.#addWhole(event);
      default:
        return NOTHING;
    }
  }

  finish(isWhole: boolean): FoldResult {
    if (this.#blocks.size === 0 && !this.isFinished) {
      return foldFault("provider_empty", "the answer is empty");
    }
    if (!this.isFinished && !isWhole) {
      return foldFault("provider_connection", "the stream ended before the answer did");
    }
    const blocks = [...this.#blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block);
    const reason = FINISH_REASONS[this.#stopReason ?? "end_turn"] ?? "other";
    const calls = this.#calls(blocks, reason === "length");
    const text = this.#text.toString();
    const reasoning = this.#reasoning.toString();
    return {
      state: "ok",
      lateText: "",
      response: {
        content: text === "" ? null : text,
        calls,
        finishReason: calls.length > 0 && reason === "stop" ? "tool_calls" : reason,
        usage: readUsage(this.#usage),
        reasoning: reasoning === "" ? null : reasoning,
        thinkingBlocks: blocks.flatMap((block) => thinkingOf(block, this.#options.origin)),
      },
    };
  }

  #begin(index: number, start: WireBlock | null | undefined): Folded {
    if (!start) return NOTHING;
    const block = this.#blockAt(index, start);
    block.start = start;
    block.signature += start.signature ?? "";
    return this.#grow(index, { text: start.text, thinking: start.thinking });
  }

  #grow(index: number, delta: WireDelta | null | undefined): Folded {
    if (!delta) return NOTHING;
    const { text, thinking, signature, partial_json: json } = delta;
    // Some copies of the API leave out the event that begins a block.
    const type = json ? "tool_use" : thinking ? "thinking" : "text";
    const block = this.#blockAt(index, { type });
    block.signature += signature ?? "";
    block.json.add(json ?? "");
    block.thinking.add(thinking ?? "");
    if (!text && !thinking) return NOTHING;
    this.#text.add(text ?? "");
    this.#reasoning.add(thinking ?? "");
    return { state: "ok", text: text ?? "", reasoning: thinking ?? "" };
  }

  #blockAt(index: number, start: WireBlock): OpenBlock {
    const known = this.#blocks.get(index);
    if (known !== undefined) return known;
    const block = { start, thinking: new TextBuffer(), json: new TextBuffer(), signature: "" };
    this.#blocks.set(index, block);
    return block;
  }

  #addWhole({ content, usage, stop_reason: reason }: WireEvent): Folded {
    let text = "";
    let reasoning = "";
    (content ?? []).forEach((block, index) => {
      const piece = this.#begin(index, block);
      if (piece.state === "fault") return;
      text += piece.text;
      reasoning += piece.reasoning;
    });
    this.#count(usage);
    this.#stopReason = reason ?? null;
    this.#isComplete = true;
    return { state: "ok", text, reasoning };
  }

  #calls(blocks: readonly OpenBlock[], isCutOff: boolean): readonly RequestedCall[] {
    const { newCallId, toolName } = this.#options;
    const taken = new Set<string>();
    return blocks.filter(({ start }) => start.type === "tool_use").map(({ start, json }) => {
      const given = start.id ?? "";
      const id = given === "" || taken.has(given) ? newCallId() : given;
      taken.add(id);
      // The API sends the input in pieces; some copies send it whole at the start.
      const text = json.isEmpty ? JSON.stringify(start.input ?? {}) : json.toString();
      const call = { id, name: toolName(start.name ?? ""), arguments: text };
      return requestedCall(call, isCutOff);
    });
  }

  #count(usage: WireUsage | null | undefined): void {
    if (!usage) return;
    const given = Object.entries(usage).filter(([, tokens]) =>
      tokens !== null && tokens !== undefined
    );
    this.#usage = { ...this.#usage, ...Object.fromEntries(given) };
  }
}

/** Thinking as it must come back. Without its signature the API takes none. */
function thinkingOf(
  { start, thinking, signature }: OpenBlock,
  origin: string,
): readonly JsonObject[] {
  if (start.type === "redacted_thinking" && start.data) {
    return [withOrigin({ type: "redacted_thinking", data: start.data }, origin)];
  }
  if (start.type !== "thinking" || signature === "") return [];
  return [withOrigin({ type: "thinking", thinking: thinking.toString(), signature }, origin)];
}

function readUsage(usage: WireUsage): Usage | null {
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  const cachedTokens = usage.cache_read_input_tokens ?? 0;
  const promptTokens = (usage.input_tokens ?? 0) + cacheWriteTokens + cachedTokens;
  const completionTokens = usage.output_tokens ?? 0;
  if (promptTokens + completionTokens === 0) return null;
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    ...(cachedTokens > 0 && { cachedTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}
