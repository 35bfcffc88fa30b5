/**
 * The backend for everything that speaks OpenAI's chat completions. It always streams, gives up
 * on a stream that stalls, and takes no cut answer for a whole one.
 * @module
 */

import { createHash } from "node:crypto";
import { getLogger } from "@logtape/logtape";
import type { Clock } from "../actors/kernel/clock.ts";
import type { JsonObject } from "../actors/kernel/json.ts";
import type { NewId } from "../actors/kernel/random.ts";
import type { ChosenProvider } from "./choice.ts";
import { type Fault, type FaultContext, providerError } from "./failures.ts";
import { buildBody } from "./openai/body.ts";
import { type Concession, concessionFor } from "./openai/concessions.ts";
import { AnswerFold } from "./openai/fold.ts";
import { type Answer, faultOf, OpenAiWire } from "./openai/sdk.ts";
import type { ChatEvent, ChatRequest, Provider } from "./provider.ts";
import { StallWatchdog } from "./stall.ts";

const logger = getLogger(["troupe", "providers", "openai_compatible"]);

/** What the backend needs besides its vendor. */
export interface OpenAiCompatibleOptions {
  readonly clock: Clock;
  readonly newId: NewId;
  /** Longest silence of the server: before the headers, and between two chunks. */
  readonly stallMs: number;
}

/** One upstream that speaks chat completions. */
export class OpenAiCompatibleProvider implements Provider {
  readonly name: string;
  readonly #choice: ChosenProvider;
  readonly #options: OpenAiCompatibleOptions;
  readonly #wire: OpenAiWire;
  readonly #context: FaultContext;
  /** What each model's server has refused. */
  readonly #concessions = new Map<string, Set<Concession>>();

  constructor(choice: ChosenProvider, options: OpenAiCompatibleOptions) {
    const { vendor, baseUrl, apiKey, extraHeaders } = choice;
    this.name = vendor.name;
    this.#choice = choice;
    this.#options = options;
    this.#wire = new OpenAiWire({
      baseUrl,
      apiKey,
      headers: lowerCaseNames({ ...vendor.headers, ...extraHeaders }),
    });
    this.#context = {
      displayName: vendor.displayName,
      baseUrl,
      isLocal: vendor.kinds.includes("local"),
      secrets: [apiKey, ...Object.values(extraHeaders)].filter((secret) => secret !== ""),
    };
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
    const made = this.#concessions.get(request.model) ?? new Set();
    this.#concessions.set(request.model, made);
    while (true) {
      const attempt = new Attempt(this.#wire, this.#options, signal);
      const body = buildBody(request, this.#choice.vendor, made);
      const fold = new AnswerFold({
        newCallId: () => `call_${this.#options.newId()}`,
        answersInReasoning: this.#choice.vendor.answersInReasoning ?? false,
      });
      const fault = yield* attempt.run(body, request.conversationId, fold);
      if (fault === undefined) return;
      const concession = concessionFor(fault, made);
      if (concession === undefined) {
        yield { type: "failed", error: providerError(fault, this.#context) };
        return;
      }
      made.add(concession);
      logger.info("Asking {model} again: {vendor} refused {concession}", {
        model: request.model,
        vendor: this.name,
        concession,
      });
    }
  }
}

/** One request and the reading of its answer. */
class Attempt {
  readonly #wire: OpenAiWire;
  readonly #options: OpenAiCompatibleOptions;
  readonly #signal: AbortSignal;

  constructor(wire: OpenAiWire, options: OpenAiCompatibleOptions, signal: AbortSignal) {
    this.#wire = wire;
    this.#options = options;
    this.#signal = signal;
  }

  /** Yields what arrives; returns why there is no answer, or nothing after `finished`. */
  async *run(
    body: JsonObject,
    conversationId: string,
    fold: AnswerFold,
  ): AsyncGenerator<ChatEvent, Fault | undefined> {
    if (this.#signal.aborted) return ABORTED;
    const request = new AbortController();
    const abort = () => request.abort();
    this.#signal.addEventListener("abort", abort, { once: true });
    using watchdog = new StallWatchdog(this.#options.clock, this.#options.stallMs, abort);
    let isWhole = false;
    let broken: Fault | undefined;
    try {
      const headers = { "x-session-affinity": affinityOf(conversationId) };
      const answer = await watchdog.watch(this.#wire.ask(body, headers, request.signal));
      const chunks = chunksOf(answer);
      // By hand and not by generators on top of each other, which would cost more than the rest.
      for (
        let next = await watchdog.watch(chunks.next());
        !next.done;
        next = await watchdog.watch(chunks.next())
      ) {
        const folded = fold.add(next.value);
        if (folded.state === "fault") return folded.fault;
        for (const event of eventsOf(folded)) yield event;
      }
      isWhole = answer.kind === "whole" || answer.isDone();
    } catch (error) {
      broken = faultOf(error, this.#options.clock.now());
    } finally {
      this.#signal.removeEventListener("abort", abort);
      request.abort();
    }
    if (this.#signal.aborted) return ABORTED;
    // What breaks after the model's last word is not missed.
    if (!fold.isFinished && watchdog.hasStalled) return this.#stalled();
    if (!fold.isFinished && broken !== undefined) return broken;
    return yield* finish(fold, isWhole);
  }

  #stalled(): Fault {
    const text = `stream stalled for more than ${this.#options.stallMs / 1_000} seconds`;
    return { failure: "provider_timeout", tokens: [], text };
  }
}

const ABORTED: Fault = { failure: "provider_aborted", tokens: [], text: "stopped by the caller" };

/** The chunks of an answer, in whatever form it came. */
function chunksOf(answer: Answer): AsyncIterator<unknown> {
  const chunks = answer.kind === "stream" ? answer.chunks : ReadableStream.from([answer.body]);
  return chunks[Symbol.asyncIterator]();
}

function eventsOf(piece: { readonly text: string; readonly reasoning: string }): ChatEvent[] {
  const events: ChatEvent[] = [];
  if (piece.reasoning !== "") events.push({ type: "reasoning", text: piece.reasoning });
  if (piece.text !== "") events.push({ type: "text", text: piece.text });
  return events;
}

function* finish(fold: AnswerFold, isWhole: boolean): Generator<ChatEvent, Fault | undefined> {
  const result = fold.finish(isWhole);
  if (result.state === "fault") return result.fault;
  yield* eventsOf({ text: result.lateText, reasoning: "" });
  yield { type: "finished", response: result.response };
  return undefined;
}

/** The same for all calls of a conversation; the id itself may name a person and stays here. */
function affinityOf(conversationId: string): string {
  return createHash("sha256").update(conversationId).digest("hex").slice(0, 32);
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(entries);
}
