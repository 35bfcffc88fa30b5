/**
 * The memory actor: answers for all memory files of a workspace, and lets Dream run when it is due
 * or asked for, never twice at once.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { DreamSchedule } from "../config/dream_schedule.ts";
import type { Journal } from "../journal/journal.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../kernel/actor.ts";
import { Deadline } from "../kernel/deadline.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import { WorkBeside } from "../kernel/work_beside.ts";
import { dream, type DreamSettings } from "./dream.ts";
import type { MarkUntrusted } from "./dream_prompts.ts";
import { dreamTimes, type NextDue } from "./dream_times.ts";
import { MemoryError } from "./errors.ts";
import type { MemoryKeeper } from "./memory_keeper.ts";
import type { DreamModel, DreamSkills } from "./ports.ts";
import { proposedText } from "./proposed_text.ts";
import type { DreamOutcome, MemoryMessage } from "./protocol.ts";

const logger = getLogger(["troupe", "memory", "memory_actor"]);

/** The journal's note of when Dream last began by its schedule. */
export const LAST_DREAM_NOTE = "memory:last_dream";
/** One run at most takes so long; what it has digested by then stays. */
const RUN_MS_MAX = 60 * 60_000;
/** Timers are shorter than what a schedule may ask for. */
const LOOK_AGAIN_MS = 6 * 3_600_000;
/** Failures in a row of which the owners hear. */
const FAILURES_TOLD = 3;
const BATCH_HALVINGS_MAX = 6;
const BEGIN_AGAIN_MS = 60_000;

/** What the gate says to a holder of permits. */
type PermitNews =
  | { readonly type: "permit_granted"; readonly requestId: string }
  | { readonly type: "permit_delayed"; readonly requestId: string };

/** The gate, as far as Dream needs it. */
export type DreamGateMessage =
  | {
    readonly type: "request_permit";
    readonly requestId: string;
    readonly holder: ActorRef<PermitNews>;
  }
  | { readonly type: "release_permit"; readonly requestId: string };

/** What Dream runs with. */
export interface DreamWiring {
  readonly model: DreamModel;
  readonly settings: DreamSettings;
  readonly mark: MarkUntrusted;
  readonly skills: DreamSkills;
  /** Undefined where it runs only when it is asked for. */
  readonly schedule: DreamSchedule | undefined;
  /** Where permits come from; undefined runs without. */
  readonly gate: () => ActorRef<DreamGateMessage> | undefined;
  /** Tells the owners. */
  readonly alarm: (text: string) => void;
}

/** What a memory actor is made of. */
export interface MemoryActorOptions {
  /** Outlives the actor's restarts. */
  readonly keeper: MemoryKeeper;
  readonly journal: Pick<Journal, "note" | "commit">;
  readonly dream: DreamWiring;
}

/** All that the memory actor understands. */
export type MemoryActorMessage =
  | MemoryMessage
  | PermitNews
  | { readonly type: "begin" }
  | { readonly type: "schedule_known"; readonly outcome: Outcome<Schedule | null> }
  | { readonly type: "dream_due" }
  | { readonly type: "dream_ended"; readonly outcome: Outcome<DreamOutcome> }
  | { readonly type: "answer_known"; readonly give: () => void }
  | { readonly type: "noted"; readonly outcome: Outcome<unknown> };

interface Schedule {
  readonly nextDue: NextDue;
  readonly lastMs: number;
}

/** A run that waits for its permit, or works. */
interface Run {
  readonly permitId: string | null;
  readonly isDue: boolean;
  readonly waiters: ReplyTo<DreamOutcome>[];
  isWorking: boolean;
}

/** Defines the memory actor. */
export function memoryActor(options: MemoryActorOptions): ActorDefinition<MemoryActorMessage> {
  return {
    name: "memory",
    mailboxMax: 10_000, // an edit or a summary is asked for once in a turn, at most
    create: (context) => new MemoryActor(context, options),
  };
}

