/**
 * A Worker that does what it is told, including things it should not.
 * @module
 */

import type { Actor, ActorContext, Outcome } from "../../../../actors/kernel/actor.ts";
import type { JsonValue } from "../../../../actors/kernel/json.ts";
import type { ActorRef } from "../../../../actors/kernel/ref.ts";
import { unreachable } from "../../../../actors/kernel/invariant.ts";
import { runWorker } from "../../../../actors/kernel/worker_runtime.ts";
import type { Breakage, FromWorker, ToWorker } from "./protocol.ts";

/** Long enough to be missed by any heartbeat, short enough to end by itself. */
const SPIN_MS = 3_000;

type Own = ToWorker | { readonly type: "shouted"; readonly outcome: Outcome<string> };

class TestWorker implements Actor<Own> {
  readonly #context: ActorContext<Own>;
  readonly #parent: ActorRef<FromWorker>;
  #messages = 0;
  #last = 0;
  #isInOrder = true;

  constructor(context: ActorContext<Own>, parent: ActorRef<FromWorker>, init: JsonValue) {
    this.#context = context;
    this.#parent = parent;
    if (init === "fail_at_start") throw new Error("will not start");
    parent.tell({ type: "started", init });
  }

  receive(message: Own): void {
    switch (message.type) {
      case "echo":
        return message.replyTo.reply(message.text);
      case "never_answer":
        return;
      case "refuse":
        return message.replyTo.refuse(Object.assign(new Error("no"), { retryAfterMs: 7 }));
      case "answer_with_a_function":
        return message.replyTo.reply(() => {});
      case "count":
        return this.#count(message.value);
      case "report_count":
        return message.replyTo.reply({
          messages: this.#messages,
          last: this.#last,
          isInOrder: this.#isInOrder,
        });
      case "ask_parent":
        return this.#askParent(message.text);
      case "shouted":
        return this.#shouted(message.outcome);
      case "flood_parent":
        return this.#floodParent(message.messages);
      case "break":
        return misbehave(message.how);
      case "connect":
        return void connect(message.port).then((result) => message.replyTo.reply(result));
      case "stop_yourself":
        return this.#context.stopSelf();
      default:
        return unreachable(message);
    }
  }

  stopped(): void {
    this.#parent.tell({ type: "last_words" });
  }

  #count(value: number): void {
    this.#messages++;
    if (value !== this.#last + 1) this.#isInOrder = false;
    this.#last = value;
  }

  #askParent(text: string): void {
    this.#context.pipe(
      () =>
        this.#parent.ask<string>((replyTo) => ({ type: "shout", text, replyTo }), {
          timeoutMs: 5_000,
        }),
      (outcome) => ({ type: "shouted", outcome }),
    );
  }

  #shouted(outcome: Outcome<string>): void {
    const text = outcome.state === "ok" ? outcome.value : outcome.error.message;
    this.#parent.tell({ type: "shouted", text });
  }

  /** Tells until the parent is full; says how far it came. */
  #floodParent(messages: number): void {
    for (let value = 1; value <= messages; value++) {
      if (this.#parent.tell({ type: "flood", value }) !== "taken") return;
    }
  }
}

async function connect(port: number): Promise<string> {
  try {
    using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
    return "connected";
  } catch (error) {
    return error instanceof Error ? error.name : "unknown";
  }
}

function misbehave(how: Breakage): void {
  switch (how) {
    case "throw_in_handler":
      throw new RangeError("thrown in the handler");
    case "throw_in_timer":
      return void setTimeout(() => {
        throw new RangeError("thrown in a timer");
      }, 0);
    case "reject_unhandled":
      return void Promise.reject(new RangeError("rejected"));
    case "close":
      return self.close();
    case "exit":
      return Deno.exit(3);
    case "process_exit":
      return void import("node:process").then((process) => process.exit(3));
    case "spin": {
      const endMs = Date.now() + SPIN_MS;
      while (Date.now() < endMs);
      return;
    }
    default:
      return unreachable(how);
  }
}

runWorker<Own, FromWorker>((context, parent, init) => new TestWorker(context, parent, init));
