/**
 * The heartbeat actor: at regular times it looks into HEARTBEAT.md, asks a model whether anything is
 * to be done, and has it done in a turn. What there is to do nobody is asked about costs nothing.
 * @module
 */

import { createHash } from "node:crypto";
import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import {
  heartbeatInputId,
  type Journal,
  type NewInbound,
  SYSTEM_CHANNEL,
} from "../journal/journal.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../kernel/actor.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { AskedModel } from "../memory/ask_once.ts";
import { decide } from "./heartbeat_model.ts";
import { activeTasks, isQuiet } from "./heartbeat_tasks.ts";
import type { PermitNews, RunPort, WorkPermit } from "./ports.ts";

const logger = getLogger(["troupe", "automation", "heartbeat"]);

/** The conversation in which tasks are done. */
export const HEARTBEAT_SESSION = "heartbeat";

/** A computer that slept is noticed within this. */
const LOOK_MS = 60_000;
/** Under this key the journal notes what was done when. */
const NOTE = "heartbeat:state";

/** Where results go. */
export interface HeartbeatTarget {
  readonly channel: string;
  readonly chatId: string;
  /** The conversation that is had there. */
  readonly sessionKey: string;
  /** What the channel needs to answer in a thread of the chat; {} elsewhere. */
  readonly context: JsonObject;
}

/** What came of a look, in half a sentence. */
export interface HeartbeatLook {
  readonly atMs: number;
  readonly outcome: string;
}

/** What the heartbeat is made of. */
export interface HeartbeatOptions {
  readonly intervalMs: number;
  /** `22:00-08:00`, in the zone; null: never quiet. */
  readonly quietHours: string | null;
  readonly timezone: string;
  /** HEARTBEAT.md; null where there is none. */
  readonly read: () => Promise<string | null>;
  readonly model: AskedModel;
  readonly journal: Pick<Journal, "note" | "commit">;
  readonly runs: Pick<RunPort, "accept" | "find">;
  /** Null when nobody is to hear of results. */
  readonly target: () => Promise<HeartbeatTarget | null>;
  /** Leave to ask the model, for the actor that waits for it. @default none is needed */
  readonly permitFor?: (holder: ActorRef<PermitNews>) => WorkPermit;
  /** Told of each look. @default nobody is */
  readonly onLook?: (look: HeartbeatLook) => void;
}

/** All that the heartbeat's actor understands. */
export type HeartbeatActorMessage =
  | PermitNews
  | { readonly type: "look" }
  | { readonly type: "looked"; readonly outcome: Outcome<string> };

/** Defines the actor. */
export function heartbeatActor(options: HeartbeatOptions): ActorDefinition<HeartbeatActorMessage> {
  return { name: "heartbeat", create: (context) => new Heartbeat(context, options) };
}

class Heartbeat implements Actor<HeartbeatActorMessage> {
  readonly #context: ActorContext<HeartbeatActorMessage>;
  readonly #options: HeartbeatOptions;
  readonly #permit: WorkPermit | undefined;
  /** Times are counted from the epoch, so that a restart begins no interval anew. */
  #nextMs: number;

  constructor(context: ActorContext<HeartbeatActorMessage>, options: HeartbeatOptions) {
    this.#context = context;
    this.#options = options;
    this.#permit = options.permitFor?.(context.self);
    this.#nextMs = slotAfter(context.clock.now(), options.intervalMs);
    this.#wait();
  }

  receive(message: HeartbeatActorMessage): void {
    switch (message.type) {
      case "look":
        return this.#look();
      case "looked":
        return this.#looked(message.outcome);
      case "permit_granted":
        return void this.#permit?.take(message.requestId);
      case "permit_delayed":
        return; // nobody waits for it
      default:
        return unreachable(message);
    }
  }

  stopped(): void {
    this.#permit?.end();
  }

