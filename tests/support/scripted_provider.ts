/**
 * A model in memory that says what the test wrote down.
 * @module
 */

import type {
  ChatEvent,
  ChatRequest,
  ChatResponse,
  FinishReason,
  Provider,
  RequestedCall,
  Usage,
} from "../../providers/provider.ts";
import { ProviderError } from "../../providers/provider.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";

/** A call that the model makes; `invalid` are arguments that cannot be parsed. */
export interface ScriptedCall {
  readonly name: string;
  readonly id?: string;
  readonly args?: JsonObject;
  readonly invalid?: string;
}

/** One answer. Text comes in `pieces`, or as one. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly pieces?: readonly string[];
  readonly calls?: readonly ScriptedCall[];
  readonly finishReason?: FinishReason;
  readonly usage?: Usage;
  readonly reasoning?: string;
  /** Signed by a vendor. */
  readonly thinkingBlocks?: readonly JsonObject[];
  /** Text that comes first and is then void. */
  readonly voided?: string;
  /** The answer, or failure, comes after this; an abort ends the waiting. */
  readonly after?: Promise<unknown>;
  /** Fails after the text came. */
  readonly error?: ProviderError;
}

/** What the model says to the n-th request (from 0); undefined is a mistake of the test. */
export type Script = (request: ChatRequest, index: number) => string | ScriptedAnswer | undefined;

/** Answers in the order of the script, and remembers what it was asked. */
export class ScriptedProvider implements Provider {
  readonly name = "scripted";
  readonly requests: ChatRequest[] = [];
  /** Calls that run now. */
  running = 0;
  readonly #script: Script;

  /** @param script a function, or the answers in order */
  constructor(script: Script | readonly (string | ScriptedAnswer)[]) {
    this.#script = typeof script === "function" ? script : (_request, index) => script[index];
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent, void, void> {
    const index = this.requests.push(request) - 1;
    const said = this.#script(request, index);
    if (said === undefined) throw new Error(`Cannot answer request ${index}: not in the script`);
    const answer = typeof said === "string" ? { text: said } : said;
    this.running++;
    try {
      yield* this.#answer(answer, index, signal);
    } finally {
      this.running--;
    }
  }

  async *#answer(
    answer: ScriptedAnswer,
    index: number,
    signal: AbortSignal,
  ): AsyncGenerator<ChatEvent, void, void> {
    if (answer.voided !== undefined) {
      yield { type: "text", text: answer.voided };
      yield { type: "restarted" };
    }
    if (answer.reasoning !== undefined) yield { type: "reasoning", text: answer.reasoning };
    const pieces = answer.pieces ?? (answer.text === undefined ? [] : [answer.text]);
    for (const text of pieces) {
      await Promise.resolve();
      yield { type: "text", text };
    }
    if (answer.after !== undefined) await Promise.race([answer.after, aborted(signal)]);
    if (signal.aborted) yield { type: "failed", error: providerError("provider_aborted") };
    else if (answer.error !== undefined) yield { type: "failed", error: answer.error };
    else yield { type: "finished", response: responseOf(answer, pieces, index) };
  }
}

/** A failure of the provider. */
export function providerError(
  code: ProviderError["code"],
  userText: string = `because of ${code}`,
): ProviderError {
  return new ProviderError(`Cannot call the model: ${code}`, {
    code,
    recovery: "give_up",
    userText,
  });
}

function responseOf(
  answer: ScriptedAnswer,
  pieces: readonly string[],
  index: number,
): ChatResponse {
  const calls = (answer.calls ?? []).map((call, n) => requestedCall(call, `call_${index}_${n}`));
  return {
    content: pieces.length === 0 ? null : pieces.join(""),
    calls,
    finishReason: answer.finishReason ?? (calls.length > 0 ? "tool_calls" : "stop"),
    usage: answer.usage ?? null,
    reasoning: answer.reasoning ?? null,
    thinkingBlocks: answer.thinkingBlocks ?? [],
  };
}

function requestedCall(call: ScriptedCall, id: string): RequestedCall {
  const text = call.invalid ?? JSON.stringify(call.args ?? {});
  return {
    call: {
      id: call.id ?? id,
      type: "function",
      function: { name: call.name, arguments: text },
    },
    parsed: call.invalid === undefined
      ? { state: "ok", value: call.args ?? {} }
      : { state: "invalid", problem: "no JSON" },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
