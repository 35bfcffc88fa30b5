/**
 * Everything that receives, put together: messages, messages taken back, slash commands, presses of
 * buttons, and what was missed.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { Background } from "../../background.ts";
import type { ChannelContext } from "../../channel.ts";
import { Drafts } from "../../drafts.ts";
import { MediaStore } from "../../media/adapters/media_store.ts";
import { Speech } from "../../media/speech.ts";
import type { SlackApi } from "../api.ts";
import type { Envelope, SlackLink } from "../link.ts";
import type { SlackSection } from "../manifest.ts";
import { eventSchema, type Identity, slashSchema } from "../wire.ts";
import { catchUp } from "./catch_up.ts";
import { Completer } from "./completer.ts";
import { Files } from "./files.ts";
import type { ChannelMemory } from "./memory.ts";
import { platformIdOf } from "./message.ts";
import { People } from "./people.ts";
import { takePress } from "./presses.ts";
import { Receiver } from "./receiver.ts";
import { takeSlash } from "./slash.ts";
import { ThreadPast } from "./thread_past.ts";

const logger = getLogger(["troupe", "slack", "receiving"]);

/** What receiving needs. */
export interface ReceivingOptions {
  readonly section: SlackSection;
  readonly context: ChannelContext;
  readonly link: SlackLink;
  readonly api: SlackApi;
  readonly identity: Identity;
  readonly memory: ChannelMemory;
  /** A message was accepted. */
  readonly onAccepted: (platformId: string) => void;
}

/** The receiving half of a channel. */
export class Receiving implements AsyncDisposable {
  readonly #options: ReceivingOptions;
  readonly #drafts: Drafts;
  readonly #receiver: Receiver;
  /** Work that is under way beside the events. */
  readonly #background: Background;
  #isCatchingUp = false;
  /** Events came again after a gap that was not looked into yet. */
  #mustCatchUp = false;
  /** The memory changed since it was stored, or while it is. */
  #isUnstored = false;
  #isStoring = false;

  constructor(options: ReceivingOptions) {
    const { section, context, link, api, identity, memory, onAccepted } = options;
    const { clock, signal } = context;
    const botUserId = identity.user_id;
    const people = new People({ api, clock, signal });
    this.#options = options;
    this.#background = new Background(logger, signal);
    const store = new MediaStore(context.mediaFolder, context.newId);
    const completer = new Completer({
      botUserId,
      replyInThread: section.replyInThread,
      people,
      files: new Files({
        api,
        link,
        apiUrl: section.apiUrl,
        store,
        speech: new Speech((path) => untilAborted(context.transcribe(path), signal)),
        clock,
        signal,
      }),
      past: new ThreadPast({ api, people, memory, botUserId, clock, signal }),
    });
    this.#drafts = new Drafts({
      context,
      store,
      background: this.#background,
      read: (platformId, draft) => completer.read(platformId, draft),
    });
    this.#receiver = new Receiver({
      ...section,
      channel: context.name,
      botUserId,
      clock,
      memory,
      completer,
      handIn: (inbound) => context.handIn(inbound),
      onAccepted: (inbound) => {
        onAccepted(inbound.platformId);
        this.store();
        this.#drafts.begin(inbound);
      },
    });
  }

  /** Goes on with what an earlier run accepted and did not complete; returns at once. */
  resume(): void {
    this.#drafts.resume();
  }

  /** Events come again: reads what was said meanwhile; returns at once. */
  catchUp(): void {
    if (!this.#options.memory.hasGap) return;
    this.#mustCatchUp = true;
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    this.#background.run("see what was missed", async () => {
      try {
        await this.#catchUp();
      } finally {
        this.#isCatchingUp = false;
      }
    });
  }

  /** Takes what Slack hands over; gives what it is acknowledged with, or null to have it again. */
  async take({ type, payload }: Envelope): Promise<JsonObject | null> {
    switch (type) {
      case "events_api":
        return await this.#takeEvent(payload) ? {} : null;
      case "slash_commands":
        return await this.#takeSlash(payload);
      case "interactive":
        return await this.#takePress(payload) ? {} : null;
      default:
        logger.debug("Nothing to do for {type}", { type });
        return {};
    }
  }

  /** Stores the memory, soon; returns at once. */
  store(): void {
    this.#isUnstored = true;
    if (this.#isStoring) return;
    this.#isStoring = true;
    const { context, memory } = this.#options;
    this.#background.run("store how far Slack was read", async () => {
      try {
        while (this.#isUnstored) {
          this.#isUnstored = false;
          await untilAborted(context.keepCursor(memory.stored), context.signal);
        }
      } finally {
        this.#isStoring = false;
      }
    });
  }

  /** Waits for what is under way; the context's signal has ended it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#background[Symbol.asyncDispose]();
  }

  /** Once more for as long as there was a further gap meanwhile. */
  async #catchUp(): Promise<void> {
    const { api, memory, context: { clock, signal } } = this.#options;
    const receive = this.#receiver.receive.bind(this.#receiver);
    while (this.#mustCatchUp) {
      this.#mustCatchUp = false;
      const { gapCount } = memory;
      const hasSeenAll = await catchUp({ api, memory, receive, clock, signal });
      if (hasSeenAll) memory.endGap(gapCount);
    }
    this.store();
  }

  async #takeEvent(payload: unknown): Promise<boolean> {
    const event = eventSchema.safeParse(payload).data?.event;
    if (event === undefined) {
      logger.debug("Ignored an event that is no message");
      return true;
    }
    if (event.subtype !== "message_deleted") return await this.#receiver.receive(event);
    const platformId = platformIdOf({ channel: event.channel, ts: event.deleted_ts });
    this.#background.run(
      "drop a message that was taken back",
      () => this.#options.context.withdraw(platformId),
    );
    return true;
  }

  async #takeSlash(payload: unknown): Promise<JsonObject> {
    const slash = slashSchema.safeParse(payload).data;
    if (slash === undefined) return {};
    const { section, context } = this.#options;
    const commands = (context.commands ?? []).map(({ name }) => name);
    const handIn = context.handIn.bind(context);
    return await takeSlash(slash, { ...section, commands, handIn });
  }

  async #takePress(payload: unknown): Promise<boolean> {
    const { section, context } = this.#options;
    const handIn = context.handIn.bind(context);
    return await takePress(payload, { ...section, channel: context.name, handIn });
  }
}
