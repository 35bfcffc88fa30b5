/**
 * One command in the shell interpreter, in a process that has no right but to the workspace. Takes
 * the command as a line of JSON, ends early when its input ends, gives output and exit code as a shell would.
 * @module
 */

import { writeAll } from "../../../kernel/adapters/write_all.ts";
import { LineSplitter } from "../../host/line_splitter.ts";
import { JOB_BYTES_MAX, ORPHANED, parseJob, runJob } from "./virtual_job.ts";

async function write(stream: typeof Deno.stdout, text: string): Promise<void> {
  await writeAll(stream, new TextEncoder().encode(text));
}

/** Runs the job that the first line of the input names; the input ends early with the gateway. */
async function runGivenJob(): Promise<void> {
  const lines = new LineSplitter(JOB_BYTES_MAX);
  const output = {
    stdout: (text: string) => write(Deno.stdout, text),
    stderr: (text: string) => write(Deno.stderr, text),
  };
  for await (const chunk of Deno.stdin.readable) {
    const [text] = lines.push(chunk);
    if (text !== undefined) void runJob(parseJob(text), output).then(Deno.exit);
  }
  Deno.exit(ORPHANED);
}

if (import.meta.main) await runGivenJob();
