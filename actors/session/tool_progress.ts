/**
 * How far the tools of a round have come, told to those who wait: often where an answer grows
 * before their eyes, seldom where each word is a message of its own.
 * @module
 */

import type { RequestedCall } from "../../providers/provider.ts";
import type { Clock } from "../kernel/clock.ts";
import type { AnswerView } from "./answer_view.ts";
import { shownToolName } from "./tool_hint.ts";

/** Between two looks at an answer that grows: a server may report without end. */
const GROWING_PAUSE_MS = 500;
/** Between two messages, and before the first: what is done by then needs none. */
const MESSAGE_PAUSE_MS = 30_000;
/** Of what one call says. */
const LINE_CHARS_MAX = 140;
/** Calls that run side by side and are told of: those that spoke last. */
const LINES_MAX = 5;

/** What progress is told with. */
export interface ToolProgressOptions {
  readonly clock: Clock;
  readonly view: Pick<AnswerView, "isGrowing" | "toolsProgressed">;
  /** Names of MCP servers, for the names of their tools. */
  readonly mcpServers?: readonly string[] | undefined;
}

/** What the calls of one round, which begins now, tell their progress to. */
export function progressReporter(
  { clock, view, mcpServers }: ToolProgressOptions,
): (requested: RequestedCall) => (text: string) => void {
  const pauseMs = view.isGrowing ? GROWING_PAUSE_MS : MESSAGE_PAUSE_MS;
  const lines = new Map<RequestedCall, string>();
  let dueAtMs = view.isGrowing ? clock.now() : clock.now() + pauseMs;
  return (requested) => {
    const name = shownToolName(requested.call.function.name, { mcpServers });
    return (text) => {
      lines.delete(requested);
      lines.set(requested, plainLine(`${name}: ${text}`));
      if (clock.now() < dueAtMs) return;
      dueAtMs = clock.now() + pauseMs;
      view.toolsProgressed([...lines.values()].slice(-LINES_MAX).join("\n"));
    };
  };
}

/** One line in which nothing passes for the start of a hint: a server chose the words. */
function plainLine(text: string): string {
  const line = text.replaceAll(/[\s\p{C}]+/gu, " ").replaceAll(/["\\`]/g, "'")
    .replaceAll(", ", ",\u00a0").trim();
  const letters = [...line];
  return letters.length <= LINE_CHARS_MAX ? line : `${letters.slice(0, LINE_CHARS_MAX).join("")}…`;
}
