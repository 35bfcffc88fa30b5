/**
 * Refs: the only way to reach an actor.
 * @module
 */

/** What became of a message that was told: taken, or not and why. */
export type TellResult = "taken" | "full" | "closed";

/** Where an answer goes; the first answer counts, later ones are ignored. */
export interface ReplyTo<R> {
  /** Answers the asker. */
  reply(answer: R): void;
  /** Lets the ask fail with `error`. */
  refuse(error: Error): void;
}

/** How long an ask waits, and what ends it early. */
export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A handle on an actor. Messages of one sender arrive in the order in which they were told.
 *
 * @typeParam M the messages that the actor understands
 */
export interface ActorRef<in M> {
  /** Path of the actor, unique in its system while it lives: `/gateway/router`. */
  readonly name: string;
  /**
   * Puts a message into the mailbox. What is not taken has gone to dead letters, where it is
   * counted and logged; a caller that cannot lose it acts on the result.
   */
  tell(message: M): TellResult;
  /**
   * Tells a message built around a reply port and waits for the answer.
   *
   * @throws {AskError} `ask_timeout`, `ask_refused` (mailbox full), `ask_closed` (actor gone),
   * `ask_failed` (actor failed before it answered), `ask_aborted`, `worker_died`
   */
  ask<R>(makeMessage: (replyTo: ReplyTo<R>) => M, options: AskOptions): Promise<R>;
}
