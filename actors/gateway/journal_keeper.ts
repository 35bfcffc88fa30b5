/**
 * Keeps the journal in order: forgets what is old in small steps, and finds out when a journal that
 * could not be written works again, or has the gateway start again for it.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Journal, PastTrouble } from "../journal/journal.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../kernel/actor.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { AlarmMessage } from "./owner_notices.ts";
import type { NotedTrouble, TroubleNote } from "./trouble_note.ts";

const logger = getLogger(["troupe", "gateway", "journal_keeper"]);

const DAY_MS = 24 * 3_600_000;
/** How often old rows are looked for. */
const SWEEP_MS = 3_600_000;
/** The first sweep leaves the start alone. */
const FIRST_SWEEP_MS = 60_000;
/** One step takes about a millisecond; a turn's own commits go in between. */
const ROWS_PER_STEP = 100;
const STEP_PAUSE_MS = 50;
/** How often the journal's state is looked at, and a failing one is tried. */
const CHECK_MS = 5_000;

/** A journal that only opening it anew mends has the gateway start again, so often at most. */
const RESTART_EVERY_MS = 5 * 60_000;

/** Sums of usage are few and small: a year and a month can be looked back at. */
const USAGE_DAYS = 400;

/** How long rows stay. */
export interface Retention {
  /** Days for which a finished message keeps its content. */
  readonly finishedDays: number;
  /** Days for which a message that comes again is known. */
  readonly dedupeDays: number;
}

/** What the keeper needs. */
export interface JournalKeeperOptions {
  readonly journal: Pick<Journal, "prune" | "sync" | "trouble" | "pastTrouble" | "lost">;
  readonly retention: Retention;
  readonly alarms: ActorRef<AlarmMessage>;
  /** Ends the gateway in good order, so that it is started again. @default nothing can */
  readonly restart?: (() => void) | undefined;
  /** Why a gateway started again by itself. @default the next one does not know */
  readonly note?: Pick<TroubleNote, "leave" | "take"> | undefined;
}

/** What the keeper tells itself. */
export type JournalKeeperMessage =
  | { readonly type: "note_taken"; readonly outcome: Outcome<NotedTrouble | null> }
  | { readonly type: "note_left"; readonly outcome: Outcome<void> }
  | { readonly type: "check_due" }
  | { readonly type: "tried" }
  | { readonly type: "sweep_due" }
  | { readonly type: "swept"; readonly outcome: Outcome<boolean> };

/** Defines the journal's keeper. */
export function journalKeeperActor(
  options: JournalKeeperOptions,
): ActorDefinition<JournalKeeperMessage> {
  return {
    name: "journal_keeper",
    create: (context) => new JournalKeeper(context, options),
  };
}

class JournalKeeper implements Actor<JournalKeeperMessage> {
  readonly #context: ActorContext<JournalKeeperMessage>;
  readonly #options: JournalKeeperOptions;
  /** The last trouble that needs no more words. */
  #told: PastTrouble | null;
  /** Since when there is trouble on and off that nobody was told of. */
  #untoldSinceMs: number | null = null;
  readonly #startedAtMs: number;
  #isRestarting = false;

  constructor(context: ActorContext<JournalKeeperMessage>, options: JournalKeeperOptions) {
    this.#context = context;
    this.#options = options;
    this.#told = options.journal.pastTrouble;
    this.#startedAtMs = context.clock.now();
    const { note } = options;
    if (note !== undefined) {
      context.pipe(() => note.take(), (outcome) => ({ type: "note_taken", outcome }));
    }
    context.after(CHECK_MS, { type: "check_due" });
    context.after(FIRST_SWEEP_MS, { type: "sweep_due" });
  }

  receive(message: JournalKeeperMessage): void {
    switch (message.type) {
      case "note_taken":
        return this.#noteTaken(message.outcome);
      case "note_left":
        return this.#noteLeft(message.outcome);
      case "check_due":
        return this.#check();
      case "tried":
        return this.#checkLater();
      case "sweep_due":
        return this.#sweep();
      case "swept":
        return this.#swept(message.outcome);
      default:
        return unreachable(message);
    }
  }

