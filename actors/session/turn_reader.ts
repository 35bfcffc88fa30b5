/**
 * What a turn reads of the messages it answers: files that came with them, and what they bring to
 * mind.
 * @module
 */

import type { UserMessage } from "../../providers/provider.ts";
import type { Inbound } from "../journal/journal.ts";
import type { Conversation } from "./conversation.ts";
import {
  type BesideInbound,
  followUpsOf,
  type OpenedInbound,
  openInbound,
  type ReadInbound,
} from "./incoming.ts";
import { type LastSummary, lastSummary } from "./last_summary.ts";
import type { SessionServices } from "./ports.ts";
import { ReadListener } from "./record/read_listener.ts";
import type { StepInputs } from "./record/step_inputs.ts";
import { remembered } from "./remembered.ts";
import type { Joining } from "./step_parts.ts";
import type { TurnTimes } from "./turn_times.ts";

/** What a reader works with. */
export interface TurnReaderOptions {
  readonly services: SessionServices;
  readonly conversation: Conversation;
  /** Where it is noted what was read. */
  readonly inputs: StepInputs;
  readonly times: Pick<TurnTimes, "reading">;
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
    const { times, conversation } = this.#options;
    const readAtMs = times.reading([inbound]);
    const { opened, beside } = await this.#open(inbound, { readAtMs, isAgain: false });
    return {
      joining: opened,
      show: () => opened.show(beside(lastSummary(conversation.metadata))),
    };
  }

  /** As a turn begins again: the first of them shows what was said before. @throws as above */
  async readAgain(inbounds: readonly Inbound[]): Promise<ReadInbound[]> {
    const summary = lastSummary(this.#options.conversation.metadata);
    return await this.#read(inbounds, { summary, isAgain: true });
  }

  /** Messages that can join a turn of `home`. @throws as above */
  async readFollowUps(home: Inbound, countMax: number): Promise<readonly ReadInbound[]> {
    const { journal } = this.#options.services;
    const inbounds = await followUpsOf(journal, home, countMax);
    return await this.#read(inbounds, { summary: null, isAgain: false });
  }

  #read(
    inbounds: readonly Inbound[],
    { summary, isAgain }: { readonly summary: LastSummary | null; readonly isAgain: boolean },
  ): Promise<ReadInbound[]> {
    const readAtMs = this.#options.times.reading(inbounds);
    return Promise.all(inbounds.map(async (inbound, index) => {
      const { opened: { show, ...joining }, beside } = await this.#open(inbound, {
        readAtMs,
        isAgain,
      });
      return { ...joining, shown: await show(beside(index === 0 ? summary : null)) };
    }));
  }

  async #open(
    inbound: Inbound,
    asRead: { readonly readAtMs: number; readonly isAgain: boolean },
  ): Promise<Opened> {
    const { services, conversation, inputs } = this.#options;
    const hasRead = inputs.reads(inbound, asRead);
    const listener = new ReadListener(services, inputs);
    const ports = { ...services, ...listener.ports };
    const opened = await openInbound(inbound, ports, asRead.readAtMs);
    hasRead({ extras: opened.extras, beside: listener.beside });
    return {
      opened,
      beside: (summary) => ({
        summary,
        remembered: () => remembered(inbound, conversation, ports),
      }),
    };
  }
}

/** A message that was opened, and what will stand beside it. */
interface Opened {
  readonly opened: OpenedInbound;
  readonly beside: (summary: LastSummary | null) => BesideInbound;
}