  #wait(): void {
    const { clock } = this.#context;
    const nowMs = clock.now();
    // A clock that was set back: what comes is the next time by the new one.
    this.#nextMs = Math.min(this.#nextMs, slotAfter(nowMs, this.#options.intervalMs));
    const waitMs = Math.max(1, Math.min(LOOK_MS, this.#nextMs - nowMs));
    this.#context.after(waitMs, { type: "look" });
  }

  #look(): void {
    const { intervalMs } = this.#options;
    const nowMs = this.#context.clock.now();
    if (nowMs < this.#nextMs) return this.#wait();
    const slotMs = slotAfter(nowMs, intervalMs) - intervalMs;
    this.#nextMs = slotMs + intervalMs;
    this.#context.pipe(
      (signal) => beat(this.#options, { slotMs, nowMs, signal, permit: this.#permit }),
      (outcome) => ({ type: "looked", outcome }),
    );
  }

  #looked(outcome: Outcome<string>): void {
    this.#permit?.end();
    const what = outcome.state === "ok" ? outcome.value : `failed: ${outcome.error.message}`;
    this.#options.onLook?.({ atMs: this.#context.clock.now(), outcome: what });
    if (outcome.state === "ok") logger.debug("Heartbeat: {what}", { what: outcome.value });
    else logger.warn("Heartbeat failed: {reason}", { reason: outcome.error.message });
    this.#wait();
  }
}

/** The next time after an instant. */
function slotAfter(nowMs: number, intervalMs: number): number {
  return (Math.floor(nowMs / intervalMs) + 1) * intervalMs;
}

interface State {
  readonly slotMs: number;
  /** When each task was last done, by its digest. */
  readonly done: Readonly<Record<string, number>>;
}

const stateShape: z.ZodType<State> = z.object({
  slotMs: z.number(),
  done: z.record(z.string(), z.number()),
});

interface Beat {
  readonly slotMs: number;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly permit: WorkPermit | undefined;
}

/** One look; says in half a sentence what came of it. */
async function beat(
  options: HeartbeatOptions,
  { slotMs, nowMs, signal, permit }: Beat,
): Promise<string> {
  const { quietHours, timezone, journal, runs, model } = options;
  if (isQuiet(quietHours, nowMs, timezone)) return "quiet hours";
  const tasks = activeTasks(await options.read() ?? "");
  if (tasks.length === 0) return "no tasks";
  const state = stateShape.safeParse(await journal.note(NOTE)).data ?? { slotMs: 0, done: {} };
  if (state.slotMs === slotMs) return "looked already";
  const before = await runs.find(heartbeatInputId(state.slotMs));
  if (before?.state === "accepted" || before?.state === "running") return "still at work";
  // Noted first: a process that dies over it does not ask again and again.
  await keep(journal, { ...state, slotMs });
  const dated = tasks.map((task) => ({ task, lastMs: state.done[digest(task)] ?? null }));
  await permit?.regain(signal);
  const decided = await decide(model, dated, { nowMs, timezone, signal });
  permit?.end();
  if (decided.action === "skip") return decided.reason;
  const target = await options.target();
  await runs.accept(inputOf(decided.tasks, slotMs, target));
  const done = Object.fromEntries(tasks.flatMap((task, index) => {
    const key = digest(task);
    const atMs = decided.numbers.includes(index) ? nowMs : state.done[key];
    return atMs === undefined ? [] : [[key, atMs]];
  }));
  await keep(journal, { slotMs, done });
  return target === null ? "at work, for nobody" : "at work";
}

async function keep(journal: HeartbeatOptions["journal"], { slotMs, done }: State): Promise<void> {
  const value: JsonObject = { slotMs, done: { ...done } };
  await journal.commit({ notes: [{ key: NOTE, value }] });
}

function digest(task: string): string {
  return createHash("sha256").update(task).digest("hex").slice(0, 16);
}

function inputOf(tasks: string, slotMs: number, target: HeartbeatTarget | null): NewInbound {
  return {
    channel: SYSTEM_CHANNEL,
    platformId: heartbeatInputId(slotMs),
    sessionKey: HEARTBEAT_SESSION,
    replyChannel: target?.channel ?? null,
    chatId: target?.chatId ?? HEARTBEAT_SESSION,
    senderId: "heartbeat",
    content: `[Heartbeat: standing tasks that are to be done now]\n${tasks}\n\n` +
      "Do them, and answer with what a person should know. If there is nothing to tell, say so in " +
      "a few words: nobody is disturbed with that.",
    media: [],
    context: target?.context ?? {},
    wantsStream: false,
  };
}