  #check(): void {
    const { journal } = this.#options;
    const { trouble } = journal;
    if (trouble === null) {
      this.#tellOfThePast();
      return this.#checkLater();
    }
    if (this.#untoldSinceMs === null) {
      this.#untoldSinceMs = trouble.sinceMs;
      logger.error("The journal cannot be written, so no message is accepted: {reason}", {
        reason: trouble.message,
      });
    }
    if (journal.lost.aborted) return this.#startAgain(trouble);
    // Nobody else may try: without a message nothing is written.
    this.#context.pipe(() => journal.sync(), () => ({ type: "tried" }));
  }

  /** As after a crash: what the disk has is read anew, and what nobody was promised comes again. */
  #startAgain(trouble: NotedTrouble): void {
    const { restart, note } = this.#options;
    const isTooEarly = this.#context.clock.now() - this.#startedAtMs < RESTART_EVERY_MS;
    if (restart === undefined || this.#isRestarting || isTooEarly) return this.#checkLater();
    this.#isRestarting = true;
    logger.error("Starts again: only that tells what the disk kept of the journal");
    if (note === undefined) return restart();
    const left = { message: trouble.message, sinceMs: this.#untoldSinceMs ?? trouble.sinceMs };
    this.#context.pipe(() => note.leave(left), (outcome) => ({ type: "note_left", outcome }));
  }

  #noteLeft(outcome: Outcome<void>): void {
    if (outcome.state === "failed") {
      logger.warn("Owners will not hear why: {reason}", { reason: outcome.error.message });
    }
    this.#options.restart?.();
  }

  /** The gateway before started again for its journal, which this one could open. */
  #noteTaken(outcome: Outcome<NotedTrouble | null>): void {
    if (outcome.state === "failed") {
      logger.warn("Cannot tell why the gateway started again: {reason}", {
        reason: outcome.error.message,
      });
    } else if (outcome.value !== null) {
      this.#tellOwners({ ...outcome.value, untilMs: this.#startedAtMs });
    }
  }

  #checkLater(): void {
    this.#context.after(CHECK_MS, { type: "check_due" });
  }

  /** Tells of trouble that is over, however short it was; of some that comes and goes, once. */
  #tellOfThePast(): void {
    const past = this.#options.journal.pastTrouble;
    if (past === null || past === this.#told) return;
    const sinceMs = this.#untoldSinceMs ??= past.sinceMs;
    if (this.#context.clock.now() - past.untilMs < CHECK_MS) return;
    this.#told = past;
    this.#untoldSinceMs = null;
    this.#tellOwners({ message: past.message, sinceMs, untilMs: past.untilMs });
  }

  #tellOwners({ message, sinceMs, untilMs }: NotedTrouble & Pick<PastTrouble, "untilMs">): void {
    const seconds = Math.max(1, Math.ceil((untilMs - sinceMs) / 1_000));
    logger.warn("The journal can be written again, after {seconds} s", { seconds });
    this.#options.alarms.tell({
      type: "owners_informed",
      text: `For ${seconds} s no messages could be accepted or sent: ${message}. This is ` +
        "over; what was accepted is not lost, and platforms send again what was not.",
    });
  }

  #sweep(): void {
    const { journal, retention } = this.#options;
    const nowMs = this.#context.clock.now();
    const options = {
      finishedBeforeMs: nowMs - retention.finishedDays * DAY_MS,
      forgottenBeforeMs: nowMs - retention.dedupeDays * DAY_MS,
      usageBeforeMs: nowMs - USAGE_DAYS * DAY_MS,
      rowsMax: ROWS_PER_STEP,
    };
    this.#context.pipe(() => journal.prune(options), (outcome) => ({ type: "swept", outcome }));
  }

  #swept(outcome: Outcome<boolean>): void {
    if (outcome.state === "failed") {
      logger.warn("Cannot prune the journal: {reason}", { reason: outcome.error.message });
    }
    const hasMore = outcome.state === "ok" && outcome.value;
    this.#context.after(hasMore ? STEP_PAUSE_MS : SWEEP_MS, { type: "sweep_due" });
  }
}
