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
import type { DeviceStore } from "../adapters/device_store.ts";
import type { PersonIds } from "../ids.ts";
import type { FileSource } from "../link.ts";
import type { WhatsAppSection } from "../manifest.ts";
import type { ReceivedMessage } from "../wire.ts";
import { MessageContents } from "./contents.ts";
import { Downloads } from "./downloads.ts";
import { readDraft } from "./draft.ts";
import { Receiver } from "./receiver.ts";

const logger = getLogger(["troupe", "whatsapp", "receiving"]);

/** What receiving needs. */
export interface ReceivingOptions {
  readonly section: WhatsAppSection;
  readonly context: ChannelContext;
  readonly files: FileSource;
  readonly store: DeviceStore;
  /** A message was accepted. */
  readonly onAccepted: (inbound: ChannelInbound) => void;
}

/** The receiving half of a channel. */
export class Receiving implements AsyncDisposable {
  readonly #drafts: Drafts;
  readonly #receiver: Receiver;
  /** Work that is under way beside the connection. */
  readonly #background: Background;

  constructor({ section, context, files, store, onAccepted }: ReceivingOptions) {
    const { clock, signal } = context;
    this.#background = new Background(logger, signal);
    const media = new MediaStore(context.mediaFolder, context.newId);
    const contents = new MessageContents({
      downloads: new Downloads({ files, store: media, clock, signal }),
      speech: new Speech((path) => untilAborted(context.transcribe(path), signal)),
    });
    this.#drafts = new Drafts({
      context,
      store: media,
      background: this.#background,
      read: (_platformId, draft) => readDraft(draft, contents),
    });
    this.#receiver = new Receiver({
      ...{ inbox: store.inbox, clock, signal, contents },
      allowFrom: section.allowFrom,
      groupPolicy: section.groupPolicy,
      phoneOf: (lid) => store.phoneOf(lid),
      learn: (lid, phone) => store.learn(lid, phone),
      handIn: (inbound) => context.handIn(inbound),
      withdraw: (platformId) => context.withdraw(platformId),
      onAccepted: (inbound) => {
        onAccepted(inbound);
        this.#drafts.begin(inbound);
      },
    });
  }

  /** Goes on with what an earlier run kept, or accepted and did not complete; returns at once. */
  resume(): void {
    this.#drafts.resume();
    this.wake();
  }

  /** Who the bot is. */
  isSelf(self: PersonIds): void {
    this.#receiver.isSelf(self);
  }

  /** Somebody was named, by number and id perhaps. */
  learn(person: PersonIds): void {
    this.#receiver.learn(person);
  }

  /** Is this message one to keep and hand in? */
  isWanted(message: ReceivedMessage): boolean {
    return this.#receiver.isWanted(message);
  }

  /** A message was kept; returns at once. */
  wake(): void {
    this.#background.run("hand in messages", () => this.#receiver.handInAll());
  }

  /** Waits for what is under way; the context's signal has ended it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#background[Symbol.asyncDispose]();
  }
}
