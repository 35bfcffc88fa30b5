/**
 * A copy of a conversation up to one of its replies, to go on with from there under another key.
 * @module
 */

import type { FoundSession } from "./session_catalog.ts";
import { isFinalAnswer } from "./last_exchange.ts";
import { withoutSummary } from "./last_summary.ts";
import { encodeMetadataLine, splitSessionText, type StoredMessage } from "./session_file.ts";

/** Field of the copy's metadata: which conversation it was made of, and how many lines it took. */
const FORKED_FROM = "forked_from";

/** What comes of the wish for a copy. */
export type Fork =
  | { readonly state: "forked"; readonly text: string; readonly reply: StoredMessage }
  /** The line is none, or no reply; `nearest` is the one before it, if there is one. */
  | { readonly state: "no_reply"; readonly nearest: number | null };

/**
 * Makes the file of the copy.
 *
 * @param line counts messages from 1, as `sessions show` does
 * @param key of the copy
 */
export function forkSession(
  { key: origin, content }: Pick<FoundSession, "key" | "content">,
  line: number,
  { key, nowMs }: { readonly key: string; readonly nowMs: number },
): Fork {
  const { messages, metadata } = content;
  const reply = messages[line - 1];
  if (reply === undefined || !isFinalAnswer(reply.message)) {
    const before = messages.slice(0, line).findLastIndex(({ message }) => isFinalAnswer(message));
    return { state: "no_reply", nearest: before === -1 ? null : before + 1 };
  }
  const summedUp = metadata?.lastConsolidated ?? 0;
  // A summary that goes further than the copy tells of what has not happened in it.
  const isSummaryOlder = summedUp <= line;
  const data = metadata?.metadata ?? {};
  const head = encodeMetadataLine({
    key,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    metadata: {
      ...(isSummaryOlder ? data : withoutSummary(data)),
      [FORKED_FROM]: { key: origin, lines: line },
    },
    lastConsolidated: isSummaryOlder ? summedUp : 0,
  });
  const kept = splitSessionText(content.healthyText).lines.slice(0, line);
  return { state: "forked", text: [head, ...kept].map((row) => `${row}\n`).join(""), reply };
}

/** Names that a copy may have: the first that is free is taken. */
export function* forkKeys(origin: string): Generator<string, void, void> {
  const name = origin.startsWith("cli:") ? origin.slice("cli:".length) : origin;
  const stem = name.replaceAll(/[^\w.-]+/g, "-").slice(0, 80);
  for (let n = 1;; n++) yield `cli:${stem}-fork-${n}`;
}
