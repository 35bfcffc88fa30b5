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
import { Speech } from "../../media/speech.ts";
import type { DingTalkApi } from "../api.ts";
import type { DingTalkLink } from "../link.ts";
import type { DingTalkSection } from "../manifest.ts";
import { Contents } from "./contents.ts";
import { Downloads } from "./downloads.ts";
import { Receiver } from "./receiver.ts";

const logger = getLogger(["troupe", "dingtalk", "receiving"]);

/** What receiving needs. */
export interface ReceivingOptions {
  readonly section: DingTalkSection;
  readonly context: ChannelContext;
  readonly api: DingTalkApi;
  readonly link: DingTalkLink;
  /** A message was accepted. */
  readonly onAccepted: (inbound: ChannelInbound) => void;
}

/** The receiving half of a channel. */
export class Receiving implements AsyncDisposable {
  readonly #drafts: Drafts;
  readonly #receiver: Receiver;
  /** Work that is under way beside the messages. */
  readonly #background: Background;

  constructor({ section, context, api, link, onAccepted }: ReceivingOptions) {
    const { clock, signal } = context;
    this.#background = new Background(logger, signal);
    const store = new MediaStore(context.mediaFolder, context.newId);
    const contents = new Contents({
      downloads: new Downloads({ api, link, store, clock, signal }),
      speech: new Speech((path) => untilAborted(context.transcribe(path), signal)),
    });
    this.#drafts = new Drafts({
      context,
      store,
      background: this.#background,
      read: (platformId, draft) => contents.read(platformId, draft),
    });
    this.#receiver = new Receiver({
      ...section,
      channel: context.name,
      clock,
      contents,
      handIn: (inbound) => context.handIn(inbound),
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

  /** Takes what a frame holds; tells whether DingTalk may forget it. */
  take(data: string, deliveryId: string): Promise<boolean> {
    return this.#receiver.take(data, deliveryId);
  }

  /** Waits for what is under way; the context's signal has ended it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#background[Symbol.asyncDispose]();
  }
}
