/**
 * Cards as JSON 2.0: the frame around an answer, while it grows and in the end.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { ANSWER_ELEMENT_ID } from "./cards.ts";
import { literalLines } from "../../markdown/dialect.ts";
import { CARD_DIALECT } from "./dialect.ts";
import { entity, readable } from "./escape.ts";
import { largest } from "../../markdown/largest.ts";
import { jsonBytes, REASONING_BYTES_MAX } from "./limits.ts";

/** What a card shows beside the answer. */
export interface CardExtras {
  /** What the model thought, as plain text; "" for none. It stands folded before the answer. */
  readonly reasoning: string;
  /** Lines of what runs just now. */
  readonly running: readonly string[];
  /** Lines of all that ran, the running ones included. */
  readonly steps: readonly string[];
}

/** Nothing beside the answer. */
export const NO_EXTRAS: CardExtras = { reasoning: "", running: [], steps: [] };

/** The element that holds what the model thought. */
export const REASONING_ELEMENT_ID = "reasoning";

/** The words of the folded lists, without a language of their own. */
const STEPS_ICON = "🧰";
const REASONING_ICON = "💭";
/** About forty characters a second, and all that is left when more comes. */
const TYPEWRITER: JsonObject = {
  print_frequency_ms: { default: 50 },
  print_step: { default: 2 },
  print_strategy: "fast",
};
const STEP_CHARS_MAX = 120;
const STEPS_SHOWN_MAX = 12;
const SUMMARY_CHARS_MAX = 80;
/** Where the line is looked for: it is among the first. */
const SUMMARY_SEEN_CHARS = 2_000;

/** A card whose text will grow. */
export function growingCard(markdown: string, extras: CardExtras): string {
  const answer = { tag: "markdown", content: markdown, element_id: ANSWER_ELEMENT_ID };
  const elements = [
    ...reasoningElements(extras),
    answer,
    ...stepElements(extras),
    ...runningElements(extras),
  ];
  return cardJson(elements, { streaming_mode: true, streaming_config: TYPEWRITER });
}

/** A card that is complete; `isStreaming` until its settings end that. */
export function wholeCard(
  elements: readonly JsonObject[],
  extras: CardExtras = NO_EXTRAS,
  isStreaming = false,
): string {
  const all = [...reasoningElements(extras), ...elements, ...stepElements(extras)];
  return cardJson(all, isStreaming ? { streaming_mode: true } : {});
}

/** One line that stands for the answer in the list of chats. */
export function summaryOf(markdown: string): string {
  const lines = readable(markdown.slice(0, SUMMARY_SEEN_CHARS)).replace(
    /!?\[([^\]\n]*)\]\([^)\n]*\)/g,
    "$1",
  ).split("\n");
  const line = lines.filter((candidate) => !/^\s*(?:`{3,}|~{3,}|\|[\s:|-]*$)/.test(candidate))
    .map((candidate) => candidate.replace(/[#*_~`>|]/g, "").trim())
    .find((candidate) => candidate !== "") ?? "";
  return shortened(line, SUMMARY_CHARS_MAX);
}

/** The text in at most `charactersMax` characters. */
export function shortened(text: string, charactersMax: number): string {
  const characters = [...text];
  if (characters.length <= charactersMax) return text;
  return `${characters.slice(0, charactersMax - 1).join("")}…`;
}

function cardJson(elements: readonly JsonObject[], config: JsonObject): string {
  return JSON.stringify({
    schema: "2.0",
    config: { update_multi: true, width_mode: "fill", ...config },
    body: { elements },
  });
}

/**
 * What the model thought as a card shows it: every sign stands for itself and nobody is called. What
 * is too much is left out at its beginning.
 */
export function reasoningText(reasoning: string): string {
  const lines = reasoning.trim().split("\n");
  const shown: string[] = [];
  let bytes = 0;
  for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
    const text = literalLines(line, CARD_DIALECT);
    const left = REASONING_BYTES_MAX - bytes;
    bytes += jsonBytes(text);
    if (bytes > REASONING_BYTES_MAX) {
      shown.push(endOf(line, left));
      break;
    }
    shown.push(text);
  }
  return shown.reverse().join("\n").trim();
}

/** The end of a line that is too long by itself. */
function endOf(line: string, bytesMax: number): string {
  const characters = [...line];
  const ends = (count: number): string =>
    literalLines(`…${characters.slice(-count).join("")}`, CARD_DIALECT);
  const count = largest(characters.length, (many) => jsonBytes(ends(many)) <= bytesMax);
  return count === 0 ? "…" : ends(count);
}

function reasoningElements({ reasoning }: CardExtras): readonly JsonObject[] {
  if (reasoning === "") return [];
  return [{
    tag: "collapsible_panel",
    element_id: "thoughts",
    expanded: false,
    header: { title: { tag: "plain_text", content: REASONING_ICON } },
    elements: [{
      tag: "markdown",
      content: reasoningText(reasoning),
      text_size: "notation",
      element_id: REASONING_ELEMENT_ID,
    }],
  }];
}

function runningElements({ running }: CardExtras): readonly JsonObject[] {
  if (running.length === 0) return [];
  return [{
    tag: "markdown",
    content: stepLines(running),
    text_size: "notation",
    element_id: "running",
  }];
}

/** What is done folds away. */
function stepElements({ running, steps }: CardExtras): readonly JsonObject[] {
  const done = steps.filter((step) => !running.includes(step));
  if (done.length === 0) return [];
  return [{
    tag: "collapsible_panel",
    element_id: "steps",
    expanded: false,
    header: { title: { tag: "plain_text", content: `${STEPS_ICON} ${done.length}` } },
    elements: [{ tag: "markdown", content: stepLines(done), text_size: "notation" }],
  }];
}

function stepLines(steps: readonly string[]): string {
  const shown = steps.slice(-STEPS_SHOWN_MAX).map((step) =>
    shortened(step, STEP_CHARS_MAX).replace(/[<*`~]/g, entity)
  );
  return (shown.length < steps.length ? ["…", ...shown] : shown).join("\n");
}
