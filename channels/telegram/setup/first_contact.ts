/**
 * The first message to a new bot: it tells who its owner is.
 * @module
 */

import type { SetupScene } from "../../setup.ts";
import type { TelegramLink } from "../link.ts";
import { messageSchema, type TelegramUser } from "../wire.ts";

/** How long a person has for their message. */
const MESSAGE_MS = 5 * 60_000;
const POLL_SECONDS = 10;

/**
 * The sender of the first message that waits or comes; null when nobody writes in time, or Enter is
 * pressed. Nothing is confirmed: the gateway shall have the message when it starts.
 */
export async function firstSender(
  link: TelegramLink,
  { clock, signal, ask }: SetupScene,
): Promise<TelegramUser | null> {
  const over = new AbortController();
  const stop = (): void => over.abort();
  signal.addEventListener("abort", stop, { once: true });
  const timer = clock.setTimer(MESSAGE_MS, stop);
  const skipped = ask("", { signal: over.signal }).then(stop, () => {});
  try {
    while (!over.signal.aborted) {
      const query = { offset: undefined, timeoutSeconds: POLL_SECONDS };
      for (const { message } of await link.getUpdates(query, over.signal)) {
        const from = messageSchema.safeParse(message).data?.from;
        if (from !== undefined && !from.is_bot) return from;
      }
    }
  } catch (error) {
    if (!over.signal.aborted) throw error;
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", stop);
    stop();
    await skipped;
  }
  signal.throwIfAborted();
  return null;
}
