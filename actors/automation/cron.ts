/**
 * The cron actor: it alone changes the jobs, and begins their runs when they are due. Work is done
 * beside its mailbox, one piece at a time.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../kernel/actor.ts";
import type { Timer } from "../kernel/clock.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ReplyTo } from "../kernel/ref.ts";
import { asError } from "../kernel/errors.ts";
import { WorkBeside } from "../kernel/work_beside.ts";
import type { CronKeeper } from "./cron_keeper.ts";
import type { CronMessage, CronReport } from "./cron_protocol.ts";
import { JobFileError } from "./job_file.ts";

const logger = getLogger(["troupe", "automation", "cron"]);

/** Questions that wait for the one before them; those beyond are refused. */
const QUEUE_MAX = 100;

type Question = Exclude<CronMessage, { readonly type: "report_cron" }>;

type Message =
  | CronMessage
  | { readonly type: "look" }
  | { readonly type: "looked"; readonly outcome: Outcome<void> }
  | { readonly type: "answered" };

/** All that the cron actor understands. */
export type CronActorMessage = Message;

/** Defines the cron actor. */
export function cronActor(keeper: CronKeeper): ActorDefinition<CronActorMessage> {
  return {
    name: "cron",
    create: (context) => new Cron(context, keeper),
  };
}

class Cron implements Actor<Message> {
  readonly #context: ActorContext<Message>;
  readonly #keeper: CronKeeper;
  readonly #beside: WorkBeside<Message>;
  #questions: Question[] = [];
  readonly #reports: ReplyTo<CronReport>[] = [];
  #hasLooked = false;
  #isBusy = false;
  #mustLook = true;
  #timer: Timer | undefined;
  /** Told once, until it is over. */
  #lastTrouble: string | null = null;

  constructor(context: ActorContext<Message>, keeper: CronKeeper) {
    this.#context = context;
    this.#keeper = keeper;
    this.#beside = new WorkBeside(context);
    this.#next();
  }

  /** What is being written comes to its end: the next life goes on from there. */
  async stopped(): Promise<void> {
    await this.#beside.ended();
  }

  receive(message: Message): void {
    switch (message.type) {
      case "report_cron":
        return this.#report(message.replyTo);
      case "look":
        this.#mustLook = true;
        return this.#next();
      case "looked":
        return this.#looked(message.outcome);
      case "answered":
        this.#isBusy = false;
        return this.#next();
      case "add_job":
      case "change_job":
      case "remove_job":
      case "run_job":
      case "list_jobs":
        return this.#ask(message);
      default:
        return unreachable(message);
    }
  }

  /** Before the file was read nobody knows. */
  #report(replyTo: ReplyTo<CronReport>): void {
    if (this.#hasLooked) return replyTo.reply(this.#keeper.report);
    if (this.#reports.length < QUEUE_MAX) this.#reports.push(replyTo);
    else replyTo.refuse(new JobFileError("Cannot report on the jobs: they are still being read"));
  }

  #ask(question: Question): void {
    if (this.#questions.length >= QUEUE_MAX) {
      const text = `Cannot look after the jobs now: ${QUEUE_MAX} questions wait; try again later`;
      return question.replyTo.refuse(new JobFileError(text));
    }
    this.#questions.push(question);
    this.#next();
  }

  #next(): void {
    if (this.#isBusy) return;
    const question = this.#questions.shift();
    if (question !== undefined) return this.#answer(question);
    if (this.#mustLook) return this.#look();
    this.#timer?.cancel();
    this.#timer = this.#context.after(this.#keeper.waitMs, { type: "look" });
  }

  #look(): void {
    this.#mustLook = false;
    this.#isBusy = true;
    this.#beside.pipe(
      () => this.#keeper.look(),
      (outcome) => ({ type: "looked", outcome }),
    );
  }

  #looked(outcome: Outcome<void>): void {
    this.#isBusy = false;
    this.#hasLooked = true;
    for (const replyTo of this.#reports.splice(0)) replyTo.reply(this.#keeper.report);
    const trouble = outcome.state === "failed" ? outcome.error.message : null;
    if (trouble !== null && trouble !== this.#lastTrouble) {
      logger.error("Cannot look after the jobs, and try again soon: {reason}", { reason: trouble });
    }
    this.#lastTrouble = trouble;
    this.#next();
  }

  #answer(question: Question): void {
    this.#isBusy = true;
    this.#beside.pipe(
      () => answer(question, this.#keeper),
      () => ({ type: "answered" }),
    );
  }
}

/** Whoever asks hears of a failure too. */
async function answer(question: Question, keeper: CronKeeper): Promise<void> {
  try {
    switch (question.type) {
      case "add_job":
        return question.replyTo.reply(await keeper.add(question.draft, question.by));
      case "change_job": {
        const { id, change, by } = question;
        return question.replyTo.reply(await keeper.change(id, change, by));
      }
      case "remove_job":
        return question.replyTo.reply(await keeper.remove(question.id, question.by));
      case "run_job": {
        const { id, isForced, by } = question;
        return question.replyTo.reply(await keeper.run(id, isForced, by));
      }
      case "list_jobs":
        return question.replyTo.reply(await keeper.list(question.by));
    }
  } catch (thrown) {
    question.replyTo.refuse(asError(thrown));
  }
}
