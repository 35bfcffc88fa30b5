/**
 * Everything that receives, put together.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import { Background } from "../../background.ts";
import type { ChannelContext, ChannelInbound } from "../../channel.ts";
import { Drafts } from "../../drafts.ts";
import { MediaStore } from "../../media/adapters/media_store.ts";
import type { TelegramLink } from "../link.ts";
import type { TelegramSection } from "../manifest.ts";
import type { BotInfo, TelegramUpdate } from "../wire.ts";
import { Contents } from "./contents.ts";
import { Downloads } from "./downloads.ts";
import { readDraft } from "./draft.ts";
import { Presses } from "./presses.ts";
import { Receiver } from "./receiver.ts";

const logger = getLogger(["troupe", "telegram", "receiving"]);

/** What receiving needs. */
export interface ReceivingOptions {
  readonly section: TelegramSection;
  readonly context: ChannelContext;
  readonly link: TelegramLink;
  readonly bot: BotInfo;
  /** A message was accepted. */
  readonly onAccepted: (inbound: ChannelInbound) => void;
}

/** The receiving half of a channel. */
export class Receiving implements AsyncDisposable {
  readonly #drafts: Drafts;
  readonly #receiver: Receiver;
  /** Work that is under way beside the updates. */
  readonly #background: Background;

  constructor({ section, context, link, bot, onAccepted }: ReceivingOptions) {
    const { clock, signal } = context;
    this.#background = new Background(logger, signal);
    const store = new MediaStore(context.mediaFolder, context.newId);
    const contents = new Contents({
      bot,
      downloads: new Downloads({ link, store, clock, signal }),
      transcribe: (path) => untilAborted(context.transcribe(path), signal),
    });
    this.#drafts = new Drafts({
      context,
      store,
      background: this.#background,
      read: (_platformId, draft) => readDraft(draft, contents),
    });
    const shared = {
      bot,
      allowFrom: section.allowFrom,
      channel: context.name,
      handIn: (inbound: ChannelInbound) => context.handIn(inbound),
    };
    const presses = new Presses({
      ...shared,
      acknowledge: (pressId) => {
        this.#background.run("acknowledge a press", () => link.answerPress(pressId, signal));
      },
    });
    this.#receiver = new Receiver({
      ...shared,
      presses,
      groupPolicy: section.groupPolicy,
      commands: context.commands ?? [],
      clock,
      contents,
      onAccepted: (inbound) => {
        onAccepted(inbound);
        this.#drafts.begin(inbound);
      },
    });
  }

  /** Goes on with what an earlier run accepted and did not complete; returns at once. */
  resume(): void {
    this.#drafts.resume();
  }

  /** Takes updates; gives the number of the first that the gateway could not take, or null. */
  receive(updates: readonly TelegramUpdate[]): Promise<number | null> {
    return this.#receiver.receive(updates);
  }

  /** Waits for what is under way; the context's signal has ended it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#background[Symbol.asyncDispose]();
  }
}
