/**
 * Turns the steps of a reply into the wire shapes of chat completions.
 * @module
 */

import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { Rendering } from "./answer_words.ts";
import type { CallDelta, StepsReply, StreamStep } from "./script.ts";

const DEFAULT_USAGE: JsonObject = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** The steps with the end that a well-behaved server would give them. */
export function withEnding(reply: StepsReply, wantsUsage: boolean): readonly StreamStep[] {
  const { steps, isBare = false } = reply;
  const has = (type: StreamStep["type"]) => steps.some((step) => step.type === type);
  if (isBare || has("cut") || has("done") || has("stall") || has("error")) return steps;
  const reason = has("calls") ? "tool_calls" : "stop";
  return [
    ...steps,
    ...(has("finish") ? [] : [{ type: "finish", reason } as const]),
    ...(has("usage") || !wantsUsage ? [] : [{ type: "usage", usage: DEFAULT_USAGE } as const]),
    { type: "done" },
  ];
}

/** Chat completions. */
export class CompletionRendering implements Rendering {
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  step(step: StreamStep): string {
    return renderStep(step, this.#model);
  }

  whole(steps: readonly StreamStep[]): JsonObject {
    return renderCompletion(steps, this.#model);
  }
}

/** The bytes of a step as text; "" for steps that are no bytes. */
export function renderStep(step: StreamStep, model: string): string {
  switch (step.type) {
    case "text":
      return event(chunk(model, { content: step.text }));
    case "reasoning":
      return event(chunk(model, { [step.field ?? "reasoning_content"]: step.text }));
    case "calls":
      return event(chunk(model, { tool_calls: step.deltas.map(renderDelta) }));
    case "finish":
      return event(chunk(model, {}, step.reason));
    case "usage":
      return event({ ...envelope(model), choices: [], usage: step.usage });
    case "comment":
      return `: ${step.text}\n\n`;
    case "error":
      return event({ error: step.error });
    case "chunk":
      return event(step.chunk);
    case "raw":
      return step.text;
    case "done":
      return "data: [DONE]\n\n";
    case "pause":
    case "stall":
    case "cut":
      return "";
  }
}

function renderCompletion(steps: readonly StreamStep[], model: string): JsonObject {
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  let content = "";
  let reasoning = "";
  let reason = "stop";
  let usage = DEFAULT_USAGE;
  for (const step of steps) {
    if (step.type === "text") content += step.text;
    if (step.type === "reasoning") reasoning += step.text;
    if (step.type === "finish") reason = step.reason;
    if (step.type === "usage") usage = step.usage;
    if (step.type !== "calls") continue;
    step.deltas.forEach((delta, position) => foldDelta(calls, delta, delta.index ?? position));
  }
  const message: Record<string, JsonValue> = {
    role: "assistant",
    content: content === "" ? null : content,
  };
  if (reasoning !== "") message["reasoning_content"] = reasoning;
  if (calls.size > 0) {
    message["tool_calls"] = [...calls.values()].map(({ id, ...called }) => ({
      id,
      type: "function",
      function: called,
    }));
  }
  return {
    ...envelope(model),
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: reason }],
    usage,
  };
}

function foldDelta(
  calls: Map<number, { id: string; name: string; arguments: string }>,
  delta: CallDelta,
  key: number,
): void {
  const call = calls.get(key) ?? { id: "", name: "", arguments: "" };
  calls.set(key, {
    id: delta.id ?? call.id,
    name: delta.name ?? call.name,
    arguments: call.arguments + argumentsText(delta),
  });
}

/** A piece of the arguments as JSON text. */
export function argumentsText(delta: CallDelta): string {
  const { arguments: piece = "" } = delta;
  return typeof piece === "string" ? piece : JSON.stringify(piece);
}

function renderDelta(delta: CallDelta): JsonObject {
  return {
    ...(delta.index !== undefined && { index: delta.index }),
    ...(delta.id !== undefined && { id: delta.id, type: "function" }),
    ...(delta.extra_content !== undefined && { extra_content: delta.extra_content }),
    function: {
      ...(delta.name !== undefined && { name: delta.name }),
      ...(delta.arguments !== undefined && { arguments: delta.arguments }),
    },
  };
}

function chunk(model: string, delta: JsonObject, finishReason: string | null = null): JsonObject {
  return { ...envelope(model), choices: [{ index: 0, delta, finish_reason: finishReason }] };
}

function envelope(model: string): JsonObject {
  return { id: "chatcmpl-simulated", object: "chat.completion.chunk", created: 0, model };
}

function event(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
