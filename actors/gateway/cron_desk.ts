/**
 * Jobs as the people of the machine look after them: at the control door of a gateway that runs, or
 * in the file, under its locks, while none does.
 * @module
 */

import { DiskJobFiles } from "../automation/adapters/job_folder.ts";
import { CronKeeper } from "../automation/cron_keeper.ts";
import type { CronAnswer, CronMessage, JobList, Requester } from "../automation/cron_protocol.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { realFolder } from "./adapters/local_folders.ts";
import { answers, type ControlHandler } from "./control_handler.ts";
import {
  type CronErrand,
  type CronErrandResult,
  cronRequest,
  jobsToWire,
} from "./cron_requests.ts";
import { takeLocks } from "./locks.ts";
import type { IdleGround } from "./session_desk.ts";

const ANSWER_MS = 20_000;

/** Who can write into the file can do all. */
const BY: Requester = { address: null, isOwner: true, chat: null };

/** How the gateway answers about jobs. */
export function cronHandlers(cron: ActorRef<CronMessage>): ControlHandler[] {
  return [
    answers(cronRequest, async (errand, { signal }) => {
      const ask = { timeoutMs: ANSWER_MS, signal };
      const by = BY;
      switch (errand.action) {
        case "list":
          return listed(
            await cron.ask<JobList>((replyTo) => ({ type: "list_jobs", by, replyTo }), ask),
          );
        case "add": {
          const { draft } = errand;
          return done(
            await cron.ask<CronAnswer>(
              (replyTo) => ({ type: "add_job", draft, by, replyTo }),
              ask,
            ),
          );
        }
        case "change": {
          const { id, change } = errand;
          return done(
            await cron.ask<CronAnswer>(
              (replyTo) => ({ type: "change_job", id, change, by, replyTo }),
              ask,
            ),
          );
        }
        case "remove": {
          const { id } = errand;
          return done(
            await cron.ask<CronAnswer>((replyTo) => ({ type: "remove_job", id, by, replyTo }), ask),
          );
        }
        case "run": {
          const { id, isForced } = errand;
          return done(
            await cron.ask<CronAnswer>(
              (replyTo) => ({ type: "run_job", id, isForced, by, replyTo }),
              ask,
            ),
          );
        }
      }
    }),
  ];
}

/**
 * Does it while no gateway runs.
 *
 * @throws {LockedError} {StartError} {JobFileError}
 */
export async function cronIdle(
  errand: CronErrand,
  { locations, world, command }: IdleGround,
  timezone: string,
): Promise<CronErrandResult> {
  using _locks = await takeLocks(locations, { clock: world.clock, command });
  const problems: string[] = [];
  const keeper = new CronKeeper({
    files: new DiskJobFiles(realFolder(locations.workspace)),
    timezone,
    now: () => world.clock.now(),
    newId: world.newId,
    runs: null,
    inform: (text) => void problems.push(text),
  });
  const result = await doErrand(errand, keeper);
  return { ...result, problems: [...problems, ...result.problems] };
}

async function doErrand(errand: CronErrand, keeper: CronKeeper): Promise<CronErrandResult> {
  switch (errand.action) {
    case "list":
      return listed(await keeper.list(BY));
    case "add":
      return done(await keeper.add(errand.draft, BY));
    case "change":
      return done(await keeper.change(errand.id, errand.change, BY));
    case "remove":
      return done(await keeper.remove(errand.id, BY));
    case "run":
      return done(await keeper.run(errand.id, errand.isForced, BY));
  }
}

function listed({ jobs, problems }: JobList): CronErrandResult {
  return { state: "done", reason: null, jobs: jobsToWire(jobs), nextMs: [], problems };
}

function done(answer: CronAnswer): CronErrandResult {
  if (answer.state === "refused") {
    return { state: "refused", reason: answer.reason, jobs: [], nextMs: [], problems: [] };
  }
  const { job, nextMs } = answer;
  return { state: "done", reason: null, jobs: jobsToWire([job]), nextMs, problems: [] };
}
