/**
 * Puts messages where they belong, at a pace that Telegram takes; what it refuses for a reason that
 * can be mended is mended once.
 * @module
 */

import { isBadRequest, TelegramRefusedError } from "../errors.ts";
import type { FileBody, Place, TelegramLink, TextBody } from "../link.ts";
import type { SendPace } from "./pace.ts";

/** Groups that became supergroups while this process runs. */
const MOVED_MAX = 1_000;

/** Sends for one bot. */
export class Sender {
  readonly #link: TelegramLink;
  readonly #pace: SendPace;
  readonly #moved = new Map<string, string>();

  constructor(link: TelegramLink, pace: SendPace) {
    this.#link = link;
    this.#pace = pace;
  }

  /** @returns the message's id */
  text(place: Place, body: TextBody, signal: AbortSignal): Promise<number> {
    return this.#placed(place, signal, async (at) => {
      try {
        return await this.#link.sendText(at, body, signal);
      } catch (error) {
        if (!isMarkRefusal(error, body)) throw error;
        return await this.#link.sendText(at, unmarked(body), signal);
      }
    });
  }

  /** @returns the message's id */
  file(place: Place, body: FileBody, signal: AbortSignal): Promise<number> {
    return this.#placed(place, signal, (at) => this.#link.sendFile(at, body, signal));
  }

  /**
   * Changes a message; one that already reads so is changed.
   *
   * @returns false when it is gone, or cannot be changed any more
   */
  async edit(
    { chatId, messageId }: { readonly chatId: string; readonly messageId: number },
    body: TextBody,
    signal: AbortSignal,
  ): Promise<boolean> {
    const message = { chatId: this.#moved.get(chatId) ?? chatId, messageId };
    try {
      await this.#pace.change(
        message.chatId,
        signal,
        () =>
          this.#heeding(message.chatId, async () => {
            try {
              await this.#link.editText(message, body, signal);
            } catch (error) {
              if (!isMarkRefusal(error, body)) throw error;
              await this.#link.editText(message, unmarked(body), signal);
            }
          }),
      );
      return true;
    } catch (error) {
      if (isBadRequest(error, /not modified/i)) return true;
      if (isBadRequest(error, /to edit not found|can't be edited|MESSAGE_ID_INVALID/i)) {
        return false;
      }
      throw error;
    }
  }

  /** Takes a message away; one that is gone is no fault. */
  async remove(
    message: { readonly chatId: string; readonly messageId: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { chatId } = message;
    try {
      await this.#pace.change(chatId, signal, () => this.#link.deleteMessage(message, signal));
    } catch (error) {
      if (!isBadRequest(error)) throw error;
    }
  }

  async #placed(
    place: Place,
    signal: AbortSignal,
    send: (place: Place) => Promise<number>,
  ): Promise<number> {
    const at = { ...place, chatId: this.#moved.get(place.chatId) ?? place.chatId };
    const sendTo = (where: Place): Promise<number> =>
      this.#pace.message(
        where.chatId,
        signal,
        () => this.#heeding(where.chatId, () => send(where)),
      );
    try {
      return await sendTo(at);
    } catch (error) {
      const mended = this.#mended(at, error);
      if (mended === null) throw error;
      return await sendTo(mended);
    }
  }

  /** Where to send instead; null when nothing can be done. */
  #mended(place: Place, error: unknown): Place | null {
    if (place.threadId !== undefined && isBadRequest(error, /thread not found|TOPIC_/i)) {
      return { ...place, threadId: undefined };
    }
    const movedTo = error instanceof TelegramRefusedError ? error.movedToChatId : undefined;
    if (movedTo === undefined) return null;
    this.#moved.set(place.chatId, movedTo);
    const [oldest] = this.#moved.keys();
    if (this.#moved.size > MOVED_MAX && oldest !== undefined) this.#moved.delete(oldest);
    return { ...place, chatId: movedTo };
  }

  /** What Telegram says about the rate counts for all that is sent later. */
  async #heeding<Result>(chatId: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const delayMs = error instanceof TelegramRefusedError ? error.retryAfterMs : undefined;
      if (delayMs !== undefined) this.#pace.hold(chatId, delayMs);
      throw error;
    }
  }
}

/** Are the marks what is not accepted? The words alone may be. */
function isMarkRefusal(error: unknown, { entities }: TextBody): boolean {
  return entities.length > 0 && isBadRequest(error, /entit|parse|url/i);
}

function unmarked(body: TextBody): TextBody {
  return { ...body, entities: [] };
}
