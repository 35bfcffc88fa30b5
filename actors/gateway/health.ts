/**
 * How the gateway is, for people and for monitors.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { CronReport } from "../automation/cron_protocol.ts";
import type { Journal, JournalCounts } from "../journal/journal.ts";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { Fence } from "./backup/fence.ts";
import type { ChannelControl, ChannelEvent, ChannelReport } from "./channel_protocol.ts";
import type { GateActorMessage, GateReport } from "./gate.ts";
import type { ConfigReport } from "./live/config_keeper.ts";
import type { McpHealth } from "./mcp_wiring.ts";
import type { HeartbeatReport } from "./heartbeat_wiring.ts";
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
  /** What last passed between it and its platform, with the time in ISO form. */
  readonly last_event: { readonly what: ChannelEvent["what"]; readonly at: string } | null;
  /** Messages that wait to be sent. */
  readonly outbox: number;
}

/** The body of `GET /health`. */
export interface HealthReport {
  /** `ok` whenever messages can be accepted; `degraded` when the journal cannot serve. */
  readonly status: "ok" | "degraded";
  /** Why it is degraded; null when it is not. */
  readonly reason: string | null;
  /** What a person should do, one sentence each. */
  readonly advice: readonly string[];
  readonly version: string;
  readonly uptime_s: number;
  readonly channels: Readonly<Record<string, ChannelHealth>>;
  /** Servers whose tools join ours. */
  readonly mcp: Readonly<Record<string, McpHealth>>;
  readonly sessions: { readonly awake: number };
  readonly turns: { readonly running: number; readonly waiting: number; readonly limit: number };
  /** Rows of the journal that have not come to their end; null when it cannot tell. */
  readonly queue: {
    readonly accepted: number;
    readonly running: number;
    readonly outbound: number;
  } | null;
  /** Rows that need a person: `failed`, `retry <id>` and `drop <id>` deal with them. */
  readonly stranded: {
    readonly parked: number;
    readonly failed_inbound: number;
    readonly failed_outbound: number;
    /** It is not known whether they arrived. */
    readonly unknown_outbound: number;
  } | null;
  /** Scheduled jobs; null when nobody can tell. */
  readonly jobs: {
    readonly count: number;
    readonly enabled: number;
    readonly running: number;
    /** ISO; null when none is due. */
    readonly next_due: string | null;
    /** Why they cannot be kept just now. */
    readonly trouble: string | null;
  } | null;
  /** The regular look at HEARTBEAT.md; null where it is off. */
  readonly heartbeat: {
    readonly every_s: number;
    /** ISO; null before the first look of this process. */
    readonly last_look: string | null;
    /** What came of it, in half a sentence. */
    readonly outcome: string | null;
  } | null;
  /** The fence around a restored copy, which does nothing; null where there is none. */
  readonly fence: {
    /** ISO: when the backup was made. */
    readonly backed_up_at: string;
    readonly lifted_by: string;
  } | null;
  /** The configuration; null where edits count with the next start only. */
  readonly config: {
    /** refused: what is in the file now is not applied. */
    readonly state: "applied" | "refused";
    /** One line for each mistake. */
    readonly problem: string | null;
    /** Keys whose change waits for the next start. */
    readonly at_next_start: readonly string[];
    /** ISO; null before the first edit that was applied. */
    readonly applied_at: string | null;
  } | null;
  /** Messages inside the gateway that no actor handled. */
  readonly dead_letters: number;
}

/** Whom the report asks. */
export interface HealthSources {
  readonly version: string;
  readonly uptimeMs: () => number;
  readonly deadLetters: () => number;
  /** @default nobody knows of jobs */
  readonly jobs?: () => Promise<CronReport | null>;
  /** @default there is none */
  readonly heartbeat?: (() => HeartbeatReport | null) | undefined;
  readonly journal: Journal;
  readonly gate: ActorRef<GateActorMessage>;
  readonly router: ActorRef<RouterActorMessage>;
  readonly channels: ReadonlyMap<string, ActorRef<ChannelControl>>;
  readonly outboxes: ReadonlyMap<string, ActorRef<OutboxActorMessage>>;
  /** @default there are no MCP servers */
  readonly mcp?: (() => Promise<HealthReport["mcp"]>) | undefined;
  /** @default it is not watched */
  readonly config?: (() => Promise<ConfigReport>) | undefined;
  /** @default there is none */
  readonly fence?: Fence | null;
}

