/**
 * A simulated model: it names in its answers the messages it was shown, uses tools, and fails in
 * every way that a model does.
 * @module
 */

import {
  type ChatEvent,
  type ChatRequest,
  type ChatResponse,
  type Provider,
  ProviderError,
  type ProviderFailure,
  type RequestedCall,
} from "../../providers/provider.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { Activity } from "./activity.ts";
import type { Chance } from "./chance.ts";
import type { EventLog } from "./event_log.ts";
import type { Faults } from "./faults.ts";
import { marksToAnswer } from "./marks.ts";

/** Past this a provider gives a silent stream up by itself. */
const STALL_MS = 90_000;

/** So long a port may hang that does not hear an abort. */
const DEAF_MS = 45_000;

const FAILURES: readonly [ProviderFailure, ...ProviderFailure[]] = [
  "provider_auth",
  "provider_quota",
  "provider_rate_limited",
  "provider_overloaded",
  "provider_timeout",
  "provider_connection",
  "provider_bad_request",
  "provider_context_too_long",
  "provider_content_filter",
  "provider_empty",
];

/** What a model takes from its world. */
export interface ModelOptions {
  readonly clock: Clock;
  /** For what goes on whatever ends here. */
  readonly worldClock: Clock;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly log: EventLog;
  readonly activity: Activity;
  readonly newEffect: () => string;
  readonly tooLongWeight: number;
  readonly chats: readonly { readonly channel: string; readonly chatId: string }[];
  /**
   * Told of each request before it is answered, and whether its conversation was too long for this
   * model before.
   */
  readonly onRequest: (request: ChatRequest, wasTooLong: boolean) => void;
}

/** How a call goes. */
type Fate =
  | "answer"
  | "tools"
  | "restarted"
  | "blank"
  | "cut"
  | "cut_call"
  | "failed"
  | "stalled"
  | "deaf"
  | "thrown"
  | "ended_early";

/** The model of one life of the gateway. */
export class SimulatedModel implements Provider {
  readonly name = "simulated";
  readonly #options: ModelOptions;
  /** Conversations that were too long. */
  readonly #tooLong = new Set<string>();

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent, void, void> {
    const { activity, log, onRequest } = this.#options;
    const end = activity.begin(request.conversationId, "model");
    signal.addEventListener("abort", end, { once: true });
    const fate = this.#fate(request);
    log.add("model", `${request.conversationId} asks (${request.messages.length}): ${fate}`);
    onRequest(request, this.#tooLong.has(request.conversationId));
    try {
      for await (const event of this.#answer(request, fate, signal)) {
        if (event.type === "finished" || event.type === "failed") end();
        yield event;
      }
    } finally {
      end();
    }
  }

  #fate(request: ChatRequest): Fate {
    const { chance, faults } = this.#options;
    if (faults.happens(0.12)) {
      return chance.weighted<Fate>([["failed", 5], ["stalled", 2], ["deaf", 3], ["thrown", 1], [
        "ended_early",
        1,
      ]]);
    }
    return chance.weighted<Fate>([
      ["answer", 10],
      ["tools", request.tools.length > 0 ? 9 : 0],
      ["restarted", 1],
      ["blank", 1],
      ["cut", 1],
      ["cut_call", request.tools.length > 0 ? 1 : 0],
    ]);
  }

