/**
 * Takes updates in: admission, then the durable hand-in, in the order of arrival. What takes time
 * comes after that.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { ChannelCommand, ChannelInbound, HandInResult } from "../../channel.ts";
import { tryHandIn } from "../../handing_in.ts";
import { Lateness } from "../../lateness.ts";
import { Strangers } from "../../strangers.ts";
import { messageSchema, type TelegramMessage, type TelegramUpdate } from "../wire.ts";
import { type AdmissionRules, admitAlbum } from "./admission.ts";
import type { Contents, Received } from "./contents.ts";
import { draftOf } from "./draft.ts";
import { commandIn, inboundOf } from "./message.ts";
import type { Presses } from "./presses.ts";

const logger = getLogger(["troupe", "telegram", "receiver"]);

/** What a receiver needs. */
export interface ReceiverOptions extends AdmissionRules {
  /** Runtime name of the channel. */
  readonly channel: string;
  readonly commands: readonly ChannelCommand[];
  readonly clock: Clock;
  readonly contents: Pick<Contents, "atOnce">;
  readonly presses: Pick<Presses, "take">;
  /** Resolves when the message is durable. */
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
  /** A new message was accepted; it may be a draft. */
  readonly onAccepted: (inbound: ChannelInbound) => void;
}

/** Messages that belong together, or a press, and the number of the first of their updates. */
interface Group {
  readonly updateId: number;
  readonly messages: TelegramMessage[];
  readonly press?: unknown;
}

/** For so long Telegram keeps what nobody has read. */
const KEPT_MS = 24 * 3_600_000;

/** Judges and hands in the updates of one bot. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #strangers: Strangers;
  readonly #lateness = new Lateness(KEPT_MS);

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { allowFrom } = options;
    const key = "channels.telegram.allowFrom";
    this.#strangers = new Strangers({ logger, key, allowFrom, ids: "numeric user ids" });
  }

  /**
   * Takes updates, in order.
   *
   * @returns the number of the first that the gateway could not take; null when it has all
   */
  async receive(updates: readonly TelegramUpdate[]): Promise<number | null> {
    for (const { updateId, messages, press } of grouped(updates)) {
      const isTaken = press === undefined
        ? await this.#take(messages)
        : await this.#options.presses.take(press);
      if (!isTaken) return updateId;
    }
    return null;
  }

  /** @returns whether Telegram may forget it */
  async #take(album: readonly TelegramMessage[]): Promise<boolean> {
    const admission = admitAlbum(album, this.#options);
    switch (admission.verdict) {
      case "ignored":
        logger.debug("Ignored a message: {reason}", { reason: admission.reason });
        return true;
      case "stranger":
        this.#strangers.note(admission.senderId);
        return true;
      case "admitted":
        return await this.#handIn(album);
    }
  }

  async #handIn(album: readonly TelegramMessage[]): Promise<boolean> {
    const [first] = album;
    if (first === undefined) return true;
    const { clock } = this.#options;
    const lateMs = this.#lateness.of(String(first.date * 1_000), clock.now());
    const command = commandIn(first, this.#options);
    if (command !== null && lateMs > 0) {
      logger.warn("Ignored a command: it came {lateMs} ms late", { lateMs });
      return true;
    }
    const contents = command === null
      ? this.#contentsOf({ album, lateMs })
      : { content: command, media: [] };
    const inbound = { ...inboundOf(first, this.#options), ...contents };
    const result = await tryHandIn(this.#options.handIn, inbound, logger);
    if (result === "accepted") this.#options.onAccepted(inbound);
    return result !== "refused";
  }

  #contentsOf(received: Received): Pick<ChannelInbound, "content" | "media" | "draft"> {
    return this.#options.contents.atOnce(received) ??
      { content: "", media: [], draft: draftOf(received) };
  }
}

/** Whether the last update is of an album, of which more may come. */
export function endsInAlbum(updates: readonly TelegramUpdate[]): boolean {
  return parsed(updates.at(-1))?.media_group_id !== undefined;
}

/** Albums together, at the place of their first message; what cannot be read is left out. */
function grouped(updates: readonly TelegramUpdate[]): readonly Group[] {
  const groups: Group[] = [];
  const albums = new Map<string, Group>();
  for (const update of updates) {
    const { update_id: updateId, callback_query: press } = update;
    if (press !== undefined) groups.push({ updateId, messages: [], press });
    const message = parsed(update);
    if (message === undefined) continue;
    const { media_group_id: albumId, chat } = message;
    const key = albumId === undefined ? null : `${chat.id} ${albumId}`;
    const known = key === null ? undefined : albums.get(key);
    if (known !== undefined) {
      known.messages.push(message);
      continue;
    }
    const group = { updateId, messages: [message] };
    groups.push(group);
    if (key !== null) albums.set(key, group);
  }
  return groups;
}

function parsed(update: TelegramUpdate | undefined): TelegramMessage | undefined {
  if (update?.message === undefined) return undefined;
  const read = messageSchema.safeParse(update.message);
  if (!read.success) {
    logger.warn("Ignored a message of unknown shape ({issues} faults)", {
      issues: read.error.issues.length,
    });
  }
  return read.data;
}
