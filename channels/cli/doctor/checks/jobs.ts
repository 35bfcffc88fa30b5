/**
 * Whether the jobs can be read, and will run.
 * @module
 */

import { DiskJobFiles } from "../../../../actors/automation/adapters/job_folder.ts";
import { JobBook, scheduleProblem } from "../../../../actors/automation/job_book.ts";
import { loadSchedules } from "../../../../actors/automation/schedule.ts";
import { type Check, fault, LOCAL_MS, ok, warning, withConfig } from "../finding.ts";

/** Reads the file of jobs as the gateway does, and changes nothing. */
export const jobsCheck: Check = {
  name: "Jobs",
  timeoutMs: LOCAL_MS,
  run: withConfig(async ({ loaded: { config, locations } }) => {
    const text = await new DiskJobFiles(locations.workspace).read();
    if (text === null) return [ok("none")];
    const read = JobBook.read(text, config.agents.defaults.timezone);
    if (read.state === "corrupt") {
      return [
        fault(
          `cron/jobs.json cannot be read: ${read.reason}`,
          "correct it; else the next start sets it aside and takes the copy jobs.json.bak",
        ),
      ];
    }
    const schedules = await loadSchedules();
    const unusable = [
      ...read.book.broken,
      ...read.book.jobs.flatMap((job) => {
        const problem = job.enabled ? scheduleProblem(job, schedules) : null;
        return problem === null ? [] : [{ id: job.id, problem }];
      }),
    ];
    if (unusable.length === 0) return [ok(`${read.book.jobs.length}, all can be used`)];
    return unusable.map(({ id, problem }) =>
      warning(`job "${id}" does not run: ${problem}`, "correct it in cron/jobs.json")
    );
  }),
};
