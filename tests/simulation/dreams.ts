/**
 * The model as far as Dream asks it: it writes down which messages it was told of, or fails.
 * @module
 */

import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { DreamModel } from "../../actors/memory/ports.ts";
import type { ChatEvent, ChatRequest, ChatResponse } from "../../providers/provider.ts";
import type { Chance } from "./chance.ts";
import type { Faults } from "./faults.ts";
import { textOf } from "./marks.ts";
import { namesIn, overloaded } from "./summaries.ts";

const TAKEN = /^- took (.*)$/gm;

/** What it takes from its world. */
export interface DreamingOptions {
  readonly chance: Chance;
  readonly faults: Faults;
}

/** The marks of the messages that facts tell of, without their `#`. */
export function namesInFacts(facts: string): string[] {
  return [...facts.matchAll(TAKEN)].flatMap(([, names]) => names?.match(/m\d+/g) ?? []);
}

/** Outlives the gateway. */
export class DreamingModel {
  readonly #options: DreamingOptions;

  constructor(options: DreamingOptions) {
    this.#options = options;
  }

  /** As one life of the gateway knows it. */
  mount(clock: Clock): DreamModel {
    return {
      provider: { name: "dreaming", chat: (request, signal) => this.#chat(request, clock, signal) },
      model: "dreaming",
      ...{ tokensMax: 1_000, temperature: 0, reasoningEffort: null, batchCharsMax: 100_000 },
      reserve: () => Promise.resolve({ state: "allowed", release: () => {} }),
      book: () => Promise.resolve(),
    };
  }

  async *#chat(
    request: ChatRequest,
    clock: Clock,
    signal: AbortSignal,
  ): AsyncGenerator<ChatEvent, void, void> {
    const { chance, faults } = this.#options;
    await sleep(clock, chance.between(10, 3_000), signal);
    if (faults.happens(0.15)) return yield { type: "failed", error: overloaded() };
    const finishReason = faults.happens(0.05) ? "length" : "stop";
    yield { type: "finished", response: { ...answerTo(request), finishReason } };
  }
}

function answerTo({ messages, tools }: ChatRequest): Omit<ChatResponse, "finishReason"> {
  const question = textOf(messages[1] ?? { content: "" });
  const [told = ""] = question.split("# memory/MEMORY.md");
  if (tools.length === 0) return said(`[MEMORY] took ${namesInSummaries(told).join(" ")}`);
  if (messages.at(-1)?.role === "tool") return said("Done.");
  const names = /took (.*)/.exec(told)?.[1] ?? "";
  const args = {
    path: "memory/MEMORY.md",
    old_text: "# Memory\n",
    new_text: `# Memory\n- took ${names}\n`,
  };
  const call = {
    id: "call-1",
    type: "function",
    function: { name: "edit_file", arguments: JSON.stringify(args) },
  } as const;
  return { ...said(null), calls: [{ call, parsed: { state: "ok", value: args } }] };
}

/** Of several entries, each behind its time. */
function namesInSummaries(told: string): string[] {
  return told.split(/^\[\d{4}-\d\d-\d\d \d\d:\d\d\] /m).slice(1).flatMap(namesIn);
}

function said(content: string | null): Omit<ChatResponse, "finishReason"> {
  return { content, calls: [], usage: null, reasoning: null, thinkingBlocks: [] };
}