  async *#answer(
    request: ChatRequest,
    fate: Fate,
    signal: AbortSignal,
  ): AsyncGenerator<ChatEvent, void, void> {
    const { chance, clock } = this.#options;
    const aborted = () => ({ type: "failed", error: failure("provider_aborted") }) as const;
    if (!await this.#wait(chance.between(10, 2_500), signal)) return yield aborted();
    if (fate === "deaf") await sleep(this.#options.worldClock, DEAF_MS); // hears no abort
    if (fate === "thrown") throw new Error("Cannot answer: the model's port broke");
    const text = fate === "blank" ? "" : this.#words(request, fate);
    if (fate === "restarted") {
      yield { type: "text", text: "this is void " };
      if (!await this.#wait(50, signal)) return yield aborted();
      yield { type: "restarted" };
    }
    for (const piece of text.match(/[\s\S]{1,24}/g) ?? []) {
      yield { type: "text", text: piece };
      if (!await this.#wait(chance.between(1, 250), signal)) return yield aborted();
    }
    if (fate === "stalled") {
      const hasWaited = await this.#wait(STALL_MS, signal);
      return yield hasWaited ? { type: "failed", error: failure("provider_timeout") } : aborted();
    }
    if (fate === "ended_early") return;
    if (fate === "failed") {
      const { tooLongWeight } = this.#options;
      const code = chance.weighted(
        FAILURES.map((it) => [it, it === "provider_context_too_long" ? tooLongWeight : 1] as const),
      );
      if (code === "provider_context_too_long") this.#tooLong.add(request.conversationId);
      return yield { type: "failed", error: failure(code) };
    }
    yield { type: "finished", response: this.#response(text, fate, clock.now()) };
  }

  #words(request: ChatRequest, fate: Fate): string {
    const { chance } = this.#options;
    const marks = marksToAnswer(request.messages).join(" ");
    if (fate === "tools" || fate === "cut_call") {
      return chance.happens(0.5) ? "" : `I look into ${marks}.`;
    }
    const filler = chance.weighted([["", 3], [" Well, …\n\n- so\n- it is".repeat(6), 1]]);
    return `Answer to ${marks}.${filler}`;
  }

  #response(text: string, fate: Fate, nowMs: number): ChatResponse {
    const { chance } = this.#options;
    const hasCalls = fate === "tools" || fate === "cut_call";
    const isCut = fate === "cut" || fate === "cut_call";
    return {
      content: text === "" && chance.happens(0.5) ? null : text,
      calls: hasCalls ? this.#calls() : [],
      finishReason: isCut ? "length" : hasCalls ? chance.pick(["tool_calls", "stop"]) : "stop",
      usage: chance.happens(0.8)
        ? { promptTokens: nowMs % 1_000, completionTokens: 7, totalTokens: 7 + nowMs % 1_000 }
        : null,
      reasoning: chance.happens(0.1) ? "I think." : null,
      thinkingBlocks: [],
    };
  }

  #calls(): RequestedCall[] {
    const { chance, newEffect } = this.#options;
    const count = chance.weighted([[1, 5], [2, 3], [5, 1]]);
    return Array.from({ length: count }, (_, index) => {
      const effect = newEffect();
      // Models repeat ids, within an answer and over the answers, and leave them out.
      const id = chance.weighted([[`call_${effect}`, 12], [`call_${index}`, 2], ["same", 1], [
        "",
        1,
      ]]);
      const [name, args] = this.#callOf(effect);
      return requestedCall(id, name, args, chance.happens(0.05));
    });
  }

  #callOf(effect: string): readonly [string, JsonObject] {
    const { chance, chats } = this.#options;
    return chance.weighted<() => readonly [string, JsonObject]>([
      [() => ["look", { effect }], 5],
      [() => ["change", { effect }], 4],
      [() => ["message", { content: `Note ${effect}` }], 2],
      [() => {
        const { channel, chatId } = chats[chance.between(0, chats.length - 1)] ??
          { channel: "none", chatId: "none" };
        return ["message", { content: `Note ${effect}`, channel, chat_id: chatId }];
      }, 1],
      [() => ["unknown", { effect }], 0.5],
    ])();
  }

  /** False when the signal aborted meanwhile. */
  async #wait(delayMs: number, signal: AbortSignal): Promise<boolean> {
    try {
      await sleep(this.#options.clock, delayMs, signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }
}

function requestedCall(
  id: string,
  name: string,
  args: JsonObject,
  isInvalid: boolean,
): RequestedCall {
  const text = isInvalid ? `${JSON.stringify(args)}…` : JSON.stringify(args);
  return {
    call: { id, type: "function", function: { name, arguments: text } },
    parsed: isInvalid
      ? { state: "invalid", problem: "this is no JSON" }
      : { state: "ok", value: args },
  };
}

function failure(code: ProviderFailure): ProviderError {
  return new ProviderError(`Cannot call the model: ${code}`, {
    code,
    recovery: "give_up",
    userText: `simulated ${code}.`,
  });
}
