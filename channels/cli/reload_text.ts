/**
 * What is said of a configuration that was read again.
 * @module
 */

import type { ConfigOutcome } from "../../actors/gateway/live/config_keeper.ts";

/** For people. */
export function reloadText(outcome: ConfigOutcome): string {
  if (outcome.state === "refused") {
    return outcome.problem.split("\n").map((line) => `Error: ${line}\n`).join("");
  }
  const { applied, channels, waiting } = outcome.state === "applied"
    ? outcome.changes
    : { applied: [], channels: [], waiting: [] };
  const lines = [
    ...applied.map((key) => `Applied: ${key}`),
    ...channels.map((name) => `Applied: channels.${name}`),
    ...waiting.map((key) => `At the next start: ${key}`),
  ];
  return (lines.length === 0 ? ["Nothing has changed"] : lines).map((line) => `${line}\n`).join("");
}
