/**
 * The course of a session's slash commands, one after another: it is checked that one still waits,
 * the turn ends if it must, and it takes effect.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { Outcome } from "../kernel/actor.ts";
import type { WorkBeside } from "../kernel/work_beside.ts";
import type { ActiveCommand, CommandQueue } from "./command_queue.ts";
import type { CommandScene } from "./command_scene.ts";
import { carryOut } from "./commands.ts";
import { stillWaits } from "./incoming.ts";
import type { SessionServices } from "./ports.ts";
import { endsTurn } from "./command_table.ts";
import { endsRunningTurn } from "./own_work.ts";

/** What its session hears of it, and hands back to it. */
export type CommandNews =
  | { readonly type: "command_checked"; readonly outcome: Outcome<boolean> }
  | { readonly type: "command_done"; readonly outcome: Outcome<void> };

/** What a command is carried out with, beside itself. */
export type CommandSurroundings = Omit<CommandScene, "name" | "argument" | "command" | "hurry">;

/** What a course is made of. */
export interface CommandCourseOptions {
  readonly queue: CommandQueue;
  readonly journal: SessionServices["journal"];
  readonly beside: Pick<WorkBeside<CommandNews>, "pipe">;
  /** Ends the turn's work; false where that takes time: {@linkcode CommandCourse.turnOver} follows. */
  readonly clearTurn: () => boolean;
  readonly surroundings: () => CommandSurroundings;
}

/** Of one session. */
export class CommandCourse {
  readonly #options: CommandCourseOptions;

  constructor(options: CommandCourseOptions) {
    this.#options = options;
  }

  /** A command is under way. */
  get isBusy(): boolean {
    return this.#options.queue.active !== undefined;
  }

  /** A command waits for the turn to end. */
  get awaitsTurn(): boolean {
    return this.#options.queue.active?.phase === "waiting";
  }

  /** Whether it is the command of `inbound` that is under way. */
  isDoing({ seq }: Inbound): boolean {
    return this.#options.queue.active?.inbound.seq === seq;
  }

  /** Begins the next command; false when none waits. */
  begin(): boolean {
    const { queue, journal, beside } = this.#options;
    const command = queue.begin();
    if (command === undefined) return false;
    beside.pipe(
      () => stillWaits(journal, command.inbound),
      (outcome) => ({ type: "command_checked", outcome }),
    );
    return true;
  }

  /** Goes on with the command that was checked; false when it is over, as it was told of twice. */
  checked(isWaiting: boolean): boolean {
    const { queue, clearTurn, surroundings } = this.#options;
    const command = queue.activeIn("checking");
    if (!isWaiting) {
      queue.end();
      return false;
    }
    if (!endsRunningTurn(command, surroundings().turn) || clearTurn()) this.#carryOut(command);
    else command.phase = "waiting";
    return true;
  }

  /** No turn runs any more: does what waited for that. */
  turnOver(): void {
    this.#carryOut(this.#options.queue.activeIn("waiting"));
  }

  /** The command has taken effect, and is given back for what follows from it. */
  done(): ActiveCommand {
    const { queue } = this.#options;
    const command = queue.activeIn("running");
    queue.end();
    return command;
  }

  #carryOut(command: ActiveCommand): void {
    command.phase = "running";
    const { name, argument, inbound, hurry } = command;
    const surroundings = this.#options.surroundings();
    command.endsTurn = endsRunningTurn(command, surroundings.turn);
    const isSpared = endsTurn(name) && !command.endsTurn;
    const turn = isSpared ? undefined : surroundings.turn;
    const scene = { name, argument, hurry, command: inbound, ...surroundings, turn };
    this.#options.beside.pipe(
      () => carryOut(scene),
      (outcome) => ({ type: "command_done", outcome }),
    );
  }
}
