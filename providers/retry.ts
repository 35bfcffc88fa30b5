/**
 * Asks again when a failure may pass by itself, and without images when they were the trouble.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../actors/kernel/clock.ts";
import type { Random } from "../actors/kernel/random.ts";
import { plainProviderError } from "./failures.ts";
import { hasImages, withoutImages } from "./images.ts";
import { type ChatEvent, type ChatRequest, type Provider, ProviderError } from "./provider.ts";

const logger = getLogger(["troupe", "providers", "retry"]);

/** standard: three retries; persistent: until the same error has come ten times in a row. */
export type RetryMode = "standard" | "persistent";

/** What retrying needs. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** @default "standard" */
  readonly mode?: RetryMode;
}

/** Waits before the retries; persistent mode goes on with the last. */
const DELAYS_MS: readonly number[] = [1_000, 2_000, 4_000];

/** Longest wait that a vendor may ask for: nobody in a chat waits longer without a word. */
const WAIT_MAX_MS = 60_000;

/** Added to waits at random, so that what failed together does not come back together. */
const JITTER_SHARE = 0.2;

/** During long waits a sign of life is given this often. */
const SLICE_MS = 30_000;

/** Persistent mode ends with this many equal errors in a row. */
const EQUAL_ERRORS_MAX = 10;

/**
 * The provider with retries: `waiting` tells of each wait, `restarted` that text which had been
 * shown is void. After an abort nothing is tried again.
 */
export function withRetry(provider: Provider, options: RetryOptions): Provider {
  const retrying = new Retrying(provider, options);
  return { name: provider.name, chat: (request, signal) => retrying.chat(request, signal) };
}

class Retrying {
  readonly #provider: Provider;
  readonly #options: RetryOptions;
  /** Models that have refused images as such. */
  readonly #blindModels = new Set<string>();

  constructor(provider: Provider, options: RetryOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  async *chat(asked: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const patience = new Patience(this.#options);
    let request = this.#blindModels.has(asked.model) ? withoutImages(asked) : asked;
    let hasShown = false;
    while (true) {
      let error = plainProviderError("provider_connection", NO_LAST_EVENT);
      for await (const event of this.#provider.chat(request, signal)) {
        if (event.type === "failed") {
          error = event.error;
          break;
        }
        if (event.type === "text" || event.type === "reasoning") hasShown = true;
        yield event;
        if (event.type === "finished") return;
      }
      if (signal.aborted) return yield failed(aborted());
      if (this.#isAboutImages(error, request)) {
        request = withoutImages(request);
      } else {
        const verdict = patience.judge(error);
        if (verdict.state === "give_up") return yield failed(verdict.error);
        const isOver = yield* this.#wait(verdict.delayMs, patience.attempts, error, signal);
        if (!isOver) return yield failed(aborted());
      }
      if (hasShown) yield { type: "restarted" };
      hasShown = false;
    }
  }

  /** @returns whether the wait came to its end */
  async *#wait(
    delayMs: number,
    attempt: number,
    error: ProviderError,
    signal: AbortSignal,
  ): AsyncGenerator<ChatEvent, boolean> {
    logger.warn("Model request failed, retry in {delayMs} ms (attempt {attempt}): {error}", {
      delayMs,
      attempt,
      error: error.message,
    });
    for (let leftMs = delayMs; leftMs > 0; leftMs -= SLICE_MS) {
      yield { type: "waiting", delayMs: leftMs, attempt, reason: error.userText };
      try {
        await sleep(this.#options.clock, Math.min(leftMs, SLICE_MS), signal);
      } catch {
        return false;
      }
    }
    return !signal.aborted;
  }

  /** Whether leaving out the images may help; notes models that cannot see at all. */
  #isAboutImages(error: ProviderError, { model, messages }: ChatRequest): boolean {
    if (error.code !== "provider_bad_request" || !hasImages(messages)) return false;
    if (error.status !== undefined && !IMAGE_STATUSES.has(error.status)) return false;
    if (!IMAGE_WORDS.test(error.message)) return false;
    if (BLIND_WORDS.test(error.message)) this.#blindModels.add(model);
    logger.warn("Asking {model} again without images: {error}", { model, error: error.message });
    return true;
  }
}

/** Counts attempts and decides whether another one makes sense. */
class Patience {
  readonly #random: Random;
  readonly #isPersistent: boolean;
  #attempts = 0;
  #lastText = "";
  #equalErrors = 0;

  constructor({ random, mode = "standard" }: RetryOptions) {
    this.#random = random;
    this.#isPersistent = mode === "persistent";
  }

  /** Attempts that have failed. */
  get attempts(): number {
    return this.#attempts;
  }

  judge(error: ProviderError):
    | { readonly state: "retry"; readonly delayMs: number }
    | { readonly state: "give_up"; readonly error: ProviderError } {
    this.#attempts++;
    this.#count(error);
    const baseMs =
      DELAYS_MS[this.#isPersistent ? Math.min(this.#attempts, 3) - 1 : this.#attempts - 1];
    const isSpent = baseMs === undefined || this.#equalErrors >= EQUAL_ERRORS_MAX;
    if (error.recovery !== "retry" || isSpent) {
      if (isSpent) {
        logger.warn("Model request failed after {attempts} attempts, giving up", {
          attempts: this.#attempts,
        });
      }
      return { state: "give_up", error };
    }
    const waitMs = error.retryAfterMs ?? baseMs;
    if (waitMs > WAIT_MAX_MS && !this.#isPersistent) {
      return { state: "give_up", error: tooLong(error, waitMs) };
    }
    const cappedMs = Math.min(waitMs, WAIT_MAX_MS);
    // Upwards only: a vendor's wait is a minimum.
    const jitterMs = Math.round(cappedMs * JITTER_SHARE * this.#random.next());
    return { state: "retry", delayMs: Math.min(cappedMs + jitterMs, WAIT_MAX_MS) };
  }

  #count(error: ProviderError): void {
    const text = error.message.trim().toLowerCase();
    this.#equalErrors = text !== "" && text === this.#lastText ? this.#equalErrors + 1 : 1;
    this.#lastText = text;
  }
}

const NO_LAST_EVENT = "Cannot read the answer: the provider ended without a last event";

/** Statuses that a server which cannot take images answers with. */
const IMAGE_STATUSES: ReadonlySet<number> = new Set([400, 404, 415, 422]);
const IMAGE_WORDS = /image|vision|multi-?modal|modalit|content.?type|media.?type/i;
/** The model cannot see, as opposed to: this picture is broken. */
const BLIND_WORDS =
  /(?:not|n't|no endpoints found that) support|unsupported|only text|expected `?text|vision|multi-?modal|modalit/i;

function aborted(): ProviderError {
  return plainProviderError(
    "provider_aborted",
    "Cannot go on with the model request: it was stopped",
  );
}

function failed(error: ProviderError): ChatEvent {
  return { type: "failed", error };
}

function tooLong(error: ProviderError, waitMs: number): ProviderError {
  const time = inWords(waitMs);
  return new ProviderError(`${error.message} (asked to wait ${time})`, {
    code: error.code,
    recovery: "give_up",
    userText: `The model request failed: the provider asks to wait ${time} before the next one.`,
    status: error.status,
    retryAfterMs: waitMs,
  });
}

/** "90 seconds", "60 minutes", "3 hours", "4 days": rounded up, in the unit that reads best. */
function inWords(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1_000);
  if (seconds <= 120) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 120) return `${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  if (hours <= 48) return `${hours} hours`;
  const days = Math.ceil(hours / 24);
  return days <= 365 ? `${days} days` : "more than a year";
}
