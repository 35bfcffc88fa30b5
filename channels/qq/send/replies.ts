/**
 * Messages that may still be answered. What answers nothing is a push, which most bots may not send
 * at all; a message may be answered a few times, for a while
 * (https://bot.q.qq.com/wiki/develop/api-v2/server-inter/message/overview.html).
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { ChatKind } from "../wire.ts";

/** What the platform lets a bot answer. */
interface Limit {
  readonly windowMs: number;
  readonly answersMax: number;
}

const MINUTE_MS = 60_000;
const LIMITS: Readonly<Record<ChatKind, Limit>> = {
  c2c: { windowMs: 60 * MINUTE_MS, answersMax: 4 },
  group: { windowMs: 5 * MINUTE_MS, answersMax: 5 },
  direct: { windowMs: 5 * MINUTE_MS, answersMax: Infinity },
};
/** The call takes time as well, and the platform's clock is another one. */
const MARGIN_MS = 10_000;
/** Messages of a chat that are remembered, the latest ones. */
const MESSAGES_MAX = 8;
/** Chats of which messages are remembered; those that were silent longest are forgotten. */
const CHATS_MAX = 1_000;

/** A message that can be answered. */
export interface Answerable {
  readonly messageId: string;
  /** When it was written, by our clock. */
  readonly saidMs: number;
}

interface Known extends Answerable {
  answers: number;
}

/** Where it was said. */
interface Where {
  readonly kind: ChatKind;
  readonly chatId: string;
}

/** The messages of all chats. */
export class Replies {
  readonly #clock: Pick<Clock, "now">;
  readonly #chats = new Map<string, Known[]>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** A message was accepted, or one from before is answered. */
  note({ chatId }: Where, message: Answerable): void {
    const known = this.#chats.get(chatId) ?? [];
    this.#chats.delete(chatId);
    this.#chats.set(chatId, known);
    if (!known.some(({ messageId }) => messageId === message.messageId)) {
      known.push({ ...message, answers: 0 });
      known.sort((one, other) => one.saidMs - other.saidMs);
      if (known.length > MESSAGES_MAX) known.shift();
    }
    const [silent] = this.#chats.keys();
    if (this.#chats.size > CHATS_MAX && silent !== undefined) this.#chats.delete(silent);
  }

  /** The message to answer: `asked` while that can be, else the latest that can; null for none. */
  pick({ kind, chatId }: Where, asked: string | null): string | null {
    const { windowMs, answersMax } = LIMITS[kind];
    const nowMs = this.#clock.now();
    const open = (this.#chats.get(chatId) ?? []).filter(({ saidMs, answers }) =>
      nowMs - saidMs < windowMs - MARGIN_MS && answers < answersMax
    );
    const chosen = open.find(({ messageId }) => messageId === asked) ?? open.at(-1);
    return chosen?.messageId ?? null;
  }

  /** A message was answered once more. */
  count(chatId: string, messageId: string): void {
    const known = this.#known(chatId, messageId);
    if (known !== undefined) known.answers++;
  }

  /** The platform takes no further answer to it. */
  close(chatId: string, messageId: string): void {
    const known = this.#known(chatId, messageId);
    if (known !== undefined) known.answers = Infinity;
  }

  #known(chatId: string, messageId: string): Known | undefined {
    return this.#chats.get(chatId)?.find((known) => known.messageId === messageId);
  }
}
