/**
 * Asks another model when the first one gives no answer.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../actors/kernel/clock.ts";
import { CandidateBreaker } from "./breaker.ts";
import { plainProviderError } from "./failures.ts";
import type {
  ChatEvent,
  ChatRequest,
  Provider,
  ProviderError,
  ProviderFailure,
} from "./provider.ts";

const logger = getLogger(["troupe", "providers", "fallback"]);

/** A model that may be asked, with its own retries. */
export interface Candidate {
  readonly provider: Provider;
  /** What is asked differently than of the first one. */
  readonly changes: Partial<
    Pick<ChatRequest, "model" | "tokensMax" | "temperature" | "reasoningEffort">
  >;
}

/**
 * Failures that another model may not share. What is wrong with the request itself (its form, its
 * length, its content) is so everywhere.
 */
const ELIGIBLE: ReadonlySet<ProviderFailure> = new Set([
  "provider_auth",
  "provider_quota",
  "provider_rate_limited",
  "provider_overloaded",
  "provider_timeout",
  "provider_connection",
  "provider_empty",
  "provider_web_page",
]);

/**
 * A provider that asks `candidates` in turn until one answers. Text that a failed one has shown is
 * made void by `restarted`. When all fail, the last error counts.
 *
 * @param candidates the first is the one that is meant
 */
export function withFallback(
  candidates: readonly [Candidate, ...Candidate[]],
  { clock }: { readonly clock: Clock },
): Provider {
  const [{ provider: { name } }] = candidates;
  const chain = new Chain(candidates, clock);
  return { name, chat: (request, signal) => chain.chat(request, signal) };
}

/** How one candidate's answer ended. */
interface Ending {
  /** Null when it answered. */
  readonly error: ProviderError | null;
  /** Text that still stands was shown. */
  readonly hasShown: boolean;
}

class Chain {
  readonly #candidates: readonly Candidate[];
  readonly #breaker: CandidateBreaker;

  constructor(candidates: readonly Candidate[], clock: Clock) {
    this.#candidates = candidates;
    this.#breaker = new CandidateBreaker(clock, candidates.length);
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    let last: Ending | undefined;
    for (const index of this.#breaker.order()) {
      const candidate = this.#candidates[index];
      if (candidate === undefined) continue;
      const asked = { ...request, ...candidate.changes };
      if (last !== undefined) logger.warn("Asking {model} instead", { model: asked.model });
      if (last?.hasShown === true) yield { type: "restarted" };
      last = yield* answerOf(candidate.provider, asked, signal, index > 0);
      const { error } = last;
      if (error === null) return this.#breaker.succeeded(index);
      if (signal.aborted || !ELIGIBLE.has(error.code)) return yield { type: "failed", error };
      this.#breaker.failed(index);
      logger.warn("{model} gave no answer: {error}", { model: asked.model, error: error.message });
    }
    if (last?.error) yield { type: "failed", error: last.error };
  }
}

/** The events of an answer, except for its failure. */
async function* answerOf(
  provider: Provider,
  request: ChatRequest,
  signal: AbortSignal,
  standsIn: boolean,
): AsyncGenerator<ChatEvent, Ending> {
  let hasShown = false;
  for await (const event of provider.chat(request, signal)) {
    if (event.type === "failed") return { error: event.error, hasShown };
    if (event.type === "text" || event.type === "reasoning") hasShown = true;
    if (event.type === "restarted") hasShown = false;
    if (event.type !== "finished") {
      yield event;
      continue;
    }
    const by = { provider: provider.name, model: request.model };
    yield standsIn ? { ...event, by } : event;
    return { error: null, hasShown };
  }
  const error = plainProviderError(
    "provider_connection",
    `Cannot read the answer of "${provider.name}": it ended without a last event`,
  );
  return { error, hasShown };
}