class MemoryActor implements Actor<MemoryActorMessage> {
  readonly #context: ActorContext<MemoryActorMessage>;
  readonly #options: MemoryActorOptions;
  readonly #beside: WorkBeside<MemoryActorMessage>;
  #run: Run | null = null;
  #schedule: Schedule | null = null;
  #dueMs = Infinity;
  /** Runs in a row that failed. */
  #failures = 0;

  constructor(context: ActorContext<MemoryActorMessage>, options: MemoryActorOptions) {
    this.#context = context;
    this.#options = options;
    this.#beside = new WorkBeside(context);
    this.#begin();
  }

  /**
   * The permit goes back, and nobody waits for a run that is over. What is being written comes to
   * its end: others may write in the workspace after it.
   */
  async stopped(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    if (run !== null) {
      this.#giveBack(run);
      for (const waiter of run.waiters) waiter.refuse(stoppedEarly());
    }
    await this.#beside.ended();
  }

  receive(message: MemoryActorMessage): void {
    const { keeper } = this.#options;
    switch (message.type) {
      case "append_history":
        return this.#answer(message.replyTo, () => keeper.append(message.scope, message.entry));
      case "edit_memory_file": {
        const { scope, file } = message;
        return this.#answer(message.replyTo, () => keeper.edit(scope, file, message));
      }
      case "list_versions":
        return this.#answer(message.replyTo, () => keeper.listVersions(message.limit));
      case "show_version":
        return this.#answer(message.replyTo, () => keeper.showVersion(message.id));
      case "restore_version":
        return this.#answer(message.replyTo, () => keeper.restoreVersion(message.id));
      case "dream":
        return this.#startDream(message.reason === "due", message.replyTo);
      case "begin":
        return this.#begin();
      case "dream_due":
        return this.#dreamIfDue();
      case "permit_granted":
        return this.#work(message.requestId);
      case "permit_delayed":
        return;
      case "schedule_known":
        return this.#scheduleKnown(message.outcome);
      case "dream_ended":
        return this.#dreamEnded(message.outcome);
      case "answer_known":
        return message.give();
      case "noted":
        return this.#noted(message.outcome);
      default:
        return unreachable(message);
    }
  }

