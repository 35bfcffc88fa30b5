/**
 * Events on their way to one reader, who may be slow: pieces of text that wait are joined, so that
 * what waits is no more than the answer itself.
 * @module
 */

import type { ExchangeEvent } from "./exchange_events.ts";

/** For one reader. */
export class EventQueue {
  readonly #waiting: ExchangeEvent[] = [];
  #wake: PromiseWithResolvers<void> | undefined;
  #hasEnded = false;

  /** Adds an event; none is taken after the last one. */
  push(event: ExchangeEvent): void {
    if (this.#hasEnded) return;
    this.#hasEnded = event.type === "finished" || event.type === "failed";
    const joined = join(this.#waiting.at(-1), event);
    if (joined !== undefined) this.#waiting.pop();
    this.#waiting.push(joined ?? event);
    this.#wake?.resolve();
  }

  /** All events, up to the last one. */
  async *read(): AsyncGenerator<ExchangeEvent, void, void> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) {
        yield event;
        if (event.type === "finished" || event.type === "failed") return;
        continue;
      }
      this.#wake = Promise.withResolvers<void>();
      await this.#wake.promise;
    }
  }
}

/** Both as one, where nothing is lost by it. */
function join(last: ExchangeEvent | undefined, next: ExchangeEvent): ExchangeEvent | undefined {
  if (last?.type === "usage" && next.type === "usage") return next;
  const isText = next.type === "text_delta" || next.type === "reasoning_delta";
  if (!isText || last?.type !== next.type) return undefined;
  return { type: next.type, text: last.text + next.text };
}
