/**
 * How the gateway is, for people and for monitors.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Journal, JournalCounts } from "../journal/journal.ts";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { ChannelControl, ChannelReport } from "./channel_actor.ts";
import type { GateActorMessage, GateReport } from "./gate.ts";
import type { OutboxActorMessage, OutboxReport } from "./outbox.ts";
import type { RouterActorMessage, SessionsReport } from "./router.ts";

const logger = getLogger(["troupe", "gateway", "health"]);

/** An actor that does not answer in time is left out. */
const REPORT_TIMEOUT_MS = 2_000;

/** One channel in a health report. */
export interface ChannelHealth {
  readonly state: ChannelReport["state"];
  readonly detail: string;
  readonly restarts: number;
  readonly stuck_threads: number;
  readonly last_error: string | null;
  /** Messages that wait to be sent. */
  readonly outbox: number;
}

/** The body of `GET /health`. */
export interface HealthReport {
  /** `ok` whenever messages can be accepted; `degraded` when the journal cannot serve. */
  readonly status: "ok" | "degraded";
  readonly version: string;
  readonly uptime_s: number;
  readonly channels: Readonly<Record<string, ChannelHealth>>;
  readonly sessions: { readonly awake: number };
  readonly turns: { readonly running: number; readonly waiting: number; readonly limit: number };
  /** Rows of the journal that have not come to their end; null when it cannot tell. */
  readonly queue: {
    readonly accepted: number;
    readonly running: number;
    readonly outbound: number;
  } | null;
  /** Messages inside the gateway that no actor handled. */
  readonly dead_letters: number;
}

/** Whom the report asks. */
export interface HealthSources {
  readonly version: string;
  readonly uptimeMs: () => number;
  readonly deadLetters: () => number;
  readonly journal: Journal;
  readonly gate: ActorRef<GateActorMessage>;
  readonly router: ActorRef<RouterActorMessage>;
  readonly channels: ReadonlyMap<string, ActorRef<ChannelControl>>;
  readonly outboxes: ReadonlyMap<string, ActorRef<OutboxActorMessage>>;
}

/** Asks everyone and puts the answers together. */
export async function reportHealth(sources: HealthSources): Promise<HealthReport> {
  const timeoutMs = REPORT_TIMEOUT_MS;
  const [counts, gate, sessions, channels] = await Promise.all([
    orNull(sources.journal.counts()),
    orNull(sources.gate.ask<GateReport>(
      (replyTo) => ({ type: "report_permits", replyTo }),
      { timeoutMs },
    )),
    orNull(sources.router.ask<SessionsReport>(
      (replyTo) => ({ type: "report_sessions", replyTo }),
      { timeoutMs },
    )),
    Promise.all([...sources.channels].map((entry) => channelHealth(entry, sources))),
  ]);
  return {
    status: counts === null ? "degraded" : "ok",
    version: sources.version,
    uptime_s: Math.floor(sources.uptimeMs() / 1_000),
    channels: Object.fromEntries(channels),
    sessions: { awake: sessions?.awake ?? 0 },
    turns: {
      running: gate?.held ?? 0,
      waiting: gate?.waiting ?? 0,
      limit: gate?.permitsMax ?? 0,
    },
    queue: counts === null ? null : queueDepths(counts),
    dead_letters: sources.deadLetters(),
  };
}

async function channelHealth(
  [name, channel]: readonly [string, ActorRef<ChannelControl>],
  { outboxes }: HealthSources,
): Promise<readonly [string, ChannelHealth]> {
  const timeoutMs = REPORT_TIMEOUT_MS;
  const [report, outbox] = await Promise.all([
    orNull(channel.ask<ChannelReport>(
      (replyTo) => ({ type: "report_channel", replyTo }),
      { timeoutMs },
    )),
    orNull(
      outboxes.get(name)?.ask<OutboxReport>(
        (replyTo) => ({ type: "report_outbox", replyTo }),
        { timeoutMs },
      ),
    ),
  ]);
  return [name, {
    state: report?.state ?? "failed",
    detail: report?.detail ?? "gives no answer",
    restarts: report?.restarts ?? 0,
    stuck_threads: report?.stuckThreads ?? 0,
    last_error: report?.lastError ?? null,
    outbox: outbox?.waiting ?? 0,
  }];
}

/** Rows that have not come to their end. */
export function queueDepths({ inbounds, outbounds }: JournalCounts): HealthReport["queue"] {
  return {
    accepted: inbounds.accepted,
    running: inbounds.running,
    outbound: outbounds.open + outbounds.pending,
  };
}

async function orNull<T>(answer: Promise<T> | undefined): Promise<T | null> {
  try {
    return await answer ?? null;
  } catch (error) {
    logger.warn("Cannot complete the health report: {reason}", { reason: asError(error).message });
    return null;
  }
}
