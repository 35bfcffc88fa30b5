/**
 * Cards as JSON 2.0: the frame around an answer, while it grows and in the end.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { ANSWER_ELEMENT_ID } from "./cards.ts";
import { entity, readable } from "./escape.ts";

/** What a card shows beside the answer. */
export interface CardExtras {
  /** Lines of what runs just now. */
  readonly running: readonly string[];
  /** Lines of all that ran, the running ones included. */
  readonly steps: readonly string[];
}

/** Nothing beside the answer. */
export const NO_EXTRAS: CardExtras = { running: [], steps: [] };

/** The words of the folded list, without a language of their own. */
const STEPS_ICON = "🧰";
/** About forty characters a second, and all that is left when more comes. */
const TYPEWRITER: JsonObject = {
  print_frequency_ms: { default: 50 },
  print_step: { default: 2 },
  print_strategy: "fast",
};
const STEP_CHARS_MAX = 120;
const STEPS_SHOWN_MAX = 12;
const SUMMARY_CHARS_MAX = 80;

/** A card whose text will grow. */
export function growingCard(markdown: string, extras: CardExtras): string {
  const answer = { tag: "markdown", content: markdown, element_id: ANSWER_ELEMENT_ID };
  const elements = [answer, ...stepElements(extras), ...runningElements(extras)];
  return cardJson(elements, { streaming_mode: true, streaming_config: TYPEWRITER });
}

/** A card that is complete; `isStreaming` until its settings end that. */
export function wholeCard(
  elements: readonly JsonObject[],
  steps: readonly string[],
  isStreaming = false,
): string {
  const all = [...elements, ...stepElements({ running: [], steps })];
  return cardJson(all, isStreaming ? { streaming_mode: true } : {});
}

/** One line that stands for the answer in the list of chats. */
export function summaryOf(markdown: string): string {
  const lines = readable(markdown).replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, "$1").split("\n");
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
