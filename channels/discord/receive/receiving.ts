/**
 * The receiving side of one bot: what its session tells, and what was said before it began.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import { Background } from "../../background.ts";
import type { ChannelContext, Delivery } from "../../channel.ts";
import { Drafts } from "../../drafts.ts";
import { MediaStore } from "../../media/adapters/media_store.ts";
import { Speech } from "../../media/speech.ts";
import type { DiscordApi } from "../api.ts";
import { Cursor } from "../../event_gateway/cursor.ts";
import type { Progress } from "../gateway/progress.ts";
import type { DiscordLink } from "../link.ts";
import type { DiscordSection } from "../manifest.ts";
import type { Signs } from "../signs.ts";
import { deletedSchema, placeSchema, placesSchema } from "../wire.ts";
import type { Ready } from "../wire_gateway.ts";
import { catchUp } from "./catch_up.ts";
import { Completer } from "./completer.ts";
import { Downloads } from "./downloads.ts";
import { Interactions } from "./interactions.ts";
import { Places } from "./places.ts";
import { Receiver } from "./receiver.ts";

const logger = getLogger(["troupe", "discord", "receiving"]);

/** What receiving needs. */
export interface ReceivingOptions {
  readonly section: DiscordSection;
  readonly context: ChannelContext;
  readonly link: DiscordLink;
  readonly api: DiscordApi;
  readonly botId: string;
  readonly progress: Progress;
  readonly signs: Signs;
}

/** Places whose last answer is remembered. */
const PLACES_MAX = 2_000;

/** Receives for one bot. */
export class Receiving implements AsyncDisposable {
  readonly #context: ChannelContext;
  readonly #api: DiscordApi;
  readonly #progress: Progress;
  readonly #places: Places;
  readonly #drafts: Drafts;
  readonly #receiver: Receiver;
  readonly #interactions: Interactions;
  readonly #cursor: Cursor;
  readonly #ownLast = new Map<string, readonly string[]>();
  readonly #background: Background;

  constructor({ section, context, link, api, botId, progress, signs }: ReceivingOptions) {
    const { clock, signal, name: channel, commands = [] } = context;
    this.#context = context;
    this.#background = new Background(logger, signal);
    this.#api = api;
    this.#progress = progress;
    this.#places = new Places(api);
    for (const { channelId, guildId, parentId } of progress.channels) {
      if (guildId !== null) this.#places.note(channelId, parentId);
    }
    const store = new MediaStore(context.mediaFolder, context.newId);
    const completer = new Completer({
      botId,
      api,
      downloads: new Downloads({ link, api, store, clock, signal }),
      speech: new Speech((path) => untilAborted(context.transcribe(path), signal)),
      isOwnLast: (channelId, messageId) =>
        this.#ownLast.get(channelId)?.includes(messageId) ?? false,
      signal,
    });
    this.#drafts = new Drafts({
      context,
      store,
      background: this.#background,
      read: (_platformId, draft) => completer.read(draft),
    });
    const shared = { ...section, channel, places: this.#places, signal };
    this.#receiver = new Receiver({
      ...shared,
      botId,
      clock,
      completer,
      handIn: (inbound) => context.handIn(inbound),
      onAccepted: (inbound, channelId) => {
        signs.acknowledge(inbound.platformId, channelId);
        this.#drafts.begin(inbound);
      },
      onRead: (read) => {
        progress.read(read);
        this.#cursor.touch();
      },
    });
    this.#interactions = new Interactions({
      ...shared,
      api,
      commands,
      handIn: (inbound) => context.handIn(inbound),
    });
    this.#cursor = new Cursor({
      read: () => progress.toJson(),
      keep: (cursor) => context.keepCursor(cursor),
    });
  }

  /** Goes on with what an earlier run accepted and did not complete; returns at once. */
  resume(): void {
    this.#drafts.resume();
  }

  /** A connection begins: what was not taken comes again. */
  beginAnew(): void {
    this.#receiver.beginAnew();
  }

  /**
   * A session began, or goes on.
   *
   * @returns whether what was said before is taken in
   */
  async onSession(ready: Ready | null): Promise<boolean> {
    if (ready !== null) {
      const { id } = ready.application;
      this.#background.run("tell of the commands", () => this.#interactions.register(id));
    }
    if (this.#progress.isBehind) {
      const { clock, signal } = this.#context;
      const options = { api: this.#api, receiver: this.#receiver, clock, signal };
      if (!await catchUp({ ...options, progress: this.#progress })) return false;
      this.#progress.caughtUp();
    }
    this.#cursor.touch();
    return true;
  }

  /** Takes an event. @returns whether it need not come again */
  async onEvent(type: string, data: unknown): Promise<boolean> {
    switch (type) {
      case "MESSAGE_CREATE":
        return await this.#receiver.receive(data);
      case "MESSAGE_DELETE":
      case "MESSAGE_DELETE_BULK":
        for (const id of deletedSchema.safeParse(data).data ?? []) this.#withdraw(id);
        return true;
      case "INTERACTION_CREATE":
        this.#background.run("take a command", () => this.#interactions.receive(data));
        return true;
      case "GUILD_CREATE":
      case "THREAD_LIST_SYNC":
        this.#places.learn(placesSchema.safeParse(data).data ?? []);
        return true;
      case "CHANNEL_CREATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE": {
        const place = placeSchema.safeParse(data).data;
        if (place !== undefined) this.#places.learn([place]);
        return true;
      }
      default:
        return true;
    }
  }

  /** Notes what the bot just said: whoever answers that means what stands right before. */
  noteOwnAnswer({ chatId, context }: Delivery, messageIds: readonly string[]): void {
    if (messageIds.length === 0) return;
    const channelId = context["channel_id"];
    const place = typeof channelId === "string" ? channelId : chatId;
    this.#ownLast.delete(place);
    this.#ownLast.set(place, messageIds);
    const [oldest] = this.#ownLast.keys();
    if (this.#ownLast.size > PLACES_MAX && oldest !== undefined) this.#ownLast.delete(oldest);
  }

  /** Waits for what is under way, which the context's signal has ended, and stores where it stopped. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#background[Symbol.asyncDispose]();
    this.#progress.events.rewind();
    this.#cursor.touch();
    await this.#cursor.settled();
  }

  #withdraw(platformId: string): void {
    this.#background.run(
      "drop a message that was taken back",
      () => this.#context.withdraw(platformId),
    );
  }
}
