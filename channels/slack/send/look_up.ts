/**
 * Looks in the channel for what may have been sent: messages carry their key, files their id.
 * @module
 */

import { PART_EVENT_TYPE, type SlackApi } from "../api.ts";
import type { SlackMessage } from "../wire.ts";
import { type DeliveryRecord, sharedWith } from "./state.ts";
import type { Target } from "./targets.ts";

/** Clocks differ. */
const CLOCKS_MS = 120_000;
/** Pages of 200 messages: a channel that said more meanwhile is not searched to its end. */
const PAGES_MAX = 10;

/** What looking needs. */
export interface FindOptions {
  readonly api: SlackApi;
  readonly target: Target;
}

/**
 * Finds the record's attempt without a known end, and notes what it finds; nothing is stored.
 *
 * @returns "missing" also when there is no such attempt
 * @throws what Slack answers
 */
export async function findAttempt(
  record: DeliveryRecord,
  { api, target }: FindOptions,
  signal: AbortSignal,
): Promise<"found" | "missing" | "cannot_tell"> {
  const { attempt } = record.state;
  if (attempt === null) return "missing";
  if (target.whisperTo !== undefined) return "cannot_tell";
  const isIt = (message: SlackMessage): boolean =>
    attempt.kind === "file"
      ? message.files.some(({ id }) => id === attempt.key)
      : keyOf(message) === attempt.key;
  const oldest = `${Math.max(0, attempt.at_ms - CLOCKS_MS) / 1_000}`;
  const { channel, threadTs } = target;
  let cursor = "";
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const query = { channel, threadTs, oldest, cursor, isWithMetadata: true };
    const page = await api.history(query, signal);
    const match = page.items.find(isIt);
    if (match !== undefined) {
      noteFound(record, match);
      return "found";
    }
    cursor = page.nextCursor;
    if (cursor === "") {
      record.note({ attempt: null });
      return "missing";
    }
  }
  return "cannot_tell";
}

function noteFound(record: DeliveryRecord, { ts }: SlackMessage): void {
  const { attempt, shown } = record.state;
  if (attempt?.kind === "file") {
    record.note({ files: sharedWith(record, attempt.key), attempt: null });
  } else record.note({ shown: [...shown, ts], attempt: null });
}

function keyOf({ metadata }: SlackMessage): unknown {
  return metadata?.event_type === PART_EVENT_TYPE ? metadata.event_payload["key"] : undefined;
}
