/**
 * `cron`: the jobs at set times.
 * @module
 */

import type { JobChange } from "../../../actors/automation/cron_protocol.ts";
import type { MissedPolicy } from "../../../actors/automation/due_runs.ts";
import type { Job } from "../../../actors/automation/job.ts";
import { jobLines, recordText, timingText, zoneOf } from "../../../actors/automation/job_text.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { askDoor } from "../../../actors/gateway/control_client.ts";
import { cronIdle } from "../../../actors/gateway/cron_desk.ts";
import {
  type CronErrand,
  type CronErrandResult,
  cronRequest,
  jobsFromWire,
} from "../../../actors/gateway/cron_requests.ts";
import { localIso } from "../../../actors/kernel/local_time.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { printableLines } from "../printable.ts";

/** Flags of all of them. */
export interface CronFlags extends LoadFlags {
  readonly json?: boolean | undefined;
}

/** Flags that say when a job is due, and what becomes of it. */
export interface JobFlags extends CronFlags {
  readonly every?: number | undefined;
  readonly cron?: string | undefined;
  readonly at?: string | undefined;
  readonly tz?: string | undefined;
  readonly name?: string | undefined;
  readonly missed?: MissedPolicy | undefined;
}

/** Flags of `cron add`. */
export interface AddFlags extends JobFlags {
  /** `channel:chat`. */
  readonly to?: string | undefined;
}

/** Flags of `cron edit`. */
export interface EditFlags extends JobFlags {
  readonly message?: string | undefined;
}

/** Lists them, the next one first. */
export async function listCommand(flags: CronFlags, terminal: Terminal): Promise<number> {
  const { result, timezone } = await carryOut({ action: "list" }, flags, terminal);
  if (flags.json === true) return printJson(result, terminal);
  const jobs = jobsFromWire(result.jobs, timezone);
  const lines = jobs.flatMap((job) => jobLines(job, timezone));
  terminal.write(lines.length === 0 ? "No jobs are scheduled\n" : printableLines(lines));
  return 0;
}

/** Makes one; 1 when it is refused, 2 when no time or no place is given. */
export async function addCommand(
  message: string,
  flags: AddFlags,
  terminal: Terminal,
): Promise<number> {
  const place = placeOf(flags.to);
  if (place === null) {
    terminal.writeError(
      `Error: Cannot deliver to "${flags.to}": name channel and chat, such as feishu:oc_1\n`,
    );
    return 2;
  }
  if ([flags.every, flags.cron, flags.at].every((time) => time === undefined)) {
    terminal.writeError("Error: Cannot schedule the job: give --every, --cron or --at\n");
    return 2;
  }
  const { name, missed: missedRuns } = flags;
  const draft = { name, message, missedRuns, ...place, sessionKey: null, schedule: written(flags) };
  return await change("Created", { action: "add", draft }, flags, terminal);
}

/** Changes one; 1 when it is refused. */
export async function editCommand(
  id: string,
  flags: EditFlags,
  terminal: Terminal,
): Promise<number> {
  const { name, message, missed: missedRuns } = flags;
  const schedule = written(flags);
  const isScheduled = Object.values(schedule).some((value) => value !== undefined);
  const wanted: JobChange = { name, message, missedRuns, ...(isScheduled && { schedule }) };
  return await change("Changed", { action: "change", id, change: wanted }, flags, terminal);
}

/** Takes one away; 1 when there is none. */
export async function removeCommand(
  id: string,
  flags: CronFlags,
  terminal: Terminal,
): Promise<number> {
  return await change("Removed", { action: "remove", id }, flags, terminal);
}

/** Has one run by its schedule again, or not; 1 when it is refused. */
export async function enableCommand(
  id: string,
  enabled: boolean,
  flags: CronFlags,
  terminal: Terminal,
): Promise<number> {
  const errand = { action: "change", id, change: { enabled } } as const;
  return await change(enabled ? "Enabled" : "Paused", errand, flags, terminal);
}

