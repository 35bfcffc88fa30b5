/**
 * The slash commands of one session: one is being done, the others wait in order.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import { invariant } from "../kernel/invariant.ts";
import { GatewayError } from "../kernel/errors.ts";
import { parseCommand, type ParsedCommand } from "./command_table.ts";

/** Commands held in memory; the rest waits in the journal. */
const COMMANDS_MAX = 64;

/**
 * A command that is being done. checking: it may have been told of twice; waiting: for the turn to
 * end; running: takes effect.
 */
export interface ActiveCommand extends ParsedCommand {
  readonly inbound: Inbound;
  phase: "checking" | "waiting" | "running";
  /** The turn that runs ends with it; known once it takes effect. */
  endsTurn: boolean;
  /** Aborts when another command waits behind it: what it only looks up must not hold that up. */
  readonly hurry: AbortSignal;
}

/** Another command waits, `/stop` perhaps. */
class CommandWaitsError extends GatewayError {
  override readonly name = "CommandWaitsError";
  readonly code = "command_waits";
  readonly recovery = "give_up";

  constructor() {
    super("not asked to the end, as another command waits");
  }
}

/** Holds commands; whoever owns it does them. */
export class CommandQueue {
  readonly #waiting: Inbound[] = [];
  #active: ActiveCommand | undefined;
  #hurry = new AbortController();

  /** The command that is being done. */
  get active(): ActiveCommand | undefined {
    return this.#active;
  }

  /** Adds a command; false when there is no room, and the journal must be asked for it later. */
  add(inbound: Inbound): boolean {
    const isHere = ({ seq }: Inbound) => seq === inbound.seq;
    if (this.#waiting.some(isHere) || (this.#active && isHere(this.#active.inbound))) return true;
    if (this.#waiting.length >= COMMANDS_MAX) return false;
    // One that an earlier life left may be found after one that was told of.
    const at = this.#waiting.findIndex(({ seq }) => seq > inbound.seq);
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, inbound);
    if (this.#active !== undefined) this.#hurry.abort(new CommandWaitsError());
    return true;
  }

  /** Begins the next command, to be checked; undefined when none waits. */
  begin(): ActiveCommand | undefined {
    invariant(this.#active === undefined, "one command is done at a time");
    const inbound = this.#waiting.shift();
    if (inbound === undefined) return undefined;
    const command = parseCommand(inbound.content);
    invariant(command !== null, "what waits as a command is one");
    this.#hurry = new AbortController();
    if (this.#waiting.length > 0) this.#hurry.abort(new CommandWaitsError());
    const { signal: hurry } = this.#hurry;
    return this.#active = { ...command, inbound, phase: "checking", endsTurn: false, hurry };
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
