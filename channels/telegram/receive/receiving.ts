/**
 * Everything that receives, put together.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import type { ChannelContext, ChannelInbound } from "../../channel.ts";
import { Drafts } from "../../drafts.ts";
import { MediaStore } from "../../media/adapters/media_store.ts";
import type { TelegramLink } from "../link.ts";
import type { TelegramSection } from "../manifest.ts";
import type { BotInfo, TelegramUpdate } from "../wire.ts";
import { Completer } from "./completer.ts";
import { Contents } from "./contents.ts";
import { Downloads } from "./downloads.ts";
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
  readonly #context: ChannelContext;
  readonly #store: MediaStore;
  readonly #drafts: Drafts;
  readonly #receiver: Receiver;
  /** Work that is under way beside the updates. */
  readonly #underWay = new Set<Promise<void>>();

  constructor({ section, context, link, bot, onAccepted }: ReceivingOptions) {
    const { clock, signal } = context;
    this.#context = context;
    this.#store = new MediaStore(context.mediaFolder, context.newId);
    const contents = new Contents({
      bot,
      downloads: new Downloads({ link, store: this.#store, clock, signal }),
      transcribe: (path) => untilAborted(context.transcribe(path), signal),
    });
    const completer = new Completer({ contents, signal });
    this.#drafts = new Drafts({
      context,
      contentsOf: (platformId, draft) => completer.contentsOf(platformId, draft),
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
        this.#inBackground("acknowledge a press", () => link.answerPress(pressId, signal));
      },
    });
    this.#receiver = new Receiver({
      ...shared,
      presses,
      groupPolicy: section.groupPolicy,
      commands: context.commands ?? [],
      clock,
      contents,
      completer,
      onAccepted: (inbound) => {
        onAccepted(inbound);
        this.#inBackground("complete a message", () => this.#drafts.complete(inbound));
      },
    });
  }

  /** Goes on with what an earlier run accepted and did not complete; returns at once. */
  resume(): void {
    this.#inBackground("complete earlier messages", async () => {
      await this.#store.clean();
      await this.#drafts.completeLeftovers();
    });
  }

  /** Takes updates; gives the number of the first that the gateway could not take, or null. */
  receive(updates: readonly TelegramUpdate[]): Promise<number | null> {
    return this.#receiver.receive(updates);
  }

  /** Waits for what is under way; the context's signal has ended it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #inBackground(what: string, work: () => Promise<void>): void {
    const working = work().catch((error) => {
      if (this.#context.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      logger.error("Cannot {what}: {reason}", { what, reason });
    }).finally(() => this.#underWay.delete(working));
    this.#underWay.add(working);
  }
}
