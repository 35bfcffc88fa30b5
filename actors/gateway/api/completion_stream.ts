/**
 * An answer as server-sent events, while it is made.
 * @module
 */

import type { Clock, Timer } from "../../kernel/clock.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { ExchangeEvent } from "../exchange/exchange_events.ts";
import type { ApiError } from "./api_error.ts";
import { AnswerText } from "./answer_text.ts";
import { chunk, type CompletionHead, failureOf, usageChunk } from "./completion.ts";

/** Silence after which a comment shows that the connection lives; proxies cut it off after 30 s. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": still working\n\n";
const DONE = "data: [DONE]\n\n";

/** What a stream is made of. */
export interface CompletionStreamOptions {
  readonly head: CompletionHead;
  /** Its events, from the first that was not read. */
  readonly events: AsyncIterator<ExchangeEvent, void, void>;
  readonly exchange: Pick<Exchange, "stop">;
  readonly wantsUsage: boolean;
  readonly clock: Clock;
  /** Why it ends before the answer is there; undefined while nothing stands against it. */
  readonly cutOff: () => ApiError | undefined;
  /** Called once, however it ends. */
  readonly onEnd: () => void;
}

/** The body; whoever cancels it stops the work. */
export function completionStream(options: CompletionStreamOptions): ReadableStream<Uint8Array> {
  const frames = new Frames(options);
  const encoder = new TextEncoder();
  let isOpen = true;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(frames.first())),
    pull: async (controller) => {
      const { text, isLast } = await frames.next();
      if (!isOpen) return;
      controller.enqueue(encoder.encode(text));
      if (!isLast) return;
      isOpen = false;
      controller.close();
      options.onEnd();
    },
    cancel: () => {
      isOpen = false;
      options.exchange.stop();
      options.onEnd();
    },
  });
}

interface Frame {
  readonly text: string;
  readonly isLast: boolean;
}

class Frames {
  readonly #options: CompletionStreamOptions;
  readonly #answer = new AnswerText();
  #awaited: Promise<IteratorResult<ExchangeEvent, void>> | undefined;

  constructor(options: CompletionStreamOptions) {
    this.#options = options;
  }

  first(): string {
    return this.#chunk({ role: "assistant", content: "" }, null);
  }

  /** What is to be sent next: never nothing, so that somebody always asks for more. */
  async next(): Promise<Frame> {
    for (;;) {
      this.#awaited ??= this.#options.events.next();
      const event = await this.#orHeartbeat(this.#awaited);
      if (event === null) return { text: HEARTBEAT, isLast: false };
      this.#awaited = undefined;
      if (event.type === "failed") {
        const { body } = this.#options.cutOff() ?? failureOf(event);
        return { text: `data: ${JSON.stringify(body)}\n\n`, isLast: true };
      }
      const said = this.#answer.add(event);
      const text = said === "" ? "" : this.#chunk({ content: said }, null);
      if (event.type === "finished") return { text: text + this.#ending(event), isLast: true };
      if (text !== "") return { text, isLast: false };
    }
  }

  /** The event, or null after some silence. */
  async #orHeartbeat(
    awaited: Promise<IteratorResult<ExchangeEvent, void>>,
  ): Promise<ExchangeEvent | null> {
    const { promise: silence, resolve } = Promise.withResolvers<null>();
    const timer: Timer = this.#options.clock.setTimer(HEARTBEAT_MS, () => resolve(null));
    try {
      const result = await Promise.race([awaited, silence]);
      return result === null || result.done === true ? null : result.value;
    } finally {
      timer.cancel();
    }
  }

  #ending({ finishReason, usage }: Extract<ExchangeEvent, { type: "finished" }>): string {
    const { head, wantsUsage } = this.#options;
    const told = wantsUsage ? `data: ${JSON.stringify(usageChunk(head, usage))}\n\n` : "";
    return this.#chunk({}, finishReason) + told + DONE;
  }

  #chunk(...[delta, finish]: [Parameters<typeof chunk>[1], Parameters<typeof chunk>[2]]): string {
    const { head, wantsUsage } = this.#options;
    const body = wantsUsage ? chunk(head, delta, finish, null) : chunk(head, delta, finish);
    return `data: ${JSON.stringify(body)}\n\n`;
  }
}
