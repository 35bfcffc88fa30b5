/**
 * Folds the events of the Responses API into one response, while they arrive.
 * @module
 */

import { requestedCall } from "../messages/arguments.ts";
import { withOrigin } from "../messages/origin.ts";
import type { FinishReason, RequestedCall, Usage } from "../provider.ts";
import { type Fold, type Folded, foldFault, type FoldResult, NOTHING } from "../wire/answer.ts";
import { TextBuffer } from "../wire/text_buffer.ts";
import { faultOfVendorError } from "../wire/vendor_error.ts";
import {
  type WireEvent,
  wireEvent,
  type WireResponse,
  wireResponse,
  type WireUsage,
} from "./events.ts";
import {
  argumentsOf,
  Items,
  messageText,
  type OpenItem,
  replayable,
  summaryText,
} from "./items.ts";

/** How an answer is folded. */
export interface FoldOptions {
  readonly newCallId: () => string;
  /** Our name of a tool. */
  readonly toolName: (wireName: string) => string;
  /** Noted with reasoning, which only this model may see again. */
  readonly origin: string;
}

/** Collects one answer. */
export class ResponseFold implements Fold {
  readonly #options: FoldOptions;
  readonly #items = new Items();
  readonly #text = new TextBuffer();
  readonly #reasoning = new TextBuffer();
  #hasRefused = false;
  #end: WireResponse | undefined;

  constructor(options: FoldOptions) {
    this.#options = options;
  }

  get isFinished(): boolean {
    return this.#end !== undefined;
  }

  get isComplete(): boolean {
    return this.#end !== undefined;
  }

  add(data: unknown): Folded {
    const parsed = wireEvent.safeParse(data);
    if (!parsed.success) return NOTHING;
    const event = parsed.data;
    if (event.error) return { state: "fault", fault: faultOfVendorError(event.error) };
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#hasRefused ||= event.type === "response.refusal.delta";
        return this.#show(this.#items.of(event), event.delta ?? "", "");
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#show(this.#items.of(event), "", event.delta ?? "");
      case "response.reasoning_summary_part.added": {
        const item = this.#items.of(event);
        return item.hasShown ? this.#show(item, "", "\n\n") : NOTHING;
      }
      case "response.output_item.added":
        this.#items.of(event);
        return NOTHING;
      case "response.function_call_arguments.delta":
        this.#items.of(event).argumentPieces.add(event.delta ?? "");
        return NOTHING;
      case "response.function_call_arguments.done":
        this.#items.of(event).finalArguments = event.arguments ?? undefined;
        return NOTHING;
      case "response.output_item.done":
        return this.#endItem(this.#items.of(event));
      default:
        return this.#addEnd(event, data);
    }
  }

  /** An answer is whole when its last event has come, and only then. */
  finish(_isWhole: boolean): FoldResult {
    if (this.#end === undefined) {
      return this.#items.all.length === 0
        ? foldFault("provider_empty", "the answer is empty")
        : foldFault("provider_connection", "the stream ended before the answer did");
    }
    const reason = finishReasonOf(this.#end);
    const calls = this.#calls(reason === "length");
    const text = this.#text.toString();
    const reasoning = this.#reasoning.toString();
    const isPlain = reason === "stop";
    return {
      state: "ok",
      lateText: "",
      response: {
        content: text === "" ? null : text,
        calls,
        finishReason: this.#hasRefused
          ? "refusal"
          : isPlain && calls.length > 0
          ? "tool_calls"
          : reason,
        usage: readUsage(this.#end.usage),
        reasoning: reasoning === "" ? null : reasoning,
        thinkingBlocks: this.#items.all.flatMap(({ item }) => {
          const block = item.type === "reasoning" ? replayable(item) : undefined;
          return block === undefined ? [] : [withOrigin(block, this.#options.origin)];
        }),
      },
    };
  }

  #addEnd(event: WireEvent, data: unknown): Folded {
    switch (event.type) {
      case "response.completed":
      case "response.incomplete":
      case "response.failed": {
        const status = event.type.slice("response.".length);
        return this.#finishWith({ ...event.response, status: event.response?.status ?? status });
      }
      case "error":
        return { state: "fault", fault: faultOfVendorError(data) };
      case "":
        return this.#finishWith(wireResponse.safeParse(data).data ?? {});
      default:
        return NOTHING;
    }
  }

  #finishWith(end: WireResponse): Folded {
    const { status, output, error } = end;
    if (status === "failed" || status === "cancelled") {
      return { state: "fault", fault: faultOfVendorError(error ?? `Response ${status}`) };
    }
    if (!status && !output) return NOTHING;
    this.#end = end;
    // Servers that do not stream item by item, or not at all, tell all here.
    if (this.#items.all.length > 0) return NOTHING;
    let text = "";
    let reasoning = "";
    for (const item of output ?? []) {
      const shown = this.#endItem(this.#items.of({ item }));
      if (shown.state === "fault") return shown;
      text += shown.text;
      reasoning += shown.reasoning;
    }
    return { state: "ok", text, reasoning };
  }

  /** What an item has to show that its pieces did not. */
  #endItem(open: OpenItem): Folded {
    const { item } = open;
    if (item.content?.some(({ type }) => type === "refusal")) this.#hasRefused = true;
    if (open.hasShown) return NOTHING;
    if (item.type === "message") return this.#show(open, messageText(item), "");
    if (item.type === "reasoning") return this.#show(open, "", summaryText(item));
    return NOTHING;
  }

  #show(open: OpenItem, text: string, reasoning: string): Folded {
    if (text === "" && reasoning === "") return NOTHING;
    open.hasShown = true;
    this.#text.add(text);
    this.#reasoning.add(reasoning);
    return { state: "ok", text, reasoning };
  }

  #calls(isCutOff: boolean): readonly RequestedCall[] {
    const { newCallId, toolName } = this.#options;
    const taken = new Set<string>();
    return this.#items.all.filter(isCall).map((open) => {
      const given = open.item.call_id ?? open.item.id ?? "";
      const id = given === "" || taken.has(given) ? newCallId() : given;
      taken.add(id);
      const name = toolName(open.item.name ?? "");
      return requestedCall({ id, name, arguments: argumentsOf(open) }, isCutOff);
    });
  }
}

function isCall({ item, argumentPieces }: OpenItem): boolean {
  return item.type === "function_call" || (item.type === "" && !argumentPieces.isEmpty);
}

function finishReasonOf({ status, incomplete_details: why }: WireResponse): FinishReason {
  if (status !== "incomplete") return "stop";
  return why?.reason === "content_filter" ? "content_filter" : "length";
}

function readUsage(usage: WireUsage | null | undefined): Usage | null {
  if (!usage) return null;
  const { input_tokens: promptTokens, output_tokens: completionTokens } = usage;
  const totalTokens = usage.total_tokens || promptTokens + completionTokens;
  if (totalTokens === 0) return null;
  const cachedTokens = usage.input_tokens_details?.cached_tokens;
  const reasoningTokens = usage.output_tokens_details?.reasoning_tokens;
  return {
    promptTokens,
    completionTokens,
    totalTokens,
    ...(cachedTokens ? { cachedTokens } : {}),
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}