/** Runs one now; 1 when it is refused. */
export async function runCommand(
  id: string,
  flags: CronFlags & { readonly force?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const errand = { action: "run", id, isForced: flags.force === true } as const;
  return await change("Started", errand, flags, terminal);
}

/** Shows what became of its runs; 1 when there is no such job. */
export async function historyCommand(
  id: string,
  flags: CronFlags,
  terminal: Terminal,
): Promise<number> {
  const { result, timezone } = await carryOut({ action: "list" }, flags, terminal);
  const jobs = jobsFromWire(result.jobs, timezone);
  const found = jobs.find((job) => job.id === id) ?? onlyOne(jobs, id);
  if (found === undefined) {
    terminal.writeError(`Error: Cannot find job "${id}": see troupe cron list\n`);
    return 1;
  }
  const { runHistory } = found.state;
  if (flags.json === true) terminal.write(`${JSON.stringify(runHistory, null, 2)}\n`);
  else if (runHistory.length === 0) terminal.write("It was never due\n");
  else {
    const zone = zoneOf(found.schedule, timezone);
    terminal.write(printableLines(runHistory.map((record) => recordText(record, zone))));
  }
  return 0;
}

function onlyOne(jobs: readonly Job[], beginning: string): Job | undefined {
  const found = jobs.filter(({ id }) => id.startsWith(beginning));
  return found.length === 1 ? found[0] : undefined;
}

async function change(
  what: string,
  errand: CronErrand,
  flags: CronFlags,
  terminal: Terminal,
): Promise<number> {
  const { result, timezone } = await carryOut(errand, flags, terminal);
  const exitCode = result.state === "done" ? 0 : 1;
  if (flags.json === true) {
    printJson(result, terminal);
    return exitCode;
  }
  if (result.reason !== null) terminal.writeError(`Error: ${result.reason}\n`);
  const [job] = jobsFromWire(result.jobs, timezone);
  if (job === undefined) return exitCode;
  const zone = zoneOf(job.schedule, timezone);
  const line = `${what} job ${job.name} (${job.id}): ${timingText(job.schedule, zone)}`;
  terminal.write(printableLines([line]));
  for (const dueMs of result.nextMs) terminal.write(`  next ${localIso(dueMs, zone)}\n`);
  return exitCode;
}

/** Asks the gateway that runs, or does it in its place. */
async function carryOut(
  errand: CronErrand,
  flags: CronFlags,
  terminal: Terminal,
): Promise<{ readonly result: CronErrandResult; readonly timezone: string }> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const { timezone } = loaded.config.agents.defaults;
  const result = await askOrDo(errand, loaded);
  for (const problem of result.problems) terminal.writeError(`Warning: ${problem}\n`);
  return { result, timezone };
}

async function askOrDo(
  errand: CronErrand,
  { locations, config }: LoadedConfig,
): Promise<CronErrandResult> {
  const world = systemWorld();
  const peer = await connectControl(locations.stateFolder);
  if (peer !== null) return await askDoor(peer, cronRequest, errand, world.clock);
  const ground = { locations, world, command: "cron" };
  return await cronIdle(errand, ground, config.agents.defaults.timezone);
}

function printJson({ problems: _, ...result }: CronErrandResult, terminal: Terminal): number {
  terminal.write(`${JSON.stringify(result, null, 2)}\n`);
  return 0;
}

function written({ every: everySeconds, cron: expr, at, tz }: JobFlags) {
  return { everySeconds, expr, at, tz };
}

/** Where the answer goes; nowhere unless it is said. */
function placeOf(to: string | undefined): {
  readonly deliver: boolean;
  readonly channel: string | null;
  readonly to: string | null;
} | null {
  if (to === undefined) return { deliver: false, channel: null, to: null };
  const colon = to.indexOf(":");
  const place = { channel: to.slice(0, colon), to: to.slice(colon + 1) };
  if (colon < 1 || place.to === "") return null;
  return { deliver: true, ...place };
}
