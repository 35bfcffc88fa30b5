/**
 * Scheduled work, from the configuration: the cron actor, what the model and the command line reach
 * of it, and what is said of it at the start.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { DiskJobFiles } from "../automation/adapters/job_folder.ts";
import { cronActor, type CronActorMessage } from "../automation/cron.ts";
import { CronKeeper } from "../automation/cron_keeper.ts";
import type { CronMessage, CronReport } from "../automation/cron_protocol.ts";
import { cronToolDesk } from "../automation/cron_tool_desk.ts";
import type { RunPort } from "../automation/ports.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import { type Journal, SYSTEM_CHANNEL } from "../journal/journal.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import { asError } from "../kernel/errors.ts";
import { derived } from "../kernel/live_view.ts";
import { localMinute } from "../kernel/local_time.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { cronTool } from "../tools/cron.ts";
import type { Tool } from "../tools/tool.ts";
import type { ControlHandler } from "./control_handler.ts";
import type { Core } from "./core.ts";
import { cronHandlers } from "./cron_desk.ts";
import type { HeldConfig } from "./held_config.ts";
import { ownerCheck } from "./rights/owner_check.ts";
import { effectiveSessionKey } from "./session_key.ts";
import type { World } from "./world.ts";

const logger = getLogger(["troupe", "gateway", "automation_wiring"]);

const REPORT_MS = 2_000;

/** What scheduled work is made from. */
export interface AutomationWiring {
  readonly loaded: LoadedConfig;
  readonly now: () => HeldConfig;
  readonly world: World;
  readonly journal: Journal;
  /** Real path. */
  readonly workspace: string;
  /** Jobs run when they are due; false for a single errand, which may only change them. */
  readonly isScheduled: boolean;
}

/** What it reaches once the gateway's actors run. */
export interface AutomationSurroundings {
  readonly spawn: (
    definition: ActorDefinition<CronActorMessage>,
  ) => ActorRef<CronActorMessage>;
  readonly core: Pick<Core, "accept" | "alarms" | "outboxes">;
}

/** Scheduled work, as the rest of the gateway sees it. */
export interface WiredAutomation {
  readonly tool: Tool;
  /** Starts the actor; until then the tool cannot reach the jobs. */
  readonly start: (surroundings: AutomationSurroundings) => ActorRef<CronMessage>;
  /** How the gateway answers about jobs, once it has started. */
  readonly handlers: () => readonly ControlHandler[];
  /** How it stands; null when the actor gives no answer. */
  readonly report: () => Promise<CronReport | null>;
  /** What is said at the start, once the file was read. */
  readonly line: () => Promise<string>;
}

/** Wires it. */
export function wireAutomation(options: AutomationWiring): WiredAutomation {
  const { loaded: { config }, now } = options;
  const { timezone } = config.agents.defaults;
  const owners = derived(now, ({ loaded }) => ownerCheck(loaded.config.owners));
  let ref: ActorRef<CronMessage> | undefined;
  const report = async () => {
    try {
      return await ref?.ask<CronReport>((replyTo) => ({ type: "report_cron", replyTo }), {
        timeoutMs: REPORT_MS,
      }) ?? null;
    } catch (error) {
      logger.warn("Cannot say how it stands with the jobs: {reason}", {
        reason: asError(error).message,
      });
      return null;
    }
  };
  return {
    tool: cronTool(cronToolDesk({
      cron: () => ref,
      timezone,
      isOwner: (sender) => owners()(sender),
    })),
    start: (surroundings) => ref = surroundings.spawn(cronActor(keeperOf(options, surroundings))),
    handlers: () => ref === undefined ? [] : cronHandlers(ref),
    report,
    line: async () => jobsLine(await report(), options),
  };
}

function keeperOf(
  { loaded: { config }, world, journal, workspace, isScheduled }: AutomationWiring,
  { core }: AutomationSurroundings,
): CronKeeper {
  const { timezone, unifiedSession: isUnified } = config.agents.defaults;
  const runs: RunPort = {
    accept: (inbound) => core.accept(inbound),
    find: (inputId) => journal.inbound(SYSTEM_CHANNEL, inputId),
    hasChannel: (name) => core.outboxes.has(name),
    sessionKeyOf: (channel, chatId) =>
      effectiveSessionKey({ channel, chatId, override: undefined, isUnified }),
  };
  return new CronKeeper({
    files: new DiskJobFiles(workspace),
    timezone,
    now: () => world.clock.now(),
    newId: world.newId,
    runs: isScheduled ? runs : null,
    inform: (text) => void core.alarms.tell({ type: "owners_informed", text }),
  });
}

function jobsLine(
  report: CronReport | null,
  { loaded: { config } }: Pick<AutomationWiring, "loaded">,
): string {
  if (report === null) return "Jobs: still being read";
  if (report.trouble !== null) return `Jobs: cannot be read just now: ${report.trouble}`;
  const { jobs, enabled, nextDueMs } = report;
  if (jobs === 0) return "Jobs: none";
  const { timezone } = config.agents.defaults;
  const paused = jobs === enabled ? "" : `, ${jobs - enabled} paused`;
  const next = nextDueMs === null ? "" : `; next ${localMinute(nextDueMs, timezone)} (${timezone})`;
  return `Jobs: ${jobs}${paused}${next}`;
}
