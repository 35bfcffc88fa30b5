/**
 * What a terminal's events look like as text.
 * @module
 */

import { LiveText } from "./live_text.ts";
import { printable } from "./printable.ts";
import type { LineRenderer } from "./markdown/line_renderer.ts";
import type { ShownEvent } from "./terminal_events.ts";

/** How to show a conversation. */
export interface ScreenOptions {
  readonly write: (text: string) => void;
  /**
   * `whole`: answers when they are complete (pipes); `lines`: as their lines come (above an input
   * line); `letters`: as they come.
   */
  readonly pace: "whole" | "lines" | "letters";
  /** Makes secondary text unobtrusive. */
  readonly dim: (text: string) => string;
  /** Shows the lines of an answer, at pace `lines`. @default they stand as they are */
  readonly makeRenderer?: (() => LineRenderer) | undefined;
}

interface Growing {
  readonly text: LiveText;
  activity: string;
}

/** Shows events, each answer under its key. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #growing = new Map<string, Growing>();

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  /** Shows what is new in an event. */
  show(event: ShownEvent): void {
    if (event.phase === "growing") return this.#grow(event);
    const { text } = this.#growing.get(event.key) ?? this.#begin();
    this.#growing.delete(event.key);
    for (const path of event.media) text.note(`[file] ${printable(path)}`);
    const answer = printable(event.text);
    if (answer.trim() !== "") text.finish(answer);
  }

  #grow(event: ShownEvent): void {
    if (this.#options.pace === "whole") return;
    const { key } = event;
    const text = printable(event.text);
    const activity = printable(event.activity);
    const growing = this.#growing.get(key) ?? this.#begin();
    this.#growing.set(key, growing);
    if (text.trim() !== "") growing.text.grow(text);
    if (activity !== "" && activity !== growing.activity) {
      growing.text.note(this.#options.dim(`↳ ${activity}`));
    }
    growing.activity = activity;
  }

  #begin(): Growing {
    const { write, pace, makeRenderer } = this.#options;
    const isByLine = pace === "lines";
    const renderer = isByLine ? makeRenderer : undefined;
    return { text: new LiveText({ write, isByLine, makeRenderer: renderer }), activity: "" };
  }
}
