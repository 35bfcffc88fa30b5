/**
 * Parts of the gateway that fail now and then, although they are its own.
 * @module
 */

import { type Journal, JournalError } from "../../actors/journal/journal.ts";
import type { ActorDefinition } from "../../actors/kernel/actor.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import { GatewayError } from "../../actors/kernel/errors.ts";
import type { ActorRef } from "../../actors/kernel/ref.ts";
import { ActorSystem, type ActorSystemOptions } from "../../actors/kernel/system.ts";
import type { Faults } from "./faults.ts";

/** An actor failed because the world wanted it. */
export class PlannedFailure extends GatewayError {
  override readonly name = "PlannedFailure";
  readonly code = "planned_failure";
  readonly recovery = "restart";
}

/** What a journal only reads. */
const READS: ReadonlySet<string | symbol> = new Set<keyof Journal>([
  "drafts",
  "inbound",
  "waiting",
  "interrupted",
  "unfinishedSessions",
  "unfiledLines",
  "outbox",
  "outbound",
  "inboundMemory",
  "note",
  "noteKeys",
  "stuck",
  "counts",
]);

/** The same journal, whose reads fail as its commits do. */
export function withFailingReads(journal: Journal, faults: Faults): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (!READS.has(name)) return value.bind(target);
      return (...args: readonly unknown[]) => {
        if (!faults.fails("journal")) return value.apply(target, args);
        return Promise.reject(
          new JournalError("journal_failed", "Cannot read: input/output error"),
        );
      };
    },
  });
}

/** What makes actors fail. */
export interface FlakyOptions {
  readonly faults: Faults;
  /** How often an actor fails at a message. */
  readonly share: number;
  /** Fails before the message as well: what reads the journal anew misses nothing by that. */
  readonly alsoBefore: boolean;
}

/** The same actor, which now and then fails before or after it has handled a message. */
export function flaky<M>(
  definition: ActorDefinition<M>,
  { faults, share, alsoBefore }: FlakyOptions,
): ActorDefinition<M> {
  if (share === 0) return definition;
  return {
    ...definition,
    create: (context) => {
      const actor = definition.create(context);
      return {
        receive: (message) => {
          const fails = faults.happens(share);
          if (fails && alsoBefore && faults.happens(0.5)) {
            throw new PlannedFailure("Failed before a message");
          }
          actor.receive(message);
          if (fails) throw new PlannedFailure("Failed after a message");
        },
        stopped: () => actor.stopped?.(),
      };
    },
  };
}

/** What a flaky system takes besides what any system does. */
export interface FlakySystemOptions extends ActorSystemOptions {
  /** The clock of actors that do nothing but routine: the world does not wait for them. */
  readonly routineClock: Clock;
}

/** Actors that only look after things now and then. */
const ROUTINE: ReadonlySet<string> = new Set(["journal_keeper", "cron"]);

/** A system whose actors at the top fail now and then; the gate, which forgets, does not. */
export class FlakySystem extends ActorSystem {
  readonly #flaky: FlakyOptions;
  readonly #routine: ActorSystem;

  constructor(options: FlakySystemOptions, flakyOptions: Omit<FlakyOptions, "alsoBefore">) {
    super(options);
    this.#flaky = { ...flakyOptions, alsoBefore: false };
    this.#routine = new ActorSystem({ ...options, clock: options.routineClock });
  }

  override spawn<M>(definition: ActorDefinition<M>): ActorRef<M> {
    if (definition.name === "gate") return super.spawn(definition);
    const itself = flaky(definition, this.#flaky);
    return ROUTINE.has(definition.name) ? this.#routine.spawn(itself) : super.spawn(itself);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.#routine[Symbol.asyncDispose]();
    await super[Symbol.asyncDispose]();
  }
}
