/**
 * An answer as a text that only grows, for those to whom nothing that was said can be taken back.
 * @module
 */

import type { ExchangeEvent } from "../exchange/exchange_events.ts";

/** Puts together what a stream says; each call gives what is new. */
export class AnswerText {
  /** What the answer is now, what was sent aside. */
  #text = "";
  /** So much of it was sent. */
  #sent = "";
  /** The beginning of the text of the current model call. */
  #callStart = 0;
  #hasSaid = false;

  /** What is new to say after this event; "" for nothing. */
  add(event: ExchangeEvent): string {
    switch (event.type) {
      case "text_delta":
        this.#text += event.text;
        return this.#grown();
      case "text_reset":
        this.#text = event.text;
        this.#callStart = event.text.length;
        return "";
      case "message":
        return this.#paragraph(withFiles(event.text, event.media));
      case "finished":
        return this.#finished(withFiles(event.text, event.media));
      default:
        return "";
    }
  }

  /** A text that comes anew is awaited as long as it is the same, and said again when it is not. */
  #grown(): string {
    if (this.#sent.startsWith(this.#text)) return "";
    if (this.#text.startsWith(this.#sent)) return this.#say(this.#text.slice(this.#sent.length));
    return this.#paragraph(this.#text.slice(this.#callStart).trimStart());
  }

  /** The whole answer is known: what of it was not said yet? */
  #finished(answer: string): string {
    const said = this.#sent;
    if (answer.trim() === "" || said.endsWith(answer)) return "";
    // The beginning may have been left out, as what was said on the way to it.
    for (const start of paragraphStarts(said)) {
      const tail = said.slice(start);
      if (answer.startsWith(tail)) return this.#say(answer.slice(tail.length));
    }
    return answer.endsWith(said) && said !== "" ? "" : this.#paragraph(answer);
  }

  #paragraph(text: string): string {
    if (text === "") return "";
    return this.#say(this.#hasSaid ? `\n\n${text}` : text);
  }

  #say(text: string): string {
    this.#sent = this.#text;
    this.#hasSaid ||= text !== "";
    return text;
  }
}

/** Where paragraphs begin, the first one first. */
function* paragraphStarts(text: string): Generator<number, void, void> {
  for (let start = 0; start < text.length;) {
    yield start;
    const next = text.indexOf("\n\n", start);
    if (next === -1) return;
    start = next + 2;
  }
}

/** Files cannot be sent along: where they are is said. */
export function withFiles(text: string, media: readonly string[]): string {
  const files = media.map((path) => `[file: ${path}]`);
  return [text, ...files].filter((line) => line.trim() !== "").join("\n\n");
}
