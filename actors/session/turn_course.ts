/**
 * The course of a session's turns, one after another: a new one begins, or one that was interrupted
 * goes on, beside the session's mailbox.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { Outcome } from "../kernel/actor.ts";
import type { WorkBeside } from "../kernel/work_beside.ts";
import type { ApprovalDesk } from "./approval_desk.ts";
import type { GoalDesk } from "./goal/goal_desk.ts";
import type { OwnSettings } from "./own_state.ts";
import type { SessionServices } from "./ports.ts";
import type { InterruptedTurn } from "./recovery.ts";
import type { SessionLog } from "./session_log.ts";
import type { SessionMemory } from "./session_memory.ts";
import { reachOf } from "./session_reach.ts";
import { TurnSteps } from "./steps.ts";
import type { SubagentDesk } from "./subagents/subagent_desk.ts";
import { Turn, type TurnEnd } from "./turn.ts";
import type { TurnPermit } from "./turn_permit.ts";
import type { TurnSeat } from "./turn_seat.ts";
import { runWatched } from "./watched_turn.ts";

/** What its session hears of it. */
type TurnNews = { readonly type: "turn_ended"; readonly outcome: Outcome<TurnEnd> };

/** What a course is made of. */
export interface TurnCourseOptions {
  readonly sessionKey: string;
  readonly services: SessionServices;
  readonly own: OwnSettings;
  readonly memory: SessionMemory;
  readonly desk: ApprovalDesk;
  readonly subagents: SubagentDesk;
  readonly goals: GoalDesk;
  readonly permit: TurnPermit;
  readonly seat: TurnSeat;
  readonly beside: Pick<WorkBeside<TurnNews>, "pipe">;
}

/** Of one session. */
export class TurnCourse {
  readonly #options: TurnCourseOptions;
  #turn: Turn | undefined;

  constructor(options: TurnCourseOptions) {
    this.#options = options;
  }

  /** The turn that runs, or was interrupted and waits for its permit. */
  get turn(): Turn | undefined {
    return this.#turn;
  }

  /** A turn looks for messages by itself: it may have found one before its session was told. */
  has({ seq }: Inbound): boolean {
    return this.#turn?.steps.unanswered.some((inbound) => inbound.seq === seq) ?? false;
  }

  /** A turn was interrupted, and is the next to run. */
  goOnWith(interrupted: InterruptedTurn, log: SessionLog): void {
    this.#turn = this.#make(interrupted, log);
  }

  /** Runs the turn, under the permit that was granted; `turn_ended` follows. */
  begin(log: SessionLog): void {
    const { sessionKey, services: { newId, watch }, seat, beside } = this.#options;
    const turn = this.#turn ??= this.#make(
      { steps: new TurnSteps(log, newId()), mustRunAlone: false },
      log,
    );
    seat.begin(() =>
      beside.pipe(
        (signal) => runWatched(turn, { watch, sessionKey, signal }),
        (outcome) => ({ type: "turn_ended", outcome }),
      )
    );
  }

  /** The turn is over for good. */
  forget(): void {
    this.#turn = undefined;
  }

  #make(interrupted: InterruptedTurn, log: SessionLog): Turn {
    const { services, memory, desk, goals, ...parts } = this.#options;
    const rounds = () => this.#turn?.rounds ?? 0;
    return new Turn({
      services: { ...services }, // whatever is chosen or edited meanwhile, it keeps its own
      ...{ log, memory, desk },
      reach: (home) => reachOf(home, { ...parts, services, goals, log, rounds }),
      endOf: (home) => goals.endOf(home),
      ...interrupted,
    });
  }
}
