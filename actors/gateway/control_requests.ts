/**
 * What a running gateway can be asked at its control door. Each request is one definition here and
 * one handler in `control_handlers.ts`.
 * @module
 */

import { z } from "zod";
import { type ControlRequest, query } from "./control.ts";

/** What `GET /health` answers, as far as commands show it; newer gateways tell more. */
export interface HealthStatus {
  readonly status: string;
  readonly version: string;
  readonly uptime_s: number;
  readonly channels: Readonly<Record<string, ChannelStatus>>;
  readonly mcp: Readonly<Record<string, McpStatus>>;
  readonly sessions: { readonly awake: number };
  readonly turns: { readonly running: number; readonly waiting: number; readonly limit: number };
  readonly queue: {
    readonly accepted: number;
    readonly running: number;
    readonly outbound: number;
  } | null;
  /** Scheduled jobs; null when nobody can tell. */
  readonly jobs: JobsStatus | null;
  /** Null where there is no fence around it. */
  readonly fence: FenceStatus | null;
  /** Null when it is not watched. */
  readonly config: ConfigStatus | null;
  readonly dead_letters: number;
}

/** The fence around a restored copy in it. */
export interface FenceStatus {
  readonly backed_up_at: string;
  readonly lifted_by: string;
}

/** The configuration in it. */
export interface ConfigStatus {
  readonly state: string;
  readonly problem: string | null;
  readonly at_next_start: readonly string[];
}

/** The scheduled jobs in it. */
export interface JobsStatus {
  readonly count: number;
  readonly enabled: number;
  readonly running: number;
  /** ISO; null when none is due. */
  readonly next_due: string | null;
  readonly trouble: string | null;
}

/** One channel in it. */
export interface ChannelStatus {
  readonly state: string;
  readonly detail: string;
  readonly restarts: number;
  readonly last_error: string | null;
  readonly last_event: { readonly what: string; readonly at: string } | null;
  readonly outbox: number;
}

/** One MCP server in it. */
export interface McpStatus {
  readonly state: string;
  readonly detail: string;
  readonly tools: number;
}

const channelStatus: z.ZodType<ChannelStatus> = z.looseObject({
  state: z.string(),
  detail: z.string(),
  restarts: z.number(),
  last_error: z.string().nullable(),
  // Gateways of before it was told have none.
  last_event: z.object({ what: z.string(), at: z.string() }).nullable().default(null),
  outbox: z.number(),
});

const healthShape: z.ZodType<HealthStatus> = z.looseObject({
  status: z.string(),
  version: z.string(),
  uptime_s: z.number(),
  channels: z.record(z.string(), channelStatus),
  // Gateways of before there were any tell nothing of them.
  mcp: z.record(
    z.string(),
    z.looseObject({ state: z.string(), detail: z.string(), tools: z.number() }),
  ).default({}),
  sessions: z.looseObject({ awake: z.number() }),
  turns: z.looseObject({ running: z.number(), waiting: z.number(), limit: z.number() }),
  queue: z.looseObject({ accepted: z.number(), running: z.number(), outbound: z.number() })
    .nullable(),
  // Gateways of before there were jobs have none.
  jobs: z.looseObject({
    count: z.number(),
    enabled: z.number(),
    running: z.number(),
    next_due: z.string().nullable(),
    trouble: z.string().nullable(),
  }).nullable().default(null),
  fence: z.looseObject({ backed_up_at: z.string(), lifted_by: z.string() }).nullable()
    .default(null),
  // Gateways of before it was watched tell nothing of it.
  config: z.looseObject({
    state: z.string(),
    problem: z.string().nullable(),
    at_next_start: z.array(z.string()),
  }).nullable().default(null),
  dead_letters: z.number(),
});

/** A running gateway, seen from outside. */
export interface GatewayStatus {
  readonly pid: number;
  /** What it was started as. */
  readonly command: string;
  readonly startedAtMs: number;
  readonly configFile: string;
  readonly workspace: string;
  readonly stateFolder: string;
  /** As at its start: model, vendor and address, or what is missing. */
  readonly model: string;
  readonly healthUrl: string | null;
  /** The health report. */
  readonly health: HealthStatus;
}

const nothing: z.ZodType<Record<string, never>> = z.strictObject({});

/** How the gateway is. */
export const statusRequest: ControlRequest<Record<string, never>, GatewayStatus> = query("status", {
  params: nothing,
  result: z.object({
    pid: z.int(),
    command: z.string(),
    startedAtMs: z.number(),
    configFile: z.string(),
    workspace: z.string(),
    stateFolder: z.string(),
    model: z.string(),
    healthUrl: z.string().nullable(),
    health: healthShape,
  }),
});

/** A message that did not get where it should, and stays until someone decides about it. */
export interface StrandedMessage {
  /** What `retry` and `drop` take. */
  readonly id: string;
  /** `in`: for the assistant; `out`: from it. */
  readonly direction: "in" | "out";
  /** `failed`, `parked` or `unknown`. */
  readonly state: string;
  readonly channel: string;
  readonly chatId: string;
  readonly sessionKey: string;
  /** When it was accepted or made. */
  readonly atMs: number;
  /** Why, as far as it is known. */
  readonly reason: string | null;
}

const strandedMessage: z.ZodType<StrandedMessage> = z.object({
  id: z.string(),
  direction: z.enum(["in", "out"]),
  state: z.string(),
  channel: z.string(),
  chatId: z.string(),
  sessionKey: z.string(),
  atMs: z.number(),
  reason: z.string().nullable(),
});

/** Which messages failed, were parked, or ended in doubt; newest first. */
export const failedRequest: ControlRequest<
  { readonly limit: number },
  { readonly messages: readonly StrandedMessage[] }
> = query("failed", {
  params: z.object({ limit: z.int().min(1).max(10_000) }),
  result: z.object({ messages: z.array(strandedMessage) }),
});

/** What became of the wish to retry or drop a message. */
export interface StrandedOutcome {
  /** `missing`: no such message, or it needs nothing. */
  readonly state: "done" | "missing";
}

const strandedChoice: z.ZodType<{ readonly id: string }> = z.object({ id: z.string().min(1) });
const strandedOutcome: z.ZodType<StrandedOutcome> = z.object({
  state: z.enum(["done", "missing"]),
});

/** Takes a message up again. */
export const retryRequest: ControlRequest<{ readonly id: string }, StrandedOutcome> = query(
  "retry",
  { params: strandedChoice, result: strandedOutcome },
);

/** Lets go of a message for good. */
export const dropRequest: ControlRequest<{ readonly id: string }, StrandedOutcome> = query("drop", {
  params: strandedChoice,
  result: strandedOutcome,
});
