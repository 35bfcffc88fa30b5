/**
 * How hard a model is asked to think, in the words of its vendor.
 * @module
 */

import type { JsonObject } from "../actors/kernel/json.ts";
import type { Traits } from "./trait_kinds.ts";

/** Efforts that mean: do not think. */
const OFF: ReadonlySet<string> = new Set(["none", "minimal", "minimum"]);

/** Whether a model thinks in a request with this effort. */
export function isThinking(
  effort: string | null,
  { thinksUnasked }: Pick<Traits, "thinksUnasked">,
): boolean {
  return effort === null || effort === "" ? thinksUnasked : !OFF.has(effort);
}

/** The vendor's word for an effort; undefined when none is to be sent. */
export function effortWord(
  effort: string | null,
  { efforts }: Pick<Traits, "efforts">,
): string | undefined {
  if (effort === null || effort === "") return undefined;
  const word = efforts[effort];
  return word === null ? undefined : word ?? effort;
}

/** The switch that some have besides; nothing when no effort is set. */
export function thinkingSwitch(
  effort: string | null,
  { thinkingSwitch: field }: Pick<Traits, "thinkingSwitch">,
): JsonObject {
  if (effort === null || effort === "") return {};
  const isOn = !OFF.has(effort);
  switch (field) {
    case "enable_thinking":
      return { enable_thinking: isOn };
    case "reasoning_split":
      return { reasoning_split: isOn };
    case "thinking_type":
      return { thinking: { type: isOn ? "enabled" : "disabled" } };
    case null:
      return {};
  }
}
