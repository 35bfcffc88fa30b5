/**
 * A small world of actors that send, crash, work and are stopped, as a seed and a plan say; it
 * keeps a record of all that happens, for laws to be checked on.
 * @module
 */

import type { ActorContext, ActorDefinition, Outcome } from "../../../actors/kernel/actor.ts";
import { sleep } from "../../../actors/kernel/clock.ts";
import type { DeadLetter } from "../../../actors/kernel/events.ts";
import type { Overflow } from "../../../actors/kernel/mailbox.ts";
import { seededRandom } from "../../../actors/kernel/random.ts";
import type { ActorRef, ReplyTo, TellResult } from "../../../actors/kernel/ref.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { SeededScheduler } from "../../support/seeded_scheduler.ts";
import { testSystem } from "../../support/system.ts";
import { type Plan, type PlannedMessage, RECEIVERS } from "./random_plan.ts";

/** Longer than the senders take, and any restart of a plan to come back. */
const HORIZON_MS = 30_000;
/** Work and asks of this length or more outlast the run, so that the stop must end them. */
const LASTING_MS = 150;

/** A message of the world; `id` is `<sender>/<number>`. */
export interface WorldMessage {
  readonly id: string;
  readonly sender: number;
  readonly number: number;
  readonly planned: PlannedMessage;
  readonly replyTo?: ReplyTo<string>;
}

type ReceiverMessage = WorldMessage | { readonly outcomeOf: string; readonly life: number };

/** All that happened. */
export interface Run {
  /** One line per happening, in order; two runs of one plan have the same. */
  readonly trace: string[];
  readonly told: Map<string, TellResult>;
  /** Per receiver, in order of handling; also those whose handling failed. */
  readonly handled: WorldMessage[][];
  readonly deadLetters: readonly DeadLetter[];
  /** Messages that began while another was being handled. */
  overlaps: number;
  /** Own messages that reached a life they do not belong to. */
  strays: number;
  /** Outcomes that came twice. */
  repeated: number;
  /** What an actor did after it had stopped for good. */
  undead: number;
  /** Work that was not aborted when its life ended. */
  unaborted: number;
  /** Messages that a running actor left waiting for no reason. */
  neglected: number;
  /** Asks that have neither an answer nor a failure. */
  openAsks: number;
  /** Work whose signal was not aborted and that has not settled. */
  openWork: number;
  /** Timers that the kernel left on the clock. */
  leakedTimers: number;
  /** Happenings after the system had stopped. */
  afterwards: number;
}

/** Runs a plan to its end, then stops the system. */
export async function runPlan(plan: Plan): Promise<Run> {
  const clock = new ManualClock();
  const random = seededRandom(plan.seed);
  const scheduler = new SeededScheduler({ random, clock, delayShare: plan.delayShare });
  const world = testSystem({ clock, scheduler, seed: plan.seed });
  const run: Run = {
    trace: [],
    told: new Map(),
    handled: Array.from({ length: RECEIVERS }, () => []),
    deadLetters: world.deadLetters,
    overlaps: 0,
    strays: 0,
    repeated: 0,
    undead: 0,
    unaborted: 0,
    neglected: 0,
    openAsks: 0,
    openWork: 0,
    leakedTimers: 0,
    afterwards: 0,
  };
  const stopped = new Set<number>();
  const receivers = run.handled.map((_, index) => {
    const ref = world.system.spawn(receiving(plan, run, index, stopped));
    world.system.watch(ref, () => stopped.add(index));
    return ref;
  });
  plan.senders.forEach((messages, index) => {
    world.system.spawn(sending(run, index, messages, receivers));
  });
  for (const { receiver, atMs, mode } of plan.stops) {
    const ref = receivers[receiver];
    if (ref) clock.setTimer(atMs, () => void world.system.stop(ref, { mode }));
  }
  await clock.advance(HORIZON_MS);
  const lettersBefore = world.deadLetters.length;
  let isDisposed = false;
  void world.system[Symbol.asyncDispose]().then(() => isDisposed = true);
  for (let ms = 0; !isDisposed && ms < HORIZON_MS; ms += 5) await clock.advance(5);
  if (!isDisposed) throw new Error("Cannot stop the system: it still runs");
  run.neglected = world.deadLetters.slice(lettersBefore)
    .filter(({ reason }) => reason === "stopped").length;
  const happenings = run.trace.length;
  run.leakedTimers = clock.pending - scheduler.delayed;
  await clock.advance(HORIZON_MS);
  run.afterwards = run.trace.length - happenings;
  return run;
}

