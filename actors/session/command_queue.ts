/**
 * The slash commands of one session: one is being done, the others wait in order.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import { invariant } from "../kernel/invariant.ts";
import { type CommandName, parseCommand } from "./command_table.ts";

/** Commands held in memory; the rest waits in the journal. */
const COMMANDS_MAX = 64;

/**
 * A command that is being done. checking: it may have been told of twice; waiting: for the turn to
 * end; running: takes effect.
 */
export interface ActiveCommand {
  readonly inbound: Inbound;
  readonly name: CommandName;
  phase: "checking" | "waiting" | "running";
}

/** Holds commands; whoever owns it does them. */
export class CommandQueue {
  readonly #waiting: Inbound[] = [];
  #active: ActiveCommand | undefined;

  /** The command that is being done. */
  get active(): ActiveCommand | undefined {
    return this.#active;
  }

  /** Adds a command; false when there is no room, and the journal must be asked for it later. */
  add(inbound: Inbound): boolean {
    if (this.#waiting.length >= COMMANDS_MAX) return false;
    this.#waiting.push(inbound);
    return true;
  }

  /** Begins the next command, to be checked; undefined when none waits. */
  begin(): ActiveCommand | undefined {
    invariant(this.#active === undefined, "one command is done at a time");
    const inbound = this.#waiting.shift();
    if (inbound === undefined) return undefined;
    const name = parseCommand(inbound.content);
    invariant(name !== null, "what waits as a command is one");
    return this.#active = { inbound, name, phase: "checking" };
  }

  /** The command in `phase`; anything else is a mistake. */
  activeIn(phase: ActiveCommand["phase"]): ActiveCommand {
    const active = this.#active;
    invariant(active?.phase === phase, `a command is ${phase}`);
    return active;
  }

  /** The active command is over. */
  end(): void {
    this.#active = undefined;
  }
}
