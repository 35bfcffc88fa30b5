/**
 * Folds the chunks of an answer into one response, while they arrive.
 * @module
 */

import type { Fault } from "../failures.ts";
import type { FinishReason, RequestedCall, Usage } from "../provider.ts";
import { type Fold, type Folded, foldFault, type FoldResult, NOTHING } from "../wire/answer.ts";
import { TextBuffer } from "../wire/text_buffer.ts";
import { faultOfVendorError } from "../wire/vendor_error.ts";
import { CallFold } from "./call_fold.ts";
import { splitContent, type WireChoice, wireChunk, type WireDelta, wireUsage } from "./chunk.ts";
import { ToolCallText, type WrittenCall } from "./tool_call_text.ts";

/** How an answer is folded. */
export interface FoldOptions {
  readonly newCallId: () => string;
  /** Our name of a tool. */
  readonly toolName: (wireName: string) => string;
  /** Whether the model was offered a tool of this name on the wire. */
  readonly isTool: (wireName: string) => boolean;
  /** The vendor puts its answer into `reasoning` when there is no content. */
  readonly answersInReasoning: boolean;
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  end_turn: "stop",
  eos: "stop",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  tool_use: "tool_calls",
  length: "length",
  max_tokens: "length",
  content_filter: "content_filter",
  sensitive: "content_filter",
  refusal: "refusal",
};

/** Words that some put where the reason should be, though the answer failed. */
const FAILED_REASONS: ReadonlySet<string> = new Set(["error", "network_error"]);

/** Collects one answer. */
export class AnswerFold implements Fold {
  /** The end of a stream is `[DONE]`, which is none of its chunks. */
  readonly isComplete = false;
  readonly #options: FoldOptions;
  readonly #calls: CallFold;
  readonly #written: ToolCallText;
  readonly #text = new TextBuffer();
  readonly #reasoning = new TextBuffer();
  /** By choice; most answers have one. */
  readonly #finishReasons = new Map<number, string>();
  /** Reasoning that came as `reasoning`, where an answer may hide. */
  readonly #bareReasoning = new TextBuffer();
  #refused = false;
  #usage: Usage | null = null;
  #hasContent = false;

  constructor(options: FoldOptions) {
    this.#options = options;
    this.#calls = new CallFold(options);
    this.#written = new ToolCallText(options.isTool);
  }

  /** Whether the model has said why it stopped: what may still come is no part of the answer. */
  get isFinished(): boolean {
    return this.#finishReasons.size > 0;
  }

  /** Adds a chunk of a stream, or a whole completion. */
  add(chunk: unknown): Folded {
    if (typeof chunk === "string") return this.#take(chunk, "");
    const parsed = wireChunk.safeParse(chunk);
    if (!parsed.success) return NOTHING;
    const { data } = parsed;
    const fault = faultIn(data);
    if (fault !== undefined) return { state: "fault", fault };
    this.#usage = readUsage(data.usage) ?? this.#usage;
    const choices = data.choices ?? [];
    if (choices.length === 0) {
      const { text, thinking } = splitContent(data.content ?? data.output_text);
      const reasoning = thinking + (data.reasoning_content ?? "");
      if (data.finish_reason && text !== "") this.#finishReasons.set(0, data.finish_reason);
      return this.#take(text, reasoning);
    }
    let text = "";
    let reasoning = "";
    for (const choice of choices) {
      const piece = this.#addChoice(choice);
      if (piece.state === "fault") return piece;
      text += piece.text;
      reasoning += piece.reasoning;
    }
    return { state: "ok", text, reasoning };
  }

