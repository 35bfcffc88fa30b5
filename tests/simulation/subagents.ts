/**
 * Subagents of a simulated world: a model that starts them now and then, and is them.
 * @module
 */

import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { SubagentRules } from "../../actors/session/ports.ts";
import {
  type ChatEvent,
  type ChatRequest,
  type ChatResponse,
  type Provider,
  ProviderError,
  type RequestedCall,
} from "../../providers/provider.ts";
import type { Activity } from "./activity.ts";
import type { Chance } from "./chance.ts";
import type { Faults } from "./faults.ts";

/** How often an answer with tools also starts a subagent. */
const SPAWNING_SHARE = 0.35;
const WAITING_SHARE = 0.3;

/** What it takes from its world. */
export interface SubagentsOptions {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly activity: Activity;
  readonly newEffect: () => string;
}

/** What holds for the subagents of a world. */
export const SUBAGENT_RULES: SubagentRules = {
  iterationsMax: 3,
  timeoutMs: 30_000,
  tokensMax: null,
  showsProgress: true,
  systemPrompt: () => Promise.resolve("You are a helper."),
};

/** A provider whose answers start subagents, and that answers those by itself. */
export function withSubagents(provider: Provider, options: SubagentsOptions): Provider {
  return {
    name: provider.name,
    chat: (request, signal) =>
      request.conversationId.includes(":subagent:")
        ? help(request, options, signal)
        : spawning(provider.chat(request, signal), options),
  };
}

async function* spawning(
  events: AsyncIterable<ChatEvent>,
  { chance, newEffect }: SubagentsOptions,
): AsyncGenerator<ChatEvent, void, void> {
  for await (const event of events) {
    const isAsking = event.type === "finished" && event.response.calls.length > 0;
    if (!isAsking || !chance.happens(SPAWNING_SHARE)) yield event;
    else {
      const task = `Look into ${newEffect()}`;
      const args = chance.happens(WAITING_SHARE) ? { task, wait: true } : { task };
      const calls = [...event.response.calls, callOf("spawn", args)];
      yield { ...event, response: { ...event.response, calls } };
    }
  }
}

async function* help(
  { conversationId }: ChatRequest,
  { clock, chance, faults, activity, newEffect }: SubagentsOptions,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void, void> {
  const end = activity.begin(conversationId, "model");
  signal.addEventListener("abort", end, { once: true });
  try {
    await sleep(clock, chance.between(10, 12_000), signal);
    if (faults.happens(0.1)) throw new Error("Cannot help: the model's port broke");
    if (faults.happens(0.1)) return yield { type: "failed", error: overloaded() };
    const look = chance.happens(0.6) ? [callOf("look", { effect: newEffect() })] : [];
    yield { type: "finished", response: responseOf("It is so.", look) };
  } finally {
    end();
  }
}

function responseOf(content: string, calls: readonly RequestedCall[]): ChatResponse {
  const finishReason = calls.length > 0 ? "tool_calls" : "stop";
  return { content, calls, finishReason, usage: null, reasoning: null, thinkingBlocks: [] };
}

function callOf(name: string, args: Readonly<Record<string, string | boolean>>): RequestedCall {
  const call = { name, arguments: JSON.stringify(args) };
  return {
    call: { id: `call_${name}`, type: "function", function: call },
    parsed: { state: "ok", value: args },
  };
}

function overloaded(): ProviderError {
  return new ProviderError("Cannot help: the model is overloaded", {
    code: "provider_overloaded",
    recovery: "retry",
    userText: "The model is busy.",
  });
}
