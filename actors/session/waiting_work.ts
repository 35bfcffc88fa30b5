/**
 * What waits for one session in the journal, as far as the session was told or has looked.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import { CommandQueue } from "./command_queue.ts";
import { isCommand, type Waiting } from "./incoming.ts";

/** Holds the commands, and knows whether messages may wait; whoever owns it does them. */
export class WaitingWork {
  readonly commands: CommandQueue = new CommandQueue();
  readonly #startLook: () => void;
  /** Whoever wakes looks: from the beginning a look is under way. */
  #isLooking = true;
  /** Something may wait in the journal that no look has seen yet. */
  #mustLook = false;
  #mayHaveMessages = false;

  /** @param startLook reads the journal, and hands what it finds to {@linkcode looked} */
  constructor(startLook: () => void) {
    this.#startLook = startLook;
  }

  /** A look is under way: more may wait than is known here. */
  get isLooking(): boolean {
    return this.#isLooking;
  }

  /** Messages may wait in the journal. */
  get mayHaveMessages(): boolean {
    return this.#mayHaveMessages;
  }

  /** The session was told of a message or a command. */
  came(inbound: Inbound): void {
    if (!isCommand(inbound)) this.#mayHaveMessages = true;
    else if (!this.commands.add(inbound)) this.#mustLook = true;
  }

  /** Looks into the journal for what was not told, or not kept. */
  look(): void {
    this.#mustLook = true; // a look that is under way may have read too early
    this.lookAgain();
  }

  /** Looks once more if the last look may not have seen all. */
  lookAgain(): void {
    if (!this.#mustLook || this.#isLooking) return;
    this.#isLooking = true;
    this.#mustLook = false;
    this.#startLook();
  }

  /** A look is over. */
  looked({ commands, hasMoreCommands, hasMessages }: Waiting): void {
    this.#isLooking = false;
    const fits = commands.every((command) => this.commands.add(command));
    if (hasMoreCommands || !fits) this.#mustLook = true;
    if (hasMessages) this.#mayHaveMessages = true;
  }

  /** What held messages up is over, or a turn left some behind. */
  messagesMayWait(): void {
    this.#mayHaveMessages = true;
  }

  /** A turn begins, which finds the messages by itself. */
  messagesTaken(): void {
    this.#mayHaveMessages = false;
  }
}
