/**
 * Looks for what was said while no session listened: the platform's list of messages, for each
 * channel in which somebody spoke to the bot before.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { type DiscordApi, PAGE_MAX } from "../api.ts";
import { DiscordRefusedError, isPassing } from "../errors.ts";
import type { Progress, ReadChannel } from "../gateway/progress.ts";
import { idAtTime, isOlder } from "../ids.ts";
import type { RawMessage } from "../wire.ts";
import { MISSED_MS_MAX, type Receiver } from "./receiver.ts";

const logger = getLogger(["troupe", "discord", "catch_up"]);

/** A channel that said more is read from its beginning, as far as this. */
const PAGES_MAX = 10;

/** What catching up needs. */
export interface CatchUpOptions {
  readonly api: Pick<DiscordApi, "messages">;
  readonly receiver: Receiver;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Takes in what was missed. What comes in the same channels meanwhile waits for it.
 *
 * @returns whether all of it was
 */
export async function catchUp(options: CatchUpOptions): Promise<boolean> {
  const { progress, receiver } = options;
  const taken = await Promise.all(
    progress.channels.map((channel) =>
      receiver.inTurn(channel.channelId, () => catchUpIn(channel, options))
    ),
  );
  return taken.every((isTaken) => isTaken);
}

async function catchUpIn(channel: ReadChannel, options: CatchUpOptions): Promise<boolean> {
  const { api, receiver, clock, signal } = options;
  const { channelId, guildId, messageId } = channel;
  const oldest = idAtTime(clock.now() - MISSED_MS_MAX);
  let afterId = isOlder(messageId, oldest) ? oldest : messageId;
  try {
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const listed: readonly RawMessage[] = await api.messages(channelId, { afterId }, signal);
      for (const { id, raw } of listed) {
        // A list does not say which server it is of.
        const isTaken = await receiver.receiveInTurn({ ...raw, guild_id: guildId });
        if (!isTaken) return false;
        afterId = id;
      }
      if (listed.length < PAGE_MAX) return true;
    }
    logger.warn("Channel {channelId} said too much meanwhile: the newest part is left out", {
      channelId,
    });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (error instanceof DiscordRefusedError && !isPassing(error)) {
      logger.info("Cannot look for missed messages: {reason}", { reason: error.message });
      return true;
    }
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn("Cannot look for missed messages just now: {reason}", { reason });
    return false;
  }
}
