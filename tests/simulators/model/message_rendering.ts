/**
 * Turns the steps of a reply into the events of Anthropic's Messages API.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { Rendering } from "./answer_words.ts";
import { argumentsText } from "./rendering.ts";
import type { CallDelta, StreamStep } from "./script.ts";

/** Stands for the signature that the server puts under thoughts. */
export const SIGNATURE = "signed-by-the-simulator";

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
};

/** One answer; blocks begin when something of theirs comes. */
export class MessageRendering implements Rendering {
  readonly #model: string;
  readonly #calls = new Map<number, number>();
  #blocks = 0;
  #open: { readonly type: string; readonly index: number } | undefined;
  #hasBegun = false;

  constructor(model: string) {
    this.#model = model;
  }

  step(step: StreamStep): string {
    switch (step.type) {
      case "text":
        return this.#grow("text", { type: "text_delta", text: step.text });
      case "reasoning":
        return this.#grow("thinking", { type: "thinking_delta", thinking: step.text });
      case "calls":
        return step.deltas.map((delta, position) => this.#call(delta, delta.index ?? position))
          .join("");
      case "finish":
        return this.#closing() + event("message_delta", {
          delta: { stop_reason: STOP_REASONS[step.reason] ?? step.reason, stop_sequence: null },
          usage: { output_tokens: 0 },
        });
      case "usage":
        return this.#beginning() +
          event("message_delta", { delta: {}, usage: usageOf(step.usage) });
      case "done":
        return this.#closing() + event("message_stop", {});
      case "error":
        return event("error", { error: step.error });
      case "comment":
        return this.#beginning() + event("ping", {});
      case "chunk":
        return event(String(step.chunk["type"]), step.chunk);
      case "raw":
        return step.text;
      case "pause":
      case "stall":
      case "cut":
        return "";
    }
  }

  whole(steps: readonly StreamStep[]): JsonObject {
    let text = "";
    let reason = "end_turn";
    let usage: JsonObject = {};
    const uses = new Map<number, { id: string; name: string; json: string }>();
    for (const step of steps) {
      if (step.type === "text") text += step.text;
      if (step.type === "finish") reason = STOP_REASONS[step.reason] ?? step.reason;
      if (step.type === "usage") usage = usageOf(step.usage);
      if (step.type !== "calls") continue;
      step.deltas.forEach((delta, position) => {
        const index = delta.index ?? position;
        const { id = "", name = "", json = "" } = uses.get(index) ?? {};
        uses.set(index, {
          id: delta.id ?? id,
          name: delta.name ?? name,
          json: json + argumentsText(delta),
        });
      });
    }
    const calls = [...uses.values()].map(({ id, name, json }): JsonObject => ({
      type: "tool_use",
      id,
      name,
      input: JSON.parse(json === "" ? "{}" : json),
    }));
    return {
      ...envelope(this.#model),
      content: [...(text === "" ? [] : [{ type: "text", text }]), ...calls],
      stop_reason: reason,
      usage,
    };
  }

  #grow(type: "text" | "thinking", delta: JsonObject): string {
    if (this.#open?.type === type) return event("content_block_delta", { ...this.#at(), delta });
    const before = this.#closing();
    this.#open = { type, index: this.#blocks++ };
    const content_block = { type, [type]: "" };
    return before + event("content_block_start", { ...this.#at(), content_block }) +
      event("content_block_delta", { ...this.#at(), delta });
  }

  #call(delta: CallDelta, call: number): string {
    let index = this.#calls.get(call);
    let before = "";
    if (index === undefined) {
      before = this.#closing();
      index = this.#blocks++;
      this.#calls.set(call, index);
      this.#open = { type: "tool_use", index };
      const { id = "", name = "" } = delta;
      const content_block = { type: "tool_use", id, name, input: {} };
      before += event("content_block_start", { index, content_block });
    }
    const partial_json = argumentsText(delta);
    if (partial_json === "") return before;
    return before +
      event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } });
  }

  #at(): { readonly index: number } {
    return { index: this.#open?.index ?? 0 };
  }

  /** What ends the block that is open, if one is. */
  #closing(): string {
    const before = this.#beginning();
    if (this.#open === undefined) return before;
    const signature = this.#open.type === "thinking"
      ? event("content_block_delta", {
        ...this.#at(),
        delta: { type: "signature_delta", signature: SIGNATURE },
      })
      : "";
    const end = event("content_block_stop", this.#at());
    this.#open = undefined;
    return before + signature + end;
  }

  #beginning(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return event("message_start", { message: { ...envelope(this.#model), content: [] } });
  }
}

function envelope(model: string): JsonObject {
  return { id: "msg_simulated", type: "message", role: "assistant", model };
}

/** Usage in any protocol's words in those of this one. */
function usageOf(usage: JsonObject): JsonObject {
  const { prompt_tokens, completion_tokens, total_tokens: _, ...rest } = usage;
  return {
    ...rest,
    ...(prompt_tokens !== undefined && { input_tokens: prompt_tokens }),
    ...(completion_tokens !== undefined && { output_tokens: completion_tokens }),
  };
}

function event(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
