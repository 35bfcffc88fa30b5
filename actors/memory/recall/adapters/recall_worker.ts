/**
 * The module of recall's Worker: answers searches, and works on the index in between.
 * @module
 */

import { z } from "zod";
import type { Actor, ActorContext, Outcome } from "../../../kernel/actor.ts";
import { nextTurn } from "../../../kernel/adapters/event_loop.ts";
import { unreachable } from "../../../kernel/invariant.ts";
import { runWorker } from "../../../kernel/worker_runtime.ts";
import type { RecallQuestion } from "../protocol.ts";
import { RecallKeeper, type RecallKeeperOptions } from "./recall_keeper.ts";

type Message = RecallQuestion | { readonly type: "caught_up"; readonly outcome: Outcome<void> };

const initSchema: z.ZodType<RecallKeeperOptions> = z.object({
  workspace: z.string(),
  indexPath: z.string(),
  setting: z.enum(["global", "person", "chat"]),
  timezone: z.string(),
});

runWorker<Message, never>((context, _parent, init) =>
  new RecallWorker(context, initSchema.parse(init))
);

class RecallWorker implements Actor<Message> {
  readonly #context: ActorContext<Message>;
  readonly #keeper: RecallKeeper;
  #isCatchingUp = false;

  constructor(context: ActorContext<Message>, options: RecallKeeperOptions) {
    this.#context = context;
    this.#keeper = new RecallKeeper(options);
    this.#catchUp();
  }

  receive(message: Message): void {
    const nowMs = this.#context.clock.now();
    switch (message.type) {
      case "search":
        this.#keeper.touched(message.touched);
        message.replyTo.reply(this.#keeper.search(message.query, nowMs));
        return this.#catchUp();
      case "remind":
        this.#keeper.touched(message.touched);
        message.replyTo.reply(this.#keeper.remind(message.reminder, nowMs));
        return this.#catchUp();
      case "caught_up":
        return this.#caughtUp(message.outcome);
      default:
        return unreachable(message);
    }
  }

  stopped(): void {
    this.#keeper[Symbol.dispose]();
  }

  /** A step at a time, so that no search waits for more than one. */
  #catchUp(): void {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    this.#context.pipe(
      async (signal) => {
        while (!signal.aborted && this.#keeper.step()) {
          await new Promise<void>((resolve) => nextTurn(resolve));
        }
      },
      (outcome) => ({ type: "caught_up", outcome }),
    );
  }

  #caughtUp(outcome: Outcome<void>): void {
    this.#isCatchingUp = false;
    if (outcome.state === "failed") throw outcome.error; // a new Worker begins afresh
  }
}
