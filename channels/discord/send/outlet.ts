/**
 * The messages of one delivery at the platform: made, changed and taken back in their place.
 * @module
 */

import type { DiscordApi, Sent, Words } from "../api.ts";
import {
  DiscordRefusedError,
  hasCode,
  INTERACTION_OVER_CODES,
  UNKNOWN_CHANNEL_CODE,
  UNKNOWN_MESSAGE_CODE,
} from "../errors.ts";
import type { OutgoingFile } from "../link.ts";
import type { Target } from "./target.ts";

/** Stands for the message that answers a command. */
export const ORIGINAL = "@original";

/** The bot may not see what it should answer. */
const REPLY_REFUSED_CODES: ReadonlySet<number> = new Set([160002, 50035]);
/** People whose direct channel is known. */
const DIRECT_MAX = 1_000;

/** Channels of direct messages by person, found once. */
export class DirectChannels {
  readonly #api: Pick<DiscordApi, "directChannel">;
  readonly #known = new Map<string, string>();

  constructor(api: Pick<DiscordApi, "directChannel">) {
    this.#api = api;
  }

  /** The channel that is known for an id; the id itself where it is a channel's. */
  known(id: string): string {
    return this.#known.get(id) ?? id;
  }

  /** Opens the direct channel with a person. */
  async open(userId: string, signal: AbortSignal): Promise<string> {
    const channelId = await this.#api.directChannel(userId, signal);
    this.#known.set(userId, channelId);
    const [oldest] = this.#known.keys();
    if (this.#known.size > DIRECT_MAX && oldest !== undefined) this.#known.delete(oldest);
    return channelId;
  }
}

/** What a new message shows. */
export interface Contents extends Words {
  readonly nonce: string;
  /** It is the first message of its delivery. */
  readonly isFirst: boolean;
  readonly file?: OutgoingFile;
}

/** One delivery's place. Its calls throw what {@link DiscordApi} throws. */
export class Outlet {
  readonly #api: DiscordApi;
  readonly #direct: DirectChannels;
  readonly #target: Target;

  constructor(api: DiscordApi, direct: DirectChannels, target: Target) {
    this.#api = api;
    this.#direct = direct;
    this.#target = target;
  }

  /** The channel, as far as it is known. */
  get channelId(): string {
    return this.#direct.known(this.#target.channelId);
  }

  /** Shows something new. */
  async show({ nonce, isFirst, file, ...said }: Contents, signal: AbortSignal): Promise<Sent> {
    const { interaction, replyToId } = this.#target;
    if (interaction !== null && isFirst && file === undefined) {
      if (await this.#answerCommand(said, signal)) return { id: ORIGINAL, content: said.text };
    }
    const message = { ...said, nonce, ...(file !== undefined && { file }) };
    const reply = { ...message, replyToId: isFirst ? replyToId : "" };
    try {
      return await this.#inChannel((channelId) => this.#api.send(channelId, reply, signal), signal);
    } catch (error) {
      const isReplyRefused = reply.replyToId !== "" && error instanceof DiscordRefusedError &&
        REPLY_REFUSED_CODES.has(error.platformCode);
      if (!isReplyRefused) throw error;
      return await this.#api.send(this.channelId, { ...message, replyToId: "" }, signal);
    }
  }

  /** Changes a message; false when it is gone. */
  async change(messageId: string, said: Words, signal: AbortSignal): Promise<boolean> {
    if (messageId === ORIGINAL) return await this.#answerCommand(said, signal);
    return await isThere(() => this.#api.edit(this.channelId, messageId, said, signal));
  }

  /** Takes a message back, if it is there. */
  async remove(messageId: string, signal: AbortSignal): Promise<void> {
    if (messageId === ORIGINAL) return;
    await isThere(() => this.#api.remove(this.channelId, messageId, signal));
  }

  /** False when the command can no longer be answered in its place. */
  async #answerCommand(said: Words, signal: AbortSignal): Promise<boolean> {
    const { interaction } = this.#target;
    if (interaction === null) return false;
    const { applicationId, token } = interaction;
    try {
      await this.#api.editInteraction(applicationId, token, said, signal);
      return true;
    } catch (error) {
      const isOver = error instanceof DiscordRefusedError &&
        (INTERACTION_OVER_CODES.has(error.platformCode) || error.status === 401 ||
          error.status === 404);
      if (isOver) return false;
      throw error;
    }
  }

  /** Where there is no such channel, a person may be meant. */
  async #inChannel<T>(
    work: (channelId: string) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { channelId } = this;
    try {
      return await work(channelId);
    } catch (error) {
      if (!hasCode(error, UNKNOWN_CHANNEL_CODE) || channelId !== this.#target.channelId) {
        throw error;
      }
      const directId = await this.#direct.open(channelId, signal).catch(() => {
        throw error;
      });
      return await work(directId);
    }
  }
}

/** Does it, unless the message is gone. */
async function isThere(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (hasCode(error, UNKNOWN_MESSAGE_CODE)) return false;
    throw error;
  }
}