/** Asks everyone and puts the answers together. */
export async function reportHealth(sources: HealthSources): Promise<HealthReport> {
  const timeoutMs = REPORT_TIMEOUT_MS;
  const [counts, jobs, config, gate, sessions, channels, mcp] = await Promise.all([
    orNull(sources.journal.counts()),
    orNull(sources.jobs?.()),
    orNull(sources.config?.()),
    orNull(sources.gate.ask<GateReport>(
      (replyTo) => ({ type: "report_permits", replyTo }),
      { timeoutMs },
    )),
    orNull(sources.router.ask<SessionsReport>(
      (replyTo) => ({ type: "report_sessions", replyTo }),
      { timeoutMs },
    )),
    Promise.all([...sources.channels].map((entry) => channelHealth(entry, sources))),
    sources.mcp?.() ?? {},
  ]);
  const reason = counts === null
    ? "the journal cannot be read"
    : sources.journal.trouble?.message ?? null;
  return {
    status: reason === null ? "ok" : "degraded",
    reason,
    advice: adviceFor(channels),
    version: sources.version,
    uptime_s: Math.floor(sources.uptimeMs() / 1_000),
    channels: Object.fromEntries(channels),
    mcp,
    sessions: { awake: sessions?.awake ?? 0 },
    turns: {
      running: gate?.held ?? 0,
      waiting: gate?.waiting ?? 0,
      limit: gate?.permitsMax ?? 0,
    },
    queue: counts === null ? null : queueDepths(counts),
    stranded: counts === null ? null : strandedCounts(counts),
    jobs: jobs === null ? null : jobsHealth(jobs),
    heartbeat: heartbeatHealth(sources.heartbeat?.() ?? null),
    fence: fenceHealth(sources.fence ?? null),
    config: config === null ? null : configHealth(config),
    dead_letters: sources.deadLetters(),
  };
}

function fenceHealth(fence: Fence | null): HealthReport["fence"] {
  return fence && { backed_up_at: fence.backedUpAt, lifted_by: "restore --unfence" };
}

function configHealth(
  { state, problem, waiting, appliedAtMs }: ConfigReport,
): HealthReport["config"] {
  const at = appliedAtMs === null ? null : new Date(appliedAtMs).toISOString();
  return { state, problem, at_next_start: waiting, applied_at: at };
}

function jobsHealth(
  { jobs: count, enabled, underWay: running, nextDueMs, trouble }: CronReport,
): HealthReport["jobs"] {
  const next = nextDueMs === null ? null : new Date(nextDueMs).toISOString();
  return { count, enabled, running, next_due: next, trouble };
}

function heartbeatHealth(report: HeartbeatReport | null): HealthReport["heartbeat"] {
  if (report === null) return null;
  const { everyS, last } = report;
  return {
    every_s: everyS,
    last_look: last === null ? null : new Date(last.atMs).toISOString(),
    outcome: last?.outcome ?? null,
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
    last_event: eventOf(report?.lastEvent ?? null),
    outbox: outbox?.waiting ?? 0,
  }];
}

function eventOf(event: ChannelEvent | null): ChannelHealth["last_event"] {
  return event === null ? null : { what: event.what, at: new Date(event.atMs).toISOString() };
}

/** Rows that have not come to their end. */
export function queueDepths({ inbounds, outbounds }: JournalCounts): HealthReport["queue"] {
  return {
    accepted: inbounds.accepted,
    running: inbounds.running,
    outbound: outbounds.open + outbounds.pending,
  };
}

/** A thread that spins cannot be ended from inside the process. */
function adviceFor(channels: readonly (readonly [string, ChannelHealth])[]): string[] {
  return channels.filter(([, health]) => health.stuck_threads > 0).map(([name, health]) =>
    `Channel ${name} has hung ${health.stuck_threads} times; what hung may use a processor core ` +
    "each time until the gateway restarts: send /restart, or restart it yourself."
  );
}

function strandedCounts({ inbounds, outbounds }: JournalCounts): HealthReport["stranded"] {
  return {
    parked: inbounds.parked,
    failed_inbound: inbounds.failed,
    failed_outbound: outbounds.failed,
    unknown_outbound: outbounds.unknown,
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
