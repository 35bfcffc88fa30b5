/**
 * Who asked for Dream and has not heard of its end: noted in the journal, so that a restart forgets
 * nobody.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { Inbound, Journal } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { DreamOutcome, MemoryMessage } from "../memory/protocol.ts";
import { commandNotice } from "../session/interruption.ts";
import { dreamEndedText } from "../session/memory_text.ts";
import type { OutboxMessage } from "../session/ports.ts";

const logger = getLogger(["troupe", "gateway", "dream_asks"]);

/** A run may wait for its permit, and then work for an hour. */
const DREAM_ANSWER_MS = 3 * 60 * 60_000;
/** The journal's note of those who wait. */
const NOTE = "memory:dream_asked";
/** Chats that wait for one run; more would be an abuse. */
const ASKS_MAX = 100;

const ASKS = z.array(z.object({ channel: z.string(), platformId: z.string() }));
type Ask = z.infer<typeof ASKS>[number];

/** Where runs are asked for, and their ends told. */
export interface DreamAsksOptions {
  readonly memory: ActorRef<MemoryMessage>;
  readonly journal: Pick<Journal, "commit" | "note" | "inbound">;
  readonly clock: Clock;
  readonly outbox: (channel: string) => ActorRef<OutboxMessage> | undefined;
}

/** One for each gateway. */
export class DreamAsks {
  readonly #options: DreamAsksOptions;
  #asks: readonly Ask[] = [];

  constructor(options: DreamAsksOptions) {
    this.#options = options;
  }

  /** Has Dream run, and tells the chat of the command how it went. Settles when that is done. */
  async ask(command: Inbound): Promise<void> {
    try {
      this.#asks = [...this.#without(command), askOf(command)].slice(-ASKS_MAX);
      await this.#options.journal.commit({ notes: [this.#note()] });
      await this.#run(command);
    } catch (thrown) {
      const { message } = asError(thrown);
      logger.warn("Cannot tell {sessionKey} how Dream ended, before the next start: {reason}", {
        sessionKey: command.sessionKey,
        reason: message,
      });
    }
  }

  /** Asks again for those whom an earlier process left waiting. */
  async resume(): Promise<void> {
    const { journal } = this.#options;
    const asks = ASKS.safeParse(await journal.note(NOTE)).data ?? [];
    for (const { channel, platformId } of asks) {
      const command = await journal.inbound(channel, platformId);
      if (command !== null) void this.ask(command);
    }
  }

  async #run(command: Inbound): Promise<void> {
    const { memory, journal, clock, outbox } = this.#options;
    const startedAtMs = clock.now();
    // What is not answered is stopped: it is asked again by the next process.
    const outcome = await memory.ask<DreamOutcome>(
      (replyTo) => ({ type: "dream", reason: "asked", replyTo }),
      { timeoutMs: DREAM_ANSWER_MS },
    );
    const text = dreamEndedText(outcome, clock.now() - startedAtMs);
    this.#asks = this.#without(command);
    const rows = await journal.commit({
      outbounds: commandNotice(command, text),
      notes: [this.#note()],
    });
    for (const row of rows) outbox(row.channel)?.tell({ type: "row_committed", row });
  }

  #without(command: Inbound): readonly Ask[] {
    const { channel, platformId } = askOf(command);
    return this.#asks.filter((ask) => ask.channel !== channel || ask.platformId !== platformId);
  }

  #note() {
    return { key: NOTE, value: this.#asks.length === 0 ? null : this.#asks };
  }
}

function askOf({ channel, platformId }: Inbound): Ask {
  return { channel, platformId };
}
