/**
 * Reads what was said while no events came: Slack repeats those for minutes only.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { withRetries } from "../../retries.ts";
import type { SlackApi } from "../api.ts";
import { SlackRefusedError, waitOf } from "../errors.ts";
import type { SlackMessage } from "../wire.ts";
import type { ChannelMemory, Gap } from "./memory.ts";

const logger = getLogger(["troupe", "slack", "catch_up"]);

/** Conversations and threads that are read after one gap: Slack allows fifty calls a minute. */
const GAPS_MAX = 60;
/** Direct chats of people who never wrote before. */
const NEW_CHATS_MAX = 20;
/** Pages of 200 messages in one conversation. */
const PAGES_MAX = 3;
/** What is older than that is nobody's question any more. */
const AGE_MS_MAX = 7 * 24 * 3_600_000;

/** What catching up needs. */
export interface CatchUpOptions {
  readonly api: Pick<SlackApi, "history" | "directChats">;
  readonly memory: ChannelMemory;
  /** Takes a message; whether that was possible. */
  readonly receive: (message: SlackMessage) => Promise<boolean>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Hands in what was missed in the memory's gap. Rejects only when the channel stops.
 *
 * @returns whether all was seen that Slack shows
 */
export async function catchUp(options: CatchUpOptions): Promise<boolean> {
  const { memory, signal } = options;
  const gaps = [...memory.gaps, ...await newChats(options)].slice(0, GAPS_MAX);
  for (const gap of gaps) {
    try {
      await readGap(gap, options);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      // A refusal is for this conversation alone; without a connection the rest would fail as well.
      logger.warn("Cannot see what was missed in {channel}: {reason}", {
        channel: gap.channel,
        reason,
      });
      if (!(error instanceof SlackRefusedError)) return false;
    }
  }
  return true;
}

/** Direct chats that may have begun meanwhile. */
async function newChats(options: CatchUpOptions): Promise<readonly Gap[]> {
  const { api, memory, clock, signal } = options;
  const since = memory.newest;
  if (since === "") return [];
  const known = new Set(memory.gaps.map(({ channel }) => channel));
  try {
    const { items } = await withRetries(() => api.directChats("", signal), {
      clock,
      signal,
      waitOf,
    });
    return items.filter(({ id }) => !known.has(id)).slice(0, NEW_CHATS_MAX)
      .map(({ id: channel }) => ({ channel, threadTs: "", since }));
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    logger.debug("Cannot list the direct chats: {reason}", { reason });
    return [];
  }
}

async function readGap(gap: Gap, options: CatchUpOptions): Promise<void> {
  const { receive, clock } = options;
  const oldestMs = clock.now() - AGE_MS_MAX;
  const messages = (await messagesOf(gap, options))
    .filter(({ ts }) => ts > gap.since && Number(ts) * 1_000 >= oldestMs)
    .toSorted((one, other) => one.ts < other.ts ? -1 : 1);
  for (const message of messages) {
    const isTaken = await receive({ ...message, channel: gap.channel });
    if (!isTaken) logger.warn("A message that was missed could not be handed in");
  }
}

async function messagesOf(
  { channel, threadTs, since }: Gap,
  { api, clock, signal }: CatchUpOptions,
): Promise<readonly SlackMessage[]> {
  const messages: SlackMessage[] = [];
  const thread = threadTs === "" ? undefined : threadTs;
  let cursor = "";
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await withRetries(
      () => api.history({ channel, threadTs: thread, oldest: since, cursor }, signal),
      { clock, signal, waitOf },
    );
    messages.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === "") break;
  }
  return messages;
}