  #answer<T>(replyTo: ReplyTo<T>, work: () => Promise<T>): void {
    this.#beside.pipe(work, (outcome) => ({
      type: "answer_known",
      give: () =>
        outcome.state === "ok" ? replyTo.reply(outcome.value) : replyTo.refuse(outcome.error),
    }));
  }

  #begin(): void {
    this.#beside.pipe(async () => {
      await this.#options.keeper.open();
      return await this.#readSchedule();
    }, (outcome) => ({ type: "schedule_known", outcome }));
  }

  async #readSchedule(): Promise<Schedule | null> {
    const { journal, dream: { schedule } } = this.#options;
    if (schedule === undefined) return null;
    const nextDue = await dreamTimes(schedule);
    if (nextDue === null) return null;
    const noted = z.int().safeParse(await journal.note(LAST_DREAM_NOTE)).data;
    if (noted !== undefined) return { nextDue, lastMs: noted };
    const lastMs = this.#context.clock.now();
    await journal.commit({ notes: [{ key: LAST_DREAM_NOTE, value: lastMs }] });
    return { nextDue, lastMs };
  }

  #scheduleKnown(outcome: Outcome<Schedule | null>): void {
    if (outcome.state === "failed") {
      logger.error("Cannot open the memory, and tries again: {reason}", {
        reason: outcome.error.message,
      });
      this.#context.after(BEGIN_AGAIN_MS, { type: "begin" });
      return;
    }
    this.#schedule = outcome.value;
    this.#awaitDue();
  }

  #awaitDue(): void {
    if (this.#schedule === null) return;
    const nowMs = this.#context.clock.now();
    const { nextDue, lastMs } = this.#schedule;
    this.#dueMs = nextDue(lastMs, nowMs);
    this.#lookAgain(nowMs);
  }

  #lookAgain(nowMs: number): void {
    const waitMs = Math.min(LOOK_AGAIN_MS, Math.max(0, this.#dueMs - nowMs));
    this.#context.after(waitMs, { type: "dream_due" });
  }

  #dreamIfDue(): void {
    if (this.#schedule === null) return;
    const nowMs = this.#context.clock.now();
    if (nowMs < this.#dueMs) return this.#lookAgain(nowMs);
    this.#schedule = { ...this.#schedule, lastMs: nowMs };
    const note = { key: LAST_DREAM_NOTE, value: nowMs };
    this.#beside.pipe(
      () => this.#options.journal.commit({ notes: [note] }),
      (outcome) => ({ type: "noted", outcome }),
    );
    this.#awaitDue();
    this.#startDream(true);
  }

  #noted(outcome: Outcome<unknown>): void {
    if (outcome.state === "ok") return;
    logger.error("Cannot note when Dream began, so it may run again after a restart: {reason}", {
      reason: outcome.error.message,
    });
  }

  /** One run at a time: who asks meanwhile hears of the one that runs. */
  #startDream(isDue: boolean, waiter?: ReplyTo<DreamOutcome>): void {
    const waiters = waiter === undefined ? [] : [waiter];
    if (this.#run !== null) return void this.#run.waiters.push(...waiters);
    const gate = this.#options.dream.gate();
    const permitId = gate === undefined ? null : this.#context.newId();
    this.#run = { permitId, isDue, waiters, isWorking: false };
    if (gate === undefined || permitId === null) return this.#work(null);
    gate.tell({ type: "request_permit", requestId: permitId, holder: this.#context.self });
  }

  #work(permitId: string | null): void {
    const run = this.#run;
    if (run === null || run.permitId !== permitId || run.isWorking) return;
    run.isWorking = true;
    const { keeper, dream: { model, settings, mark, skills } } = this.#options;
    const { clock } = this.#context;
    // A batch that fails again and again may be too much at once.
    const halvings = Math.min(this.#failures, BATCH_HALVINGS_MAX);
    const batchMax = Math.max(1, Math.floor(settings.batchMax / 2 ** halvings));
    const options = { keeper, model, mark, skills, clock, settings: { ...settings, batchMax } };
    this.#beside.pipe(async (signal) => {
      using limit = new Deadline(clock, RUN_MS_MAX, { signal, makeReason: outOfTime });
      return await dream(options, limit.signal);
    }, (outcome) => ({ type: "dream_ended", outcome }));
  }

  #dreamEnded(ended: Outcome<DreamOutcome>): void {
    const run = this.#run;
    this.#run = null;
    if (run === null) return;
    this.#giveBack(run);
    const outcome: DreamOutcome = ended.state === "ok"
      ? ended.value
      : { state: "failed", reason: ended.error.message, entries: 0 };
    for (const waiter of run.waiters) waiter.reply(outcome);
    this.#count(outcome, run);
  }

  #giveBack({ permitId }: Run): void {
    if (permitId === null) return;
    this.#options.dream.gate()?.tell({ type: "release_permit", requestId: permitId });
  }

  #count(outcome: DreamOutcome, { isDue }: Run): void {
    this.#failures = outcome.state === "failed" ? this.#failures + 1 : 0;
    if (outcome.state === "done") {
      logger.info("Dream digested {entries} entries", { entries: outcome.entries });
      // Who asked for a run hears of its end; of one that was due nobody would.
      if (isDue && outcome.proposals.length > 0) {
        this.#options.dream.alarm(proposedText(outcome.proposals));
      }
    }
    if (outcome.state !== "failed") return;
    logger.warn("Dream failed: {reason}", { reason: outcome.reason });
    if (!isDue || this.#failures !== FAILURES_TOLD) return;
    this.#options.dream.alarm(
      `Dream has failed ${FAILURES_TOLD} times in a row: ${outcome.reason}. ` +
        "Nothing is lost; the summaries wait until it works again.",
    );
  }
}

function stoppedEarly(): MemoryError {
  const message = "Cannot finish this run of Dream: the memory was stopped";
  return new MemoryError("memory_dream_failed", message);
}

function outOfTime(): MemoryError {
  const message = `Cannot finish this run of Dream: it takes more than ${
    RUN_MS_MAX / 60_000
  } minutes`;
  return new MemoryError("memory_dream_failed", message);
}
