/**
 * What goes on inside a gateway just now, for its owner's terminal: actors and their mailboxes,
 * turns and what they are at, channels, the gate. It names conversations, so it is told at the
 * control door alone.
 * @module
 */

import { z } from "zod";
import type { ActorGlance } from "../../kernel/cell_extras.ts";
import { type ControlRequest, query } from "../control.ts";
import { answers, type ControlHandler } from "../control_handler.ts";
import type { HealthReport } from "../health.ts";
import type { OpenActivity, Watching } from "./watching.ts";

/** Actors and turns that are told of one by one; the rest is only counted. */
const SHOWN_MAX = 200;

/** One actor. */
export interface TopActor {
  readonly name: string;
  readonly state: string;
  /** Messages that wait. */
  readonly waiting: number;
  readonly restarts: number;
}

/** One turn. */
export interface TopTurn {
  readonly turn: string;
  readonly session: string;
  readonly forMs: number;
  /** Calls of models and tools that it waits for now. */
  readonly at: readonly string[];
}

/** One channel. */
export interface TopChannel {
  readonly name: string;
  readonly state: string;
  readonly restarts: number;
  /** Messages that wait to be sent. */
  readonly outbox: number;
}

/** All of it. */
export interface Top {
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly status: string;
  readonly uptimeS: number;
  readonly residentBytes: number;
  readonly permits: { readonly held: number; readonly waiting: number; readonly limit: number };
  readonly queue: {
    readonly accepted: number;
    readonly running: number;
    readonly outbound: number;
  } | null;
  readonly sessionsAwake: number;
  readonly deadLetters: number;
  readonly channels: readonly TopChannel[];
  /** The oldest first. */
  readonly turns: readonly TopTurn[];
  /** All that there are; those with the fullest mailboxes are told of. */
  readonly actorCount: number;
  readonly actors: readonly TopActor[];
}

const count = z.number();
const topShape: z.ZodType<Top> = z.object({
  atMs: count,
  status: z.string(),
  uptimeS: count,
  residentBytes: count,
  permits: z.object({ held: count, waiting: count, limit: count }),
  queue: z.object({ accepted: count, running: count, outbound: count }).nullable(),
  sessionsAwake: count,
  deadLetters: count,
  channels: z.array(
    z.object({ name: z.string(), state: z.string(), restarts: count, outbox: count }),
  ),
  turns: z.array(
    z.object({ turn: z.string(), session: z.string(), forMs: count, at: z.array(z.string()) }),
  ),
  actorCount: count,
  actors: z.array(
    z.object({ name: z.string(), state: z.string(), waiting: count, restarts: count }),
  ),
});

/** What goes on just now. */
export const topRequest: ControlRequest<Record<string, never>, Top> = query("top", {
  params: z.strictObject({}),
  result: topShape,
});

/** Where the answer comes from. */
export interface TopSources {
  readonly now: () => number;
  readonly report: () => Promise<HealthReport>;
  readonly glances: () => Iterable<ActorGlance>;
  readonly watching: Pick<Watching, "open">;
  readonly residentBytes: () => number;
}

/** Answers it. */
export function topHandler(sources: TopSources): ControlHandler {
  return answers(topRequest, async () => topOf(sources, await sources.report()));
}

/** What a report and a look at the actors come to. */
export function topOf(
  { now, glances, watching, residentBytes }: TopSources,
  { status, uptime_s: uptimeS, turns, queue, sessions, dead_letters: deadLetters, channels }:
    HealthReport,
): Top {
  const atMs = now();
  const actors = [...glances()];
  const fullest = actors.toSorted((a, b) => b.waiting - a.waiting || b.restarts - a.restarts);
  const { running: held, waiting, limit } = turns;
  return {
    atMs,
    status,
    uptimeS,
    residentBytes: residentBytes(),
    permits: { held, waiting, limit },
    queue,
    sessionsAwake: sessions.awake,
    deadLetters,
    channels: Object.entries(channels).map(([name, { state, restarts, outbox }]) => ({
      ...{ name, state, restarts, outbox },
    })),
    turns: turnsOf(watching.open, atMs).slice(0, SHOWN_MAX),
    actorCount: actors.length,
    actors: fullest.slice(0, SHOWN_MAX),
  };
}

function turnsOf(open: readonly OpenActivity[], nowMs: number): TopTurn[] {
  return open.flatMap(({ activity, sinceMs }) => {
    if (activity.kind !== "turn") return [];
    const { turnId, sessionKey } = activity;
    const within = open.filter(({ trace, activity: { kind } }) => trace === turnId && isCall(kind));
    const at = within.map((call) => `${nameOf(call)} ${seconds(nowMs - call.sinceMs)}`);
    return [{ turn: turnId, session: sessionKey, forMs: nowMs - sinceMs, at }];
  });
}

function isCall(kind: OpenActivity["activity"]["kind"]): boolean {
  return kind === "model_call" || kind === "tool_call";
}

function nameOf({ activity }: OpenActivity): string {
  if (activity.kind === "model_call") return activity.model;
  return activity.kind === "tool_call" ? activity.tool : activity.kind;
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)}s`;
}
