/**
 * Counts what one model call uses, also where its provider tells nothing: then by the texts.
 * @module
 */

import type { ChatRequest, ChatResponse, Usage } from "../../providers/provider.ts";
import { estimateTextTokens } from "../../providers/tokens.ts";
import { requestTokens } from "./governance.ts";
import type { ModelOutcome, TextListener } from "./model_call.ts";

/** What a call used. */
export interface MeteredUsage {
  readonly usage: Usage;
  /** Nobody told: it is a guess. */
  readonly isEstimated: boolean;
}

/** Listens to one call and passes on what it hears. */
export class CallMeter implements TextListener {
  readonly #request: ChatRequest;
  readonly #listener: TextListener;
  readonly #onVoid: (used: MeteredUsage) => void;
  /** What came since the call began, or was begun again. */
  #text = "";

  /** @param onVoid hears of what was used for text that is void, as vendors charge for it */
  constructor(
    request: ChatRequest,
    { listener, onVoid }: {
      readonly listener: TextListener;
      readonly onVoid: (used: MeteredUsage) => void;
    },
  ) {
    this.#request = request;
    this.#listener = listener;
    this.#onVoid = onVoid;
  }

  grew(delta: string): void {
    this.#text += delta;
    this.#listener.grew(delta);
  }

  thought(delta: string): void {
    this.#text += delta;
    this.#listener.thought(delta);
  }

  restarted(): void {
    this.brokeOff();
    this.#listener.restarted();
  }

  waits(delayMs: number): void {
    this.#listener.waits(delayMs);
  }

  /** The call, or one try of it, ended without an answer. */
  brokeOff(): void {
    if (this.#text !== "") this.#onVoid(this.#estimate(this.#text));
    this.#text = "";
  }

  /** What the call used, once it was answered. */
  used({ response }: Extract<ModelOutcome, { state: "answered" }>): MeteredUsage {
    const { usage } = response;
    return usage === null ? this.#estimate(allText(response)) : { usage, isEstimated: false };
  }

  #estimate(text: string): MeteredUsage {
    const promptTokens = requestTokens(this.#request.messages, this.#request.tools);
    const completionTokens = estimateTextTokens(text);
    const totalTokens = promptTokens + completionTokens;
    return { usage: { promptTokens, completionTokens, totalTokens }, isEstimated: true };
  }
}

function allText({ content, reasoning, calls }: ChatResponse): string {
  const asked = calls.map(({ call }) => `${call.function.name}${call.function.arguments}`);
  return [content ?? "", reasoning ?? "", ...asked].join("");
}
