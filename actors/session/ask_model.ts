/**
 * One question to the model: within the budgets, within its window, and counted.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Answerer, ChatRequest, SystemMessage, Usage } from "../../providers/provider.ts";
import { forgetShown } from "../tools/read_notes.ts";
import type { AnswerView } from "./answer_view.ts";
import type { AttemptCall, CallOutcome } from "./answer_attempt.ts";
import { CallMeter, type MeteredUsage } from "./call_meter.ts";
import { inputBudget, requestTokens } from "./governance.ts";
import type { Replay } from "./history.ts";
import { callModel, type ModelOutcome } from "./model_call.ts";
import { pausedNote } from "./pausing.ts";
import type { SessionServices } from "./ports.ts";
import type { FinishedCall } from "./usage_ledger.ts";
import type { SessionMemory } from "./session_memory.ts";
import type { TurnListener } from "./turn_events.ts";
import type { TurnSteps } from "./steps.ts";
import {
  modelRequest,
  overheadTokens,
  type RequestOptions,
  smallerRequest,
} from "./turn_messages.ts";

const logger = getLogger(["troupe", "session", "ask_model"]);

/** What a turn asks with. */
export interface ModelAskerOptions {
  /** Whose usage it is. */
  readonly sessionKey: string;
  /** What requests of one conversation have in common. @default the session's key */
  readonly conversationId?: string;
  readonly services: Pick<SessionServices, "provider" | "settings" | "tools" | "usage">;
  readonly steps: Pick<TurnSteps, "booking" | "goesOn"> & Partial<Pick<TurnSteps, "inputs">>;
  readonly view: AnswerView;
  readonly memory: SessionMemory;
  /** Hears what calls come to. @default nobody does */
  readonly listener?: (() => TurnListener | undefined) | undefined;
}

/** What is asked. */
export interface Question extends AttemptCall {
  readonly replay: Replay;
  readonly system: SystemMessage;
  /** The answer is not shown while it comes. */
  readonly isHidden: boolean;
}

/** Asks for one turn. */
export class ModelAsker {
  readonly #options: ModelAskerOptions;

  constructor(options: ModelAskerOptions) {
    this.#options = options;
  }

  /**
   * Asks, unless a budget is spent. About a conversation that is too long for the model it asks
   * once more, with much less of it.
   *
   * @throws the signal's reason when it aborts; {JournalError}
   */
  async ask(question: Question, signal: AbortSignal): Promise<CallOutcome> {
    const { sessionKey, services, steps, memory } = this.#options;
    steps.booking.release(); // of an answer that was thrown away
    const permission = await services.usage.reserve({
      sessionKey,
      unbooked: steps.booking.usage,
      estimate: () => this.#estimate(question),
    }, signal);
    if (permission.state === "spent") {
      signal.throwIfAborted();
      return { state: "out_of_budget", budget: permission.budget };
    }
    steps.booking.holds(permission.release);
    signal.throwIfAborted();
    steps.goesOn(pausedNote(sessionKey));
    const options = this.#requestOptions(question);
    const { shortenings } = memory.view;
    const request = modelRequest(question.replay, options);
    if (memory.view.shortenings !== shortenings) forgetShown(memory.reads);
    memory.overheadTokens = overheadTokens(options);
    const outcome = await this.#call(request, question, signal);
    const isTooLong = outcome.state === "failed" &&
      outcome.error.code === "provider_context_too_long";
    return isTooLong ? await this.#askSmaller(question, signal) ?? outcome : outcome;
  }

  /** The whole conversation, and the longest answer. */
  #estimate({ replay, system, extra }: Question): FinishedCall {
    const { sessionKey, services: { provider, settings, tools } } = this.#options;
    const whole = [...replay.messages(system), ...extra];
    const promptTokens = Math.min(
      requestTokens(whole, tools.definitions()),
      inputBudget(settings) ?? Infinity,
    );
    const completionTokens = settings.tokensMax;
    const usage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
    const asked = { provider: provider.name, model: settings.model };
    return { sessionKey, ...asked, usage, isEstimated: true };
  }

  async #askSmaller(question: Question, signal: AbortSignal): Promise<ModelOutcome | undefined> {
    const { sessionKey, memory } = this.#options;
    const request = smallerRequest(question.replay, this.#requestOptions(question));
    if (request === undefined) return undefined;
    forgetShown(memory.reads);
    const tokens = requestTokens(request.messages, request.tools);
    logger.warn("{sessionKey} is too long for {model}: asks again with about {tokens} tokens", {
      sessionKey,
      model: request.model,
      tokens,
    });
    const outcome = await this.#call(request, question, signal);
    // What follows in this conversation would be too long as well.
    if (outcome.state === "answered") memory.foundSmaller(tokens);
    return outcome;
  }

  #requestOptions({ system, extra, withTools }: Question): RequestOptions {
    const { sessionKey, services: { settings, tools }, memory } = this.#options;
    const { conversationId = sessionKey } = this.#options;
    return {
      system,
      extra,
      settings,
      tools: withTools ? tools.definitions() : [],
      conversationId,
      inputTokensMax: memory.requestLimit(inputBudget(settings)),
      view: memory.view,
    };
  }

  async #call(
    request: ChatRequest,
    { kept, isHidden }: Question,
    signal: AbortSignal,
  ): Promise<ModelOutcome> {
    const { services: { provider }, view } = this.#options;
    const asked = { provider: provider.name, model: request.model };
    const meter = new CallMeter(request, {
      listener: view,
      onVoid: (used) => this.#book(asked, used),
    });
    view.beginCall({ kept, isHidden });
    const { inputs } = this.#options.steps;
    try {
      const outcome = await callModel(request, { provider, listener: meter, signal }).catch(
        (error) => {
          inputs?.asked(request, { state: "cut" });
          throw error;
        },
      );
      inputs?.asked(request, outcome);
      if (outcome.state === "failed") {
        meter.brokeOff();
        return outcome;
      }
      const used = meter.used(outcome);
      this.#book(outcome.by ?? asked, used);
      const { finishReason } = outcome.response;
      this.#options.listener?.()?.({ type: "call_answered", finishReason });
      if (!used.isEstimated) this.#learn(request, used.usage);
      return outcome;
    } catch (error) {
      meter.brokeOff();
      throw error;
    }
  }

  /** Estimates matter where there is little room; elsewhere they need not be made. */
  #learn(request: ChatRequest, usage: Usage): void {
    const { services: { settings }, memory } = this.#options;
    memory.count(usage);
    if (usage.promptTokens * 2 < (inputBudget(settings) ?? Infinity)) return;
    memory.learn(usage.promptTokens, requestTokens(request.messages, request.tools));
  }

  #book(by: Answerer, used: MeteredUsage): void {
    const { sessionKey, services, steps } = this.#options;
    steps.booking.add(services.usage.entry({ sessionKey, ...by, ...used }));
    this.#options.listener?.()?.({ type: "tokens_used", ...used });
  }
}