  /**
   * Ends the answer.
   *
   * @param isWhole the server said that nothing is missing
   */
  finish(isWhole: boolean): FoldResult {
    if (!this.#hasContent && !this.isFinished) {
      return foldFault("provider_empty", "the answer is empty: API returned empty choices");
    }
    if (!this.isFinished && !isWhole) {
      return foldFault("provider_connection", "the stream ended before the answer did");
    }
    const reason = this.#finishReason();
    const structured = this.#calls.finish(reason === "length");
    const written = this.#written.end(structured.length > 0);
    const calls = [...structured, ...written.calls.map((call) => this.#liftedCall(call))];
    this.#text.add(written.text);
    const lateText = written.text + this.#hiddenAnswer(calls.length > 0);
    const reasoning = this.#reasoning.toString();
    return {
      state: "ok",
      lateText,
      response: {
        content: this.#text.isEmpty ? null : this.#text.toString(),
        calls,
        finishReason: calls.length > 0 && reason === "stop" ? "tool_calls" : reason,
        usage: this.#usage,
        reasoning: reasoning === "" ? null : reasoning,
        thinkingBlocks: [],
      },
    };
  }

  /** The answer that stands in the reasoning, which becomes the text. */
  #hiddenAnswer(hasCalls: boolean): string {
    if (!this.#options.answersInReasoning || !this.#text.isEmpty || hasCalls) return "";
    const answer = this.#bareReasoning.toString();
    this.#text.add(answer);
    return answer;
  }

  #liftedCall({ name, parameters }: WrittenCall): RequestedCall {
    const { newCallId, toolName } = this.#options;
    return {
      call: {
        id: newCallId(),
        type: "function",
        function: { name: toolName(name), arguments: JSON.stringify(parameters) },
      },
      parsed: { state: "ok", value: parameters },
    };
  }

  #addChoice(choice: WireChoice): Folded {
    const index = choice.index ?? 0;
    const reason = choice.finish_reason;
    if (reason && FAILED_REASONS.has(reason)) {
      const inner = choice.error ?? { message: "the model service failed", type: "server_error" };
      return { state: "fault", fault: faultOfVendorError(inner) };
    }
    if (reason) this.#finishReasons.set(index, reason);
    this.#usage = readUsage(choice.usage) ?? this.#usage;
    const delta = choice.delta ?? choice.message;
    return delta ? this.#addDelta(delta, index) : NOTHING;
  }

  #addDelta(delta: WireDelta, choice: number): Folded {
    for (const call of delta.tool_calls ?? []) this.#calls.add(call, choice);
    if (delta.function_call) this.#calls.add({ function: delta.function_call }, choice);
    if (delta.tool_calls?.length || delta.function_call) this.#hasContent = true;
    const { text, thinking } = splitContent(delta.content);
    if (delta.refusal) this.#refused = true;
    if (!delta.reasoning_content && delta.reasoning) this.#bareReasoning.add(delta.reasoning);
    const reasoning = thinking + (delta.reasoning_content || delta.reasoning || "");
    return this.#take(text + (delta.refusal ?? ""), reasoning);
  }

  #take(text: string, reasoning: string): Folded {
    if (text === "" && reasoning === "") return NOTHING;
    this.#hasContent = true;
    this.#reasoning.add(reasoning);
    const shown = this.#written.push(text);
    this.#text.add(shown);
    return { state: "ok", text: shown, reasoning };
  }

  /** Where several choices stopped, that of one with calls counts. */
  #finishReason(): FinishReason {
    if (this.#refused) return "refusal";
    const withCalls = this.#calls.choices;
    const reasons = [...this.#finishReasons].toSorted(([a], [b]) =>
      Number(withCalls.has(b)) - Number(withCalls.has(a))
    );
    const reason = reasons[0]?.[1];
    return reason === undefined ? "stop" : FINISH_REASONS[reason.toLowerCase()] ?? "other";
  }
}

function faultIn(chunk: {
  readonly error?: unknown;
  readonly base_resp?:
    | { readonly status_code: number; readonly status_msg?: string | null | undefined }
    | null
    | undefined;
}): Fault | undefined {
  if (chunk.error) return faultOfVendorError(chunk.error);
  const { base_resp: base } = chunk;
  if (!base || base.status_code === 0) return undefined;
  return { tokens: [String(base.status_code)], text: base.status_msg ?? "" };
}

/** Usage in our terms; null when there is none. */
function readUsage(usage: unknown): Usage | null {
  if (!usage) return null;
  const { data } = wireUsage.safeParse(usage);
  if (data === undefined) return null;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = data;
  const totalTokens = data.total_tokens || promptTokens + completionTokens;
  if (totalTokens === 0) return null;
  const cachedTokens = data.prompt_tokens_details?.cached_tokens || data.cached_tokens ||
    data.prompt_cache_hit_tokens;
  const reasoningTokens = data.completion_tokens_details?.reasoning_tokens;
  return {
    promptTokens,
    completionTokens,
    totalTokens,
    ...(cachedTokens ? { cachedTokens } : {}),
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}
