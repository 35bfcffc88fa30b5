/**
 * Everything that receives, put together.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import { Background } from "../../background.ts";
import type { ChannelContext } from "../../channel.ts";
import { Drafts } from "../../drafts.ts";
import { Cursor } from "../../event_gateway/cursor.ts";
import { MediaStore } from "../../media/adapters/media_store.ts";
import { Speech } from "../../media/speech.ts";
import type { Progress } from "../gateway/progress.ts";
import type { QqLink } from "../link.ts";
import type { QqSection } from "../manifest.ts";
import type { Replies } from "../send/replies.ts";
import type { QqMessage } from "../wire.ts";
import { Contents } from "./contents.ts";
import { commandIn } from "./message.ts";
import { Receiver } from "./receiver.ts";

const logger = getLogger(["troupe", "qq", "receiving"]);

/** What receiving needs. */
export interface ReceivingOptions {
  readonly section: QqSection;
  readonly context: ChannelContext;
  readonly link: QqLink;
  readonly progress: Progress;
  readonly replies: Replies;
  /** Says at once that a message was accepted. */
  readonly acknowledge: (message: QqMessage) => Promise<void>;
}

/** The receiving half of a channel. */
export class Receiving implements AsyncDisposable {
  readonly #progress: Progress;
  readonly #drafts: Drafts;
  readonly #receiver: Receiver;
  readonly #cursor: Cursor;
  readonly #background: Background;

  constructor({ section, context, link, progress, replies, acknowledge }: ReceivingOptions) {
    const { clock, signal } = context;
    this.#progress = progress;
    this.#background = new Background(logger, signal);
    const store = new MediaStore(context.mediaFolder, context.newId);
    const contents = new Contents({
      section,
      link,
      store,
      speech: new Speech((path) => untilAborted(context.transcribe(path), signal)),
      clock,
      signal,
    });
    this.#drafts = new Drafts({
      context,
      store,
      background: this.#background,
      read: (_platformId, draft) => contents.read(draft),
    });
    this.#receiver = new Receiver({
      allowFrom: section.allowFrom,
      clock,
      contents,
      handIn: (inbound) => context.handIn(inbound),
      onTaken: (message, saidMs) => {
        progress.noteChat(message.chatId, message);
        replies.note(message, { messageId: message.id, saidMs });
      },
      onAccepted: (inbound, message) => {
        if (section.ackMessage !== "" && commandIn(message) === null) {
          this.#background.run("acknowledge a message", () => acknowledge(message));
        }
        this.#drafts.begin(inbound);
      },
      signal,
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

  /** Something need not come again: that is stored soon. */
  onRead(): void {
    this.#cursor.touch();
  }

  /** Takes an event. @returns whether it need not come again */
  onEvent(type: string, data: unknown): Promise<boolean> {
    return this.#receiver.receive(type, data);
  }

  /** Waits for what is under way, which the context's signal has ended, and stores where it stopped. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#background[Symbol.asyncDispose]();
    this.#progress.events.rewind();
    this.#cursor.touch();
    await this.#cursor.settled();
  }
}
