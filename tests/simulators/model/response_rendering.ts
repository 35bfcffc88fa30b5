/**
 * Turns the steps of a reply into the events of OpenAI's Responses API.
 * @module
 */

import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { Rendering } from "./answer_words.ts";
import { argumentsText } from "./rendering.ts";
import type { CallDelta, StreamStep } from "./script.ts";

/** Stands for reasoning that only the server can read. */
export const ENCRYPTED = "sealed-by-the-simulator";

interface Item {
  readonly index: number;
  readonly id: string;
  readonly type: "message" | "reasoning" | "function_call";
  readonly callId: string;
  readonly name: string;
  text: string;
}

/** One answer; items begin when something of theirs comes. */
export class ResponseRendering implements Rendering {
  readonly #items: Item[] = [];
  readonly #calls = new Map<number, Item>();
  #open: Item | undefined;
  #usage: JsonValue = null;
  #reason = "stop";
  #sequence = 0;

  step(step: StreamStep): string {
    switch (step.type) {
      case "text":
        return this.#grow("message", "response.output_text.delta", step.text);
      case "reasoning":
        return this.#grow("reasoning", "response.reasoning_summary_text.delta", step.text);
      case "calls":
        return step.deltas.map((delta, position) => this.#call(delta, delta.index ?? position))
          .join("");
      case "finish":
        this.#reason = step.reason;
        return "";
      case "usage":
        this.#usage = usageOf(step.usage);
        return "";
      case "done":
        return this.#closing() + this.#end();
      case "error":
        return this.#event("error", { error: step.error });
      case "comment":
        return `: ${step.text}\n\n`;
      case "chunk":
        return this.#event(String(step.chunk["type"]), step.chunk);
      case "raw":
        return step.text;
      case "pause":
      case "stall":
      case "cut":
        return "";
    }
  }

  whole(steps: readonly StreamStep[]): JsonObject {
    for (const step of steps) this.step(step);
    return this.#response();
  }

  #grow(type: "message" | "reasoning", name: string, delta: string): string {
    const before = this.#open?.type === type ? "" : this.#closing() + this.#begin(type);
    const item = this.#open;
    if (item === undefined) return before;
    item.text += delta;
    return before + this.#event(name, { item_id: item.id, output_index: item.index, delta });
  }

  /** Events of arguments name the item and its place, never the call. */
  #call(delta: CallDelta, call: number): string {
    let item = this.#calls.get(call);
    let before = "";
    if (item === undefined) {
      before = this.#closing() +
        this.#begin("function_call", delta.id ?? "", delta.name ?? "");
      item = this.#open;
      if (item === undefined) return before;
      this.#calls.set(call, item);
    }
    const piece = argumentsText(delta);
    item.text += piece;
    if (piece === "") return before;
    return before + this.#event("response.function_call_arguments.delta", {
      item_id: item.id,
      output_index: item.index,
      delta: piece,
    });
  }

  #begin(type: Item["type"], callId = "", name = ""): string {
    const index = this.#items.length;
    const item: Item = { index, id: `item_${index}`, type, callId, name, text: "" };
    this.#items.push(item);
    this.#open = item;
    return this.#event("response.output_item.added", {
      output_index: index,
      item: { ...shapeOf(item), ...(type === "function_call" && { arguments: "" }) },
    });
  }

  #closing(): string {
    const item = this.#open;
    this.#open = undefined;
    // Parallel calls grow until the end.
    if (item === undefined || item.type === "function_call") return "";
    return this.#done(item);
  }

  #done(item: Item): string {
    return this.#event("response.output_item.done", {
      output_index: item.index,
      item: shapeOf(item),
    });
  }

  #end(): string {
    const calls = this.#items.filter(({ type }) => type === "function_call");
    const isCut = this.#reason === "length" || this.#reason === "content_filter";
    return calls.map((item) => this.#done(item)).join("") +
      this.#event(isCut ? "response.incomplete" : "response.completed", {
        response: this.#response(),
      });
  }

  #response(): JsonObject {
    const isCut = this.#reason === "length" || this.#reason === "content_filter";
    const reason = this.#reason === "length" ? "max_output_tokens" : this.#reason;
    return {
      id: "resp_simulated",
      object: "response",
      status: isCut ? "incomplete" : "completed",
      incomplete_details: isCut ? { reason } : null,
      error: null,
      output: this.#items.map(shapeOf),
      usage: this.#usage,
    };
  }

  #event(type: string, data: JsonObject): string {
    const sequence_number = this.#sequence++;
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...data })}\n\n`;
  }
}

function shapeOf({ id, type, callId, name, text }: Item): JsonObject {
  switch (type) {
    case "message":
      return {
        id,
        type,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      };
    case "reasoning":
      return {
        id,
        type,
        summary: [{ type: "summary_text", text }],
        encrypted_content: ENCRYPTED,
      };
    case "function_call":
      return { id, type, status: "completed", call_id: callId, name, arguments: text };
  }
}

/** Usage in any protocol's words in those of this one. */
function usageOf(usage: JsonObject): JsonObject {
  const { prompt_tokens, completion_tokens, ...rest } = usage;
  return {
    ...rest,
    ...(prompt_tokens !== undefined && { input_tokens: prompt_tokens }),
    ...(completion_tokens !== undefined && { output_tokens: completion_tokens }),
  };
}
