/**
 * What a turn reads of the messages it answers: files that came with them, and what they bring to
 * mind.
 * @module
 */

import type { UserMessage } from "../../providers/provider.ts";
import type { Inbound } from "../journal/journal.ts";
import type { Conversation } from "./conversation.ts";
import { followUpsOf, openInbound, type ReadInbound, readInbound } from "./incoming.ts";
import { type LastSummary, lastSummary } from "./last_summary.ts";
import type { SessionServices } from "./ports.ts";
import { remembered } from "./remembered.ts";
import type { Joining } from "./steps.ts";

/** What a reader works with. */
export interface TurnReaderOptions {
  readonly services: SessionServices;
  readonly conversation: Conversation;
}

/** The message that begins a turn. */
export interface FirstRead {
  readonly joining: Joining;
  /** As the model sees it: the search for what it brings to mind begins with the call. */
  show(): Promise<UserMessage>;
}

/** Reads for one turn. */
export class TurnReader {
  readonly #options: TurnReaderOptions;

  constructor(options: TurnReaderOptions) {
    this.#options = options;
  }

  /** Reads the message that begins the turn. @throws what a port throws */
  async readFirst(inbound: Inbound): Promise<FirstRead> {
    const { services, conversation } = this.#options;
    const opened = await openInbound(inbound, services);
    return {
      joining: opened,
      show: () => opened.show(this.#beside(inbound, lastSummary(conversation.metadata))),
    };
  }

  /** As a turn begins again: the first of them shows what was said before. @throws as above */
  async readAgain(inbounds: readonly Inbound[]): Promise<ReadInbound[]> {
    const summary = lastSummary(this.#options.conversation.metadata);
    return await this.#read(inbounds, summary);
  }

  /** Messages that can join a turn of `home`. @throws as above */
  async readFollowUps(home: Inbound, countMax: number): Promise<readonly ReadInbound[]> {
    const { journal } = this.#options.services;
    return await this.#read(await followUpsOf(journal, home, countMax), null);
  }

  #read(inbounds: readonly Inbound[], summary: LastSummary | null): Promise<ReadInbound[]> {
    const { services } = this.#options;
    return Promise.all(
      inbounds.map((inbound, index) =>
        readInbound(inbound, services, this.#beside(inbound, index === 0 ? summary : null))
      ),
    );
  }

  #beside(inbound: Inbound, summary: LastSummary | null): Parameters<typeof readInbound>[2] {
    const { services, conversation } = this.#options;
    return { summary, remembered: () => remembered(inbound, conversation, services) };
  }
}
