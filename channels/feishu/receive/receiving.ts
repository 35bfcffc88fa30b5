/**
 * Everything that receives, put together: messages, messages taken back, groups to greet.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { Background } from "../../background.ts";
import type { ChannelContext, Delivery } from "../../channel.ts";
import { Drafts } from "../../drafts.ts";
import { MediaStore } from "../../media/adapters/media_store.ts";
import type { FeishuApi } from "../api.ts";
import type { FeishuLink } from "../link.ts";
import { Lookups } from "../lookups.ts";
import { Presses } from "./presses.ts";
import type { FeishuSection } from "../manifest.ts";
import { botAddedEventSchema, type BotInfo, recalledEventSchema } from "../wire.ts";
import { Speech } from "../../media/speech.ts";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import { Bundles } from "./bundles.ts";
import { Completer } from "./completer.ts";
import { Downloads } from "./downloads.ts";
import { Greeter } from "./greeter.ts";
import { People } from "./people.ts";
import { Quotes } from "./quotes.ts";
import { Receiver } from "./receiver.ts";
import { Rendering } from "./rendering.ts";

const logger = getLogger(["troupe", "feishu", "receiving"]);

/** What receiving needs. */
export interface ReceivingOptions {
  readonly section: FeishuSection;
  readonly context: ChannelContext;
  readonly link: FeishuLink;
  readonly api: FeishuApi;
  readonly bot: BotInfo;
  /** A message was accepted. */
  readonly onAccepted: (platformId: string) => void;
}

/** The receiving half of a channel. */
export class Receiving implements AsyncDisposable {
  readonly #context: ChannelContext;
  readonly #drafts: Drafts;
  readonly #quotes: Quotes;
  readonly #receiver: Receiver;
  readonly #greeter: Greeter;
  readonly #presses: Presses;
  /** Work that is under way beside the events. */
  readonly #background: Background;

  constructor({ section, context, link, api, bot, onAccepted }: ReceivingOptions) {
    const { clock, signal } = context;
    const botOpenId = bot.open_id;
    const lookups = new Lookups(link);
    const people = new People({ lookups, clock, signal });
    this.#context = context;
    this.#background = new Background(logger, signal);
    const store = new MediaStore(context.mediaFolder, context.newId);
    const rendering = new Rendering({
      downloads: new Downloads({ lookups, store, clock, signal }),
      bundles: new Bundles({ lookups, people, botOpenId, clock, signal }),
      speech: new Speech((path) => untilAborted(context.transcribe(path), signal)),
    });
    const { appId } = section;
    this.#quotes = new Quotes({ lookups, people, rendering, appId, botOpenId, clock, signal });
    const completer = new Completer({
      botOpenId,
      people,
      quotes: this.#quotes,
      rendering,
    });
    this.#drafts = new Drafts({
      context,
      store,
      background: this.#background,
      read: (_platformId, draft) => completer.read(draft),
    });
    this.#receiver = new Receiver({
      ...section,
      channel: context.name,
      botOpenId,
      clock,
      people,
      completer,
      handIn: (inbound) => context.handIn(inbound),
      onAccepted: (inbound) => {
        onAccepted(inbound.platformId);
        this.#drafts.begin(inbound);
      },
    });
    this.#presses = new Presses({
      ...section,
      channel: context.name,
      handIn: (inbound) => context.handIn(inbound),
    });
    this.#greeter = new Greeter({ ...section, api, botName: bot.app_name, clock, signal });
  }

  /** Goes on with what an earlier run accepted and did not complete; returns at once. */
  resume(): void {
    this.#drafts.resume();
  }

  /** Takes a message event; whether the platform may forget it. */
  onMessage(event: unknown): Promise<boolean> {
    return this.#receiver.receive(event);
  }

  /** Takes the press of a button; whether the platform may forget it. */
  onPress(event: unknown): Promise<boolean> {
    return this.#presses.receive(event);
  }

  /** Takes any other event; those that mean nothing to us are ignored quietly. */
  onEvent(eventType: string, event: unknown): void {
    switch (eventType) {
      case "im.message.recalled_v1": {
        const recalled = recalledEventSchema.safeParse(event).data;
        if (recalled === undefined) return;
        return this.#background.run(
          "drop a message that was taken back",
          () => this.#context.withdraw(recalled.message_id),
        );
      }
      case "im.chat.member.bot.added_v1": {
        const added = botAddedEventSchema.safeParse(event).data;
        if (added === undefined) return;
        return this.#background.run("greet a group", () => this.#greeter.greet(added));
      }
      default:
        logger.debug("Nothing to do for {eventType}", { eventType });
    }
  }

  /** Notes what the bot just said. */
  noteOwnAnswer({ chatId, context }: Delivery, messageIds: readonly string[]): void {
    const threadId = context["thread_id"];
    const place = typeof threadId === "string" && threadId !== "" ? threadId : chatId;
    this.#quotes.noteOwnAnswer(place, messageIds);
  }

  /** Waits for what is under way; the context's signal has ended it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#background[Symbol.asyncDispose]();
  }
}