function receiving(
  plan: Plan,
  run: Run,
  index: number,
  stopped: ReadonlySet<number>,
): ActorDefinition<ReceiverMessage> {
  const overflow: Overflow<ReceiverMessage> = { type: plan.overflow };
  let lives = 0;
  let isHandling = false;
  return {
    name: `receiver${index}`,
    mailboxMax: plan.mailboxMax,
    overflow,
    supervision: { restartsMax: 5 },
    create(context) {
      const life = ++lives;
      const seen = new Set<string>();
      const signals: AbortSignal[] = [];
      if (stopped.has(index)) run.undead++;
      run.trace.push(`receiver${index} life ${life}`);
      return {
        receive(message) {
          if (isHandling) run.overlaps++;
          if (stopped.has(index)) run.undead++;
          isHandling = true;
          try {
            if ("outcomeOf" in message) takeOutcome(run, message, life, seen);
            else handle(run, index, life, message, context, signals);
          } finally {
            isHandling = false;
          }
        },
        stopped() {
          run.unaborted += signals.filter(({ aborted }) => !aborted).length;
          return sleep(context.clock, 5);
        },
      };
    },
  };
}

function takeOutcome(
  run: Run,
  { outcomeOf, life: born }: { readonly outcomeOf: string; readonly life: number },
  life: number,
  seen: Set<string>,
): void {
  run.trace.push(`outcome of ${outcomeOf} in life ${life}`);
  if (born !== life) run.strays++;
  if (seen.has(outcomeOf)) run.repeated++;
  seen.add(outcomeOf);
}

function handle(
  run: Run,
  index: number,
  life: number,
  message: WorldMessage,
  context: ActorContext<ReceiverMessage>,
  signals: AbortSignal[],
): void {
  run.trace.push(`receiver${index} handles ${message.id}`);
  run.handled[index]?.push(message);
  const { deed, ms } = message.planned;
  if (deed === "crash") throw new Error(`crashed on ${message.id}`);
  if (deed === "answer") message.replyTo?.reply("answer");
  if (deed === "stop_self") context.stopSelf();
  if (deed !== "work") return;
  run.openWork++;
  context.pipe(async (signal) => {
    signals.push(signal);
    try {
      await sleep(context.clock, lasting(ms), signal);
    } finally {
      if (!signal.aborted) signals.splice(signals.indexOf(signal), 1);
      run.openWork--;
    }
  }, (_: Outcome<void>) => ({ outcomeOf: message.id, life }));
  context.after(lasting(ms), { outcomeOf: `timer ${message.id}`, life });
}

function sending(
  run: Run,
  index: number,
  messages: readonly PlannedMessage[],
  receivers: readonly ActorRef<ReceiverMessage>[],
): ActorDefinition<number> {
  return {
    name: `sender${index}`,
    create: (context) => {
      context.self.tell(0);
      return {
        receive(number) {
          const planned = messages[number];
          const ref = planned && receivers[planned.receiver];
          if (!ref) return;
          send(run, ref, { id: `${index}/${number}`, sender: index, number, planned });
          if (planned.ms % 2 === 0) context.self.tell(number + 1);
          else context.after(planned.ms, number + 1);
        },
      };
    },
  };
}

function send(run: Run, ref: ActorRef<ReceiverMessage>, message: WorldMessage): void {
  const { deed, ms } = message.planned;
  if (deed !== "answer" && deed !== "keep_silent") {
    run.told.set(message.id, ref.tell(message));
    return;
  }
  run.openAsks++;
  const ended = (how: string) => {
    run.openAsks--;
    run.trace.push(`ask ${message.id} ${how}`);
  };
  run.told.set(message.id, "taken");
  ref.ask<string>((replyTo) => ({ ...message, replyTo }), { timeoutMs: 1 + lasting(ms) }).then(
    ended,
    (error) => ended(error.code),
  );
}

function lasting(ms: number): number {
  return ms < LASTING_MS ? ms : 10 * HORIZON_MS;
}
