/**
 * When a session looks after its goal: as it wakes, after each turn, and when a wait is over.
 * @module
 */

import type { ActorContext, Outcome } from "../../kernel/actor.ts";
import type { Timer } from "../../kernel/clock.ts";
import type { WorkBeside } from "../../kernel/work_beside.ts";
import type { Inbound } from "../../journal/journal.ts";
import type { SessionLog } from "../session_log.ts";
import { GoalDesk, type GoalDeskOptions, type GoalLook } from "./goal_desk.ts";

/** A wait is looked at this often: clocks are set, and machines sleep. */
const LOOK_MS = 10 * 60_000;

/** What the session hears of it. */
type GoalNews =
  | { readonly type: "goal_looked"; readonly outcome: Outcome<GoalLook> }
  | { readonly type: "goal_due" };

/** What a course is made of. */
export interface GoalCourseOptions extends Omit<GoalDeskOptions, "signal"> {
  readonly context: Pick<ActorContext<GoalNews>, "after" | "signal">;
  readonly beside: Pick<WorkBeside<GoalNews>, "pipe">;
  /** Asked for once the session is awake. */
  readonly log: () => SessionLog;
}

/** Of one session. */
export class GoalCourse {
  readonly desk: GoalDesk;
  readonly #options: GoalCourseOptions;
  #isLooking = false;
  #mustLookAgain = false;
  #wait: Timer | undefined;

  constructor({ context, ...options }: GoalCourseOptions) {
    this.#options = { context, ...options };
    this.desk = new GoalDesk({ ...options, signal: context.signal });
  }

  /** The session has to stay awake. */
  get isBusy(): boolean {
    return this.#isLooking || this.#wait !== undefined;
  }

  /** Looks how it stands with the goal; `goal_looked` follows. */
  look(): void {
    this.#mustLookAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#wait?.cancel();
    this.#wait = undefined;
    const { beside, log } = this.#options;
    beside.pipe(
      () => this.desk.look(log()),
      (outcome) => ({ type: "goal_looked", outcome }),
    );
  }

  /** A turn or a command is over, which may have been for the goal. */
  turnOver(): void {
    if (this.desk.isUnderWay) this.look();
  }

  /** A look is over. @returns the goal's next turn, if it was taken in */
  looked(look: GoalLook): Inbound | null {
    this.#isLooking = false;
    if (this.#mustLookAgain) this.look();
    else if (look.type === "waits") {
      const waitMs = Math.min(look.delayMs, LOOK_MS);
      this.#wait = this.#options.context.after(waitMs, { type: "goal_due" });
    }
    return look.type === "goes_on" ? look.inbound : null;
  }
}
