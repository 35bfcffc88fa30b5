/**
 * Reads server-sent events from a body, as many at a time as have arrived.
 * @module
 */

import { createParser, type EventSourceParser } from "eventsource-parser";
import { WireError } from "./answer.ts";
import { beginsPage, pageFault } from "./web_page.ts";

/** Longest event that is read, in characters: an image in a stream fits, an endless line does not. */
const EVENT_CHARS_MAX = 64 * 1_024 * 1_024;

/** One stream of events. The names of events are left out: their data says what they are. */
export class SseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #batch: string[] = [];
  #hasBegun = false;
  #isOver = false;

  constructor(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = body.getReader();
    this.#parser = createParser({
      maxBufferSize: EVENT_CHARS_MAX,
      onEvent: ({ data }) => {
        if (data !== "") this.#batch.push(data);
      },
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") throw tooLong();
      },
    });
  }

  /** Whether the body has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * The data of all events that the next bytes complete: none for comments and halves.
   *
   * @returns undefined when the body has ended
   * @throws what the body fails with; {WireError} when it is a page, or an event does not end
   */
  async read(): Promise<readonly string[] | undefined> {
    if (this.#isOver) return undefined;
    const { done, value } = await this.#reader.read();
    this.#batch = [];
    if (!done) {
      const text = this.#decoder.decode(value, { stream: true });
      if (!this.#hasBegun && beginsPage(text)) throw new WireError(pageFault());
      this.#hasBegun ||= text.trim() !== "";
      this.#parser.feed(text);
      return this.#batch;
    }
    this.#isOver = true;
    // What stands there without the empty line that ends an event is read as well.
    this.#parser.feed(`${this.#decoder.decode()}\n\n`);
    return this.#batch;
  }

  /** Lets go of the body; a read that waits ends. */
  cancel(): void {
    // It fails when the body has failed, which is known already.
    this.#reader.cancel().catch(() => {});
  }
}

function tooLong(): WireError {
  return new WireError({
    failure: "provider_bad_request",
    tokens: [],
    text: "the stream holds an event without an end",
  });
}
