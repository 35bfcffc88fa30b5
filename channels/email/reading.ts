/**
 * Reads a mailbox for as long as the channel runs: what came since it was last read, then what comes.
 * The place is kept behind each mail that was dealt with, so none is lost and none comes twice.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import { Deadline } from "../../actors/kernel/deadline.ts";
import type { Random } from "../../actors/kernel/random.ts";
import type { ChannelContext } from "../channel.ts";
import { networkWait } from "../network_wait.ts";
import { type MailCursor, readCursor, writeCursor } from "./cursor.ts";
import { lastingRefusal } from "./errors.ts";
import type { MailboxServer, MailHead, OpenMailbox } from "./link.ts";
import { learnAuthServId } from "./receive/learning.ts";

const logger = getLogger(["troupe", "email", "reading"]);

/** Mails whose heads are fetched at once. */
const PAGE = 50;
/** Also a server that tells of mails is asked so often, as connections die without a word. */
const PUSHED_LOOK_MS = 5 * 60_000;
/** `SINCE` counts by days of the server's. */
const DAY_MS = 24 * 3_600_000;
/** Servers deny a right password at times; that it is wrong is believed after so many tries. */
const REFUSALS_MAX = 3;

/** What reading needs. */
export interface ReadingOptions {
  readonly server: MailboxServer;
  readonly context: Pick<ChannelContext, "report" | "readCursor" | "keepCursor"> & {
    readonly clock: Clock;
    readonly random: Random;
  };
  readonly pollIntervalMs: number;
  /** By what name the own server signs its checks; "" to learn it, null when nothing is checked. */
  readonly authServId: string | null;
  /** Deals with a mail; false when the gateway could not take it now. */
  readonly receive: (
    head: MailHead,
    mailbox: OpenMailbox,
    authServId: string | null,
  ) => Promise<boolean>;
}

/**
 * Reads until `signal` aborts.
 *
 * @throws {EmailCredentialsError} when trying again is senseless
 */
export async function keepReading(options: ReadingOptions, signal: AbortSignal): Promise<void> {
  const { context: { clock, random, report } } = options;
  const reading = new Reading(options, signal);
  let refusals = 0;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await reading.once(() => {
        failures = 0;
        refusals = 0;
      });
      return;
    } catch (error) {
      if (signal.aborted) return;
      const refusal = lastingRefusal(error);
      if (refusal !== null && (++refusals >= REFUSALS_MAX || !reading.wasReady)) throw refusal;
      const detail = error instanceof Error ? error.message : String(error);
      const waitMs = networkWait(failures, random);
      logger.warn("{detail}; trying again in {waitMs} ms", { detail, waitMs });
      const seconds = Math.ceil(waitMs / 1_000);
      report({ state: "reconnecting", detail: `${detail}; trying again in ${seconds} s` });
      await sleep(clock, waitMs, signal).catch(() => {});
    }
  }
}

/** One reader of a mailbox. */
class Reading {
  wasReady = false;
  readonly #options: ReadingOptions;
  readonly #signal: AbortSignal;

  constructor(options: ReadingOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Reads by one connection, until it is lost or the signal aborts. */
  async once(onReady: () => void): Promise<void> {
    const { server, context } = this.#options;
    await using mailbox = await server.open(this.#signal);
    await this.#begin(mailbox);
    this.wasReady = true;
    onReady();
    context.report({ state: "ready", detail: this.#readyDetail(mailbox) });
    for (let refusals = 0; !this.#signal.aborted;) {
      if (await this.#catchUp(mailbox)) {
        refusals = 0;
        await this.#news(mailbox);
      } else await this.#waitForGateway(refusals++);
    }
  }

  /** Finds the place to begin, and whose checks to trust; a first start leaves old mails alone. */
  async #begin(mailbox: OpenMailbox): Promise<void> {
    const { context, authServId } = this.#options;
    const known = await this.#cursor();
    const isToLearn = authServId === "" && (known === null || known.authServId === null);
    const learned = isToLearn ? await learnAuthServId(mailbox) : known?.authServId ?? null;
    const begun = known ?? {
      uidValidity: mailbox.uidValidity,
      nextUid: mailbox.uidNext,
      sinceMs: context.clock.now(),
    };
    await this.#keep({ ...begun, authServId: learned });
    if (known === null) {
      logger.info("Reading begins with the next mail; the {count} before it are left alone", {
        count: mailbox.uidNext - 1,
      });
    }
  }

  /** @returns whether the gateway took all that there was */
  async #catchUp(mailbox: OpenMailbox): Promise<boolean> {
    const known = await this.#cursor();
    if (known === null) return true;
    const isRenumbered = known.uidValidity !== mailbox.uidValidity;
    if (isRenumbered) logger.warn("The mailbox was numbered anew; mails are found by their time");
    const uids = isRenumbered
      ? await mailbox.find({ sinceMs: known.sinceMs - DAY_MS })
      : await mailbox.find({ fromUid: known.nextUid });
    let cursor: MailCursor = { ...known, uidValidity: mailbox.uidValidity };
    for (let from = 0; from < uids.length; from += PAGE) {
      for (const head of await mailbox.heads(uids.slice(from, from + PAGE))) {
        this.#signal.throwIfAborted();
        const isOld = isRenumbered && head.receivedMs < known.sinceMs;
        if (!isOld && !await this.#receive(head, mailbox, known.authServId)) return false;
        const sinceMs = Math.max(cursor.sinceMs, head.receivedMs);
        cursor = { ...cursor, nextUid: head.uid + 1, sinceMs };
        await this.#keep(cursor);
      }
    }
    if (isRenumbered && uids.length === 0) {
      await this.#keep({ ...cursor, nextUid: mailbox.uidNext });
    }
    return true;
  }

  #receive(
    head: MailHead,
    mailbox: OpenMailbox,
    learned: string | null,
  ): Promise<boolean> {
    const { authServId, receive } = this.#options;
    return receive(head, mailbox, authServId === "" ? learned : authServId);
  }

  /** Waits until there may be something new. */
  async #news(mailbox: OpenMailbox): Promise<void> {
    const { context: { clock }, pollIntervalMs } = this.#options;
    const lookMs = mailbox.isPushing ? PUSHED_LOOK_MS : pollIntervalMs;
    using look = new Deadline(clock, lookMs, { signal: this.#signal });
    await mailbox.news(look.signal);
  }

  async #waitForGateway(refusals: number): Promise<void> {
    const { clock, random } = this.#options.context;
    await sleep(clock, networkWait(refusals, random), this.#signal);
  }

  async #cursor(): Promise<MailCursor | null> {
    return readCursor(await this.#options.context.readCursor());
  }

  async #keep(cursor: MailCursor): Promise<void> {
    await this.#options.context.keepCursor(writeCursor(cursor));
  }

  #readyDetail({ isPushing }: OpenMailbox): string {
    const seconds = this.#options.pollIntervalMs / 1_000;
    return isPushing
      ? "Reading the mailbox; its server tells of new mails"
      : `Reading the mailbox every ${seconds} s`;
  }
}
