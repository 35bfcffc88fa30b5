/**
 * What people see on their messages until they are answered: an emoji when it was accepted, another
 * while it waits, one more when it takes time, and that the bot writes. All of it is a courtesy:
 * failures stop nothing.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { Clock, Timer } from "../../actors/kernel/clock.ts";
import type { JsonValue } from "../../actors/kernel/json.ts";
import type { Settled } from "../channel.ts";
import { KeyedTurns } from "../keyed_turns.ts";
import type { DiscordApi } from "./api.ts";
import { hasCode, UNKNOWN_EMOJI_CODE } from "./errors.ts";
import type { DiscordSection } from "./manifest.ts";

const logger = getLogger(["troupe", "discord", "signs"]);

/** What signs need. */
export interface SignsOptions extends
  Pick<
    DiscordSection,
    "readReceiptEmoji" | "workingEmoji" | "workingEmojiDelay" | "queuedEmoji"
  > {
  readonly api: Pick<DiscordApi, "type" | "react" | "unreact">;
  /** Stores which emoji are to be taken away, for after a restart. */
  readonly rememberInbound: (platformId: string, channelState: JsonValue) => Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** More open messages than one gateway answers at a time; those beyond keep what they have. */
const OPEN_MAX = 2_000;
/** The platform shows it for ten seconds. */
const TYPE_EVERY_MS = 8_000;
/** Whoever works for longer is not taken to write. */
const TYPE_FOR_MS = 30 * 60_000;

const storedSchema = z.object({ channel_id: z.string(), emoji: z.array(z.string()) });

/** A message that was not answered yet. */
interface OpenMessage {
  readonly channelId: string;
  readonly sinceMs: number;
  /** The emoji on it, once all changes are done. */
  readonly shown: Set<string>;
  isWaiting: boolean;
  timer: Timer | undefined;
}

/** All signs of one channel. */
export class Signs {
  readonly #options: SignsOptions;
  readonly #open = new Map<string, OpenMessage>();
  readonly #changes = new KeyedTurns();
  readonly #unknownEmoji = new Set<string>();
  readonly #writing = new Map<string, Timer>();

  constructor(options: SignsOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  /** A message was accepted; returns at once. */
  acknowledge(platformId: string, channelId: string): void {
    const { clock, readReceiptEmoji, signal } = this.#options;
    if (signal.aborted) return;
    const sinceMs = clock.now();
    const message = { channelId, sinceMs, shown: new Set<string>(), isWaiting: false };
    this.#open.set(platformId, { ...message, timer: undefined });
    const [oldest] = this.#open.keys();
    if (this.#open.size > OPEN_MAX && oldest !== undefined) this.#forget(oldest);
    this.#change(platformId, { add: readReceiptEmoji, remove: null });
    this.#works(platformId);
  }

  /** A message waits for its turn; returns at once. */
  waits(platformId: string): void {
    const message = this.#open.get(platformId);
    if (message === undefined || message.isWaiting) return;
    const { queuedEmoji, readReceiptEmoji } = this.#options;
    message.isWaiting = true;
    message.timer?.cancel();
    if (queuedEmoji === null) return;
    this.#change(platformId, { add: queuedEmoji, remove: readReceiptEmoji });
  }

  /** A message that waited is worked on; returns at once. */
  begins(platformId: string): void {
    const message = this.#open.get(platformId);
    if (message === undefined || !message.isWaiting) return;
    const { queuedEmoji, readReceiptEmoji } = this.#options;
    message.isWaiting = false;
    if (queuedEmoji !== null) {
      this.#change(platformId, { add: readReceiptEmoji, remove: queuedEmoji });
    }
    this.#works(platformId);
  }

  /** Messages were answered; never rejects. */
  async settle(settles: readonly Settled[], signal: AbortSignal): Promise<void> {
    await Promise.all(settles.map((settled) => this.#settle(settled, signal)));
  }

  async #settle({ platformId, channelState }: Settled, signal: AbortSignal): Promise<void> {
    const message = this.#open.get(platformId);
    this.#forget(platformId);
    await this.#changes.run(platformId, async () => {
      const stored = storedSchema.safeParse(channelState).data;
      const channelId = message?.channelId ?? stored?.channel_id;
      const emoji = message?.shown ?? stored?.emoji ?? [];
      if (channelId === undefined) return;
      for (const one of emoji) await this.#remove(channelId, platformId, one, signal);
    });
  }

  #works(platformId: string): void {
    const message = this.#open.get(platformId);
    if (message === undefined) return;
    const { clock, workingEmoji, workingEmojiDelay } = this.#options;
    if (!this.#writing.has(message.channelId)) this.#write(message.channelId);
    if (workingEmoji === null) return;
    message.timer = clock.setTimer(workingEmojiDelay * 1_000, () => {
      this.#change(platformId, { add: workingEmoji, remove: null });
    });
  }

  /** Says that the bot writes, as long as it works on a message of the channel. */
  #write(channelId: string): void {
    const { api, clock, signal } = this.#options;
    const nowMs = clock.now();
    const isWriting = this.#open.values().some((message) =>
      message.channelId === channelId && !message.isWaiting &&
      nowMs - message.sinceMs < TYPE_FOR_MS
    );
    if (!isWriting) return void this.#writing.delete(channelId);
    this.#writing.set(channelId, clock.setTimer(TYPE_EVERY_MS, () => this.#write(channelId)));
    api.type(channelId, signal).catch((error) =>
      logger.debug("Cannot say that the bot writes: {reason}", { reason: reasonOf(error) })
    );
  }

  /** One change of a message after the other; the new emoji comes before the old one goes. */
  #change(
    platformId: string,
    { add, remove }: { readonly add: string | null; readonly remove: string | null },
  ): void {
    const message = this.#open.get(platformId);
    if (message === undefined || (add === null && remove === null)) return;
    const { rememberInbound, signal } = this.#options;
    const { channelId, shown } = message;
    const changing = this.#changes.run(platformId, async () => {
      if (!this.#open.has(platformId)) return;
      if (add !== null) {
        // Stored before: what never came, or is gone already, is taken away in vain.
        const emoji = [...new Set([...shown, add])];
        await rememberInbound(platformId, { channel_id: channelId, emoji });
        if (await this.#add(channelId, platformId, add)) shown.add(add);
      }
      if (remove === null || !shown.delete(remove)) return;
      await this.#remove(channelId, platformId, remove, signal);
    });
    changing.catch((error) =>
      logger.warn("Cannot store the reactions on {platformId}: {error}", { platformId, error })
    );
  }

  async #add(channelId: string, messageId: string, emoji: string): Promise<boolean> {
    if (this.#unknownEmoji.has(emoji)) return false;
    try {
      await this.#options.api.react(channelId, messageId, emoji, this.#options.signal);
      return true;
    } catch (error) {
      if (hasCode(error, UNKNOWN_EMOJI_CODE)) {
        this.#unknownEmoji.add(emoji);
        logger.warn('There is no emoji "{emoji}" here: no reactions with it from now on', {
          emoji,
        });
      } else logger.debug("No reaction: {reason}", { reason: reasonOf(error) });
      return false;
    }
  }

  async #remove(
    channelId: string,
    messageId: string,
    emoji: string,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.#options.api.unreact(channelId, messageId, emoji, signal);
    } catch (error) {
      logger.debug("A reaction stays: {reason}", { reason: reasonOf(error) });
    }
  }

  #forget(platformId: string): void {
    this.#open.get(platformId)?.timer?.cancel();
    this.#open.delete(platformId);
  }

  #end(): void {
    for (const platformId of this.#open.keys()) this.#forget(platformId);
    for (const timer of this.#writing.values()) timer.cancel();
    this.#writing.clear();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
