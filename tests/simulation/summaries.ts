/**
 * The model as far as it sums up conversations: it names the messages of people that it was given,
 * or fails.
 * @module
 */

import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import {
  type ChatEvent,
  type ChatRequest,
  type Provider,
  ProviderError,
} from "../../providers/provider.ts";
import type { Activity } from "./activity.ts";
import type { Chance } from "./chance.ts";
import type { Faults } from "./faults.ts";
import { textOf } from "./marks.ts";

/** What it takes from its world. */
export interface SummariesOptions {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly activity: Activity;
}

/** The marks of the messages that an entry of the memory is of, without their `#`. */
export function namesIn(entry: string): string[] {
  return entry.startsWith("[RAW]") ? namesOfPeople(entry) : entry.match(/\bm\d+/g) ?? [];
}

/** A summary is shown to the model again, so it names messages in another way than they are marked. */
function namesOfPeople(text: string): string[] {
  return [...text.matchAll(/USER: [^\n]*?#(m\d+)/g)].flatMap(([, name]) => name ?? []);
}

/** A provider that sums up by itself and leaves everything else to another one. */
export function withSummaries(provider: Provider, options: SummariesOptions): Provider {
  return {
    name: provider.name,
    chat: (request, signal) =>
      request.conversationId.endsWith("#summary")
        ? summarise(request, options, signal)
        : provider.chat(request, signal),
  };
}

async function* summarise(
  { conversationId, messages }: ChatRequest,
  { clock, chance, faults, activity }: SummariesOptions,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void, void> {
  const end = activity.begin(conversationId, "model");
  signal.addEventListener("abort", end, { once: true });
  try {
    await sleep(clock, chance.between(10, 5_000), signal);
    if (faults.happens(0.2)) return yield { type: "failed", error: overloaded() };
    const asked = messages.map(textOf).join("\n");
    yield {
      type: "finished",
      response: {
        content: `- said ${namesOfPeople(asked).join(" ")}`,
        calls: [],
        finishReason: faults.happens(0.1) ? "length" : "stop",
        usage: null,
        reasoning: null,
        thinkingBlocks: [],
      },
    };
  } finally {
    end();
  }
}

/** The model has no time. */
export function overloaded(): ProviderError {
  return new ProviderError("Cannot sum up: the model is overloaded", {
    code: "provider_overloaded",
    recovery: "retry",
    userText: "The model is busy.",
  });
}
