/**
 * One request and the reading of its answer, the same for all protocols: it gives up on a server
 * that stalls, hangs up when its caller goes, and takes no cut answer for a whole one.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { Fault } from "../failures.ts";
import type { ChatEvent } from "../provider.ts";
import { StallWatchdog } from "../stall.ts";
import { type Answer, type Fold, WireError } from "./answer.ts";
import { faultOfConnection } from "./connection.ts";
import { SseReader } from "./sse.ts";

/** What reading needs. */
export interface AttemptOptions {
  readonly clock: Clock;
  /** Longest silence of the server: before the headers, and between two events. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
  /** Called before the last event of an answer that came. */
  readonly onFinished?: (() => void) | undefined;
}

/** After the model's last word the token counts may come; nobody waits long for them. */
const LAST_WORD_MS = 5_000;

/** A body that ends within this time leaves its connection open for the next request. */
const BODY_END_MS = 1_000;

const ABORTED: Fault = { failure: "provider_aborted", tokens: [], text: "stopped by the caller" };

/**
 * Sends a request with `ask` and yields what arrives of its answer.
 *
 * @returns why there is no answer, or nothing after `finished`
 */
export async function* readAnswer(
  ask: (signal: AbortSignal) => Promise<Answer>,
  fold: Fold,
  { clock, stallMs, signal, onFinished }: AttemptOptions,
): AsyncGenerator<ChatEvent, Fault | undefined> {
  if (signal.aborted) return ABORTED;
  const exchange = new Exchange();
  const hangUp = () => exchange.hangUp();
  signal.addEventListener("abort", hangUp, { once: true });
  using watchdog = new StallWatchdog(clock, stallMs, hangUp);
  let isAnswered = false;
  try {
    watchdog.expect();
    const fault = yield* readPieces(exchange.begin(ask), fold, watchdog);
    if (signal.aborted) return ABORTED;
    // What breaks after the model's last word is not missed.
    if (!fold.isFinished && watchdog.hasStalled) return stalled(stallMs);
    if (!fold.isFinished && fault !== undefined) return fault;
    const result = fold.finish(fold.isComplete || exchange.isWhole);
    if (result.state === "fault") return result.fault;
    isAnswered = fault === undefined && !watchdog.hasStalled;
    if (result.lateText !== "") yield { type: "text", text: result.lateText };
    onFinished?.();
    yield { type: "finished", response: result.response };
    return undefined;
  } finally {
    if (isAnswered) await exchange.end(clock);
    signal.removeEventListener("abort", hangUp);
    exchange.hangUp();
  }
}

/** @returns what broke or failed the answer, or nothing at its end */
async function* readPieces(
  beginning: Promise<Exchange>,
  fold: Fold,
  watchdog: StallWatchdog,
): AsyncGenerator<ChatEvent, Fault | undefined> {
  try {
    const exchange = await beginning;
    for (let batch = await exchange.read(); batch !== undefined; batch = await exchange.read()) {
      // Comments keep a connection open; they are no sign of the model.
      if (batch.length === 0) continue;
      watchdog.rest();
      for (const data of batch) {
        const folded = fold.add(exchange.parse(data));
        if (folded.state === "fault") return folded.fault;
        if (folded.reasoning !== "") yield { type: "reasoning", text: folded.reasoning };
        if (folded.text !== "") yield { type: "text", text: folded.text };
      }
      if (fold.isComplete) return undefined;
      watchdog.expect(fold.isFinished ? LAST_WORD_MS : undefined);
    }
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}

/** A request under way, and the body of its answer. */
class Exchange {
  readonly #request = new AbortController();
  #reader: SseReader | undefined;
  #whole: readonly unknown[] | undefined;
  #isWhole = false;

  /** Whether the server has said that nothing is missing. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Resolves with itself when the headers are there. */
  async begin(ask: (signal: AbortSignal) => Promise<Answer>): Promise<this> {
    const answer = await ask(this.#request.signal);
    if (answer.kind === "stream") this.#reader = new SseReader(answer.body);
    else this.#whole = [answer.body];
    return this;
  }

  /** What has come, or undefined at the end. */
  async read(): Promise<readonly unknown[] | undefined> {
    if (this.#isWhole) return undefined;
    if (this.#reader === undefined) {
      this.#isWhole = true;
      return this.#whole;
    }
    const batch = await this.#reader.read();
    const end = batch?.findIndex((data) => data.trim() === "[DONE]") ?? -1;
    if (end < 0) return batch;
    this.#isWhole = true;
    return batch?.slice(0, end);
  }

  /** The value of an event's data. */
  parse(data: unknown): unknown {
    if (typeof data !== "string" || this.#reader === undefined) return data;
    try {
      return JSON.parse(data);
    } catch {
      throw new WireError({
        failure: "provider_connection",
        tokens: [],
        text: "the stream holds an event that is no JSON",
      });
    }
  }

  /** Reads to the end of the body, which is near, so that the connection can be used again. */
  async end(clock: Clock): Promise<void> {
    const reader = this.#reader;
    if (reader === undefined || reader.isOver) return;
    const timer = clock.setTimer(BODY_END_MS, () => this.hangUp());
    try {
      while (await reader.read() !== undefined);
    } catch {
      // The connection is lost, the answer is not.
    }
    timer.cancel();
  }

  hangUp(): void {
    this.#request.abort();
    this.#reader?.cancel();
  }
}

function faultOf(thrown: unknown): Fault {
  return thrown instanceof WireError ? thrown.fault : faultOfConnection(thrown);
}

function stalled(stallMs: number): Fault {
  const text = `stream stalled for more than ${stallMs / 1_000} seconds`;
  return { failure: "provider_timeout", tokens: [], text };
}
