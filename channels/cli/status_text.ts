/**
 * What `status` says.
 * @module
 */

import type { ShownOverride } from "../../actors/config/load_config.ts";
import type {
  ChannelStatus,
  GatewayStatus,
  McpStatus,
} from "../../actors/gateway/control_requests.ts";
import { type ProviderLine, readyLine } from "./provider_text.ts";

/** What is known while no gateway runs. */
export interface IdleStatus {
  readonly configFile: string;
  readonly hasConfigFile: boolean;
  readonly workspace: string;
  readonly hasWorkspace: boolean;
  readonly stateFolder: string;
  readonly model: string;
  /** Names of the enabled channels. */
  readonly channels: readonly string[];
  /** Rows of the journal that have not come to their end; null without a journal. */
  readonly queue: GatewayStatus["health"]["queue"];
  /** The process that keeps the state folder, though it is no gateway; null without. */
  readonly lockedBy: string | null;
  /** Of a restored copy that is fenced, when its backup was made; null where there is no fence. */
  readonly backedUpAt: string | null;
}

/** What the configuration says, whether a gateway runs or not. */
export interface SettingsStatus {
  /** Those that are set up, or that the configuration asks. */
  readonly providers: readonly ProviderLine[];
  readonly owners: readonly string[];
  /** Settings that come from the environment. */
  readonly overrides: readonly ShownOverride[];
}

/** The same for people. */
export function settingsText({ providers, owners, overrides }: SettingsStatus): string {
  return lines([
    ...(providers.length === 0
      ? ["Providers: none is set up"]
      : ["Providers:", ...providers.map(readyLine)]),
    `Owners: ${owners.length === 0 ? "none" : owners.join(", ")}`,
    ...overrides.map(({ key, variable }) => `From the environment: ${key} (${variable})`),
  ]);
}

/** A running gateway, for people. */
export function runningText({ health, ...status }: GatewayStatus): string {
  const { turns, sessions, queue } = health;
  const servers = Object.entries(health.mcp);
  const limit = turns.limit > 0 ? `limit ${turns.limit}` : "no limit";
  return lines([
    `Gateway: running, ${health.status} (process ${status.pid}, version ${health.version}, ` +
    `up ${duration(health.uptime_s)})`,
    fenceLine(health.fence?.backed_up_at ?? null),
    `Config: ${status.configFile}`,
    ...configLines(health.config),
    `Workspace: ${status.workspace}`,
    status.model,
    status.healthUrl === null ? null : `Health: ${status.healthUrl}`,
    "Channels:",
    ...Object.entries(health.channels).map(channelLine),
    ...(servers.length === 0 ? [] : ["MCP servers:", ...servers.map(serverLine)]),
    `Sessions: ${sessions.awake} awake`,
    `Turns: ${turns.running} running, ${turns.waiting} waiting (${limit})`,
    queueLine(queue),
    jobsLine(health.jobs),
    health.dead_letters > 0 ? `Dead letters: ${health.dead_letters}` : null,
  ]);
}

/** What there is while no gateway runs, for people. */
export function idleText(status: IdleStatus): string {
  const { channels, lockedBy } = status;
  return lines([
    "Gateway: not running",
    lockedBy,
    fenceLine(status.backedUpAt),
    `Config: ${status.configFile}${missing(status.hasConfigFile)}`,
    `Workspace: ${status.workspace}${missing(status.hasWorkspace)}`,
    status.model,
    `Channels: ${channels.length === 0 ? "none is enabled" : channels.join(", ")}`,
    queueLine(status.queue),
  ]);
}

function fenceLine(backedUpAt: string | null): string | null {
  if (backedUpAt === null) return null;
  return `Fenced: restored from a backup of ${backedUpAt}: nothing is taken in, answered or sent, ` +
    "and no job runs (restore --unfence)";
}

function configLines(config: GatewayStatus["health"]["config"]): readonly string[] {
  if (config === null) return [];
  const { problem, at_next_start: waiting } = config;
  return [
    ...(problem === null ? [] : problem.split("\n").map((line) => `  not applied: ${line}`)),
    ...(waiting.length === 0 ? [] : [`  at the next start: ${waiting.join(", ")}`]),
  ];
}

function channelLine([name, channel]: readonly [string, ChannelStatus]): string {
  const { state, detail, restarts, outbox, last_error: error } = channel;
  return [
    `  ${name}: ${state} (${detail})`,
    restarts > 0 ? `restarts ${restarts}` : null,
    outbox > 0 ? `outbox ${outbox}` : null,
    error === null || error === detail ? null : `last error: ${error}`,
  ].filter((part) => part !== null).join(", ");
}

function serverLine([name, server]: readonly [string, McpStatus]): string {
  return `  ${name}: ${
    server.state.replaceAll("_", " ")
  } (${server.detail}), ${server.tools} tools`;
}

function queueLine(queue: GatewayStatus["health"]["queue"]): string {
  if (queue === null) return "Queue: unknown";
  return `Queue: ${queue.accepted} accepted, ${queue.running} running, ${queue.outbound} to send`;
}

function jobsLine(jobs: GatewayStatus["health"]["jobs"]): string | null {
  if (jobs === null || (jobs.count === 0 && jobs.trouble === null)) return null;
  if (jobs.trouble !== null) return `Jobs: cannot be kept just now: ${jobs.trouble}`;
  const paused = jobs.count - jobs.enabled;
  return [
    `Jobs: ${jobs.count}`,
    jobs.running > 0 ? `${jobs.running} running` : null,
    paused > 0 ? `${paused} paused` : null,
    jobs.next_due === null ? null : `next ${jobs.next_due}`,
  ].filter((part) => part !== null).join(", ");
}

function missing(isThere: boolean): string {
  return isThere ? "" : " (missing)";
}

function lines(all: readonly (string | null)[]): string {
  return all.filter((line) => line !== null).map((line) => `${line}\n`).join("");
}

/** Two units, the largest ones. */
export function duration(seconds: number): string {
  const units: readonly (readonly [string, number])[] = [
    ["d", Math.floor(seconds / 86_400)],
    ["h", Math.floor(seconds / 3_600) % 24],
    ["m", Math.floor(seconds / 60) % 60],
    ["s", Math.floor(seconds) % 60],
  ];
  const first = units.findIndex(([, count]) => count > 0);
  if (first < 0) return "0s";
  return units.slice(first, first + 2).map(([unit, count]) => `${count}${unit}`).join(" ");
}
