/**
 * One command in the shell interpreter, in a process that has no right but to the workspace. Takes
 * the command as a line of JSON, ends early when its input ends, gives output and exit code as a shell would.
 * @module
 */

import { z } from "zod";
import { orNull } from "../../../kernel/adapters/missing.ts";
import { writeAll } from "../../../kernel/adapters/write_all.ts";
import { LineSplitter } from "../../host/line_splitter.ts";

const LIVE_BYTES_MAX = 256 * 1024 ** 2;
const OUTPUT_BYTES_MAX = 64 * 1024 ** 2;
/** Files up to this size can be read; the interpreter takes them whole. */
const FILE_BYTES_MAX = 64 * 1024 ** 2;
/** What `timeout` gives. */
const TIMED_OUT = 124;
/** What a process gives that was killed. */
const ORPHANED = 137;
/** A longer command, with its surroundings, is no command. */
const JOB_BYTES_MAX = 16 * 1024 ** 2;

/** A command with its surroundings. All paths absolute. */
export interface VirtualJob {
  readonly command: string;
  readonly folder: string;
  readonly workspace: string;
  /** Other folders, read-only. */
  readonly readableRoots: readonly string[];
  readonly writableRoots: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const jobSchema: z.ZodType<VirtualJob> = z.object({
  command: z.string(),
  folder: z.string(),
  workspace: z.string(),
  readableRoots: z.array(z.string()),
  writableRoots: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  timeoutMs: z.number(),
});

async function runJob(job: VirtualJob): Promise<number> {
  const { Bash, InMemoryFs, MountableFs, ReadWriteFs } = await import("just-bash");
  const fs = new MountableFs({ base: new InMemoryFs() });
  for (const root of [...job.readableRoots, ...job.writableRoots, job.workspace]) {
    if (!await isFolder(root)) continue;
    fs.mount(root, new ReadWriteFs({ root, maxFileReadSize: FILE_BYTES_MAX }));
  }
  const bash = new Bash({
    fs,
    cwd: job.folder,
    env: { ...job.env },
    // This process has no rights to lose; the layer only writes warnings.
    defenseInDepth: false,
    executionLimits: {
      maxExecutionTimeMs: job.timeoutMs,
      maxLiveBytes: LIVE_BYTES_MAX,
      maxOutputSize: OUTPUT_BYTES_MAX,
      maxCommandCount: 1_000_000,
      maxLoopIterations: 1_000_000,
    },
  });
  try {
    const { stdout, stderr, exitCode } = await bash.exec(job.command, { rawScript: true });
    await write(Deno.stdout, stdout);
    await write(Deno.stderr, stderr);
    return exitCode;
  } catch (error) {
    // A write through a link out of the workspace ends here.
    const message = error instanceof Error ? error.message : String(error);
    await write(Deno.stderr, `sh: ${message}\n`);
    return /time/i.test(message) ? TIMED_OUT : 1;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await orNull(Deno.stat(path)))?.isDirectory ?? false;
}

async function write(stream: typeof Deno.stdout, text: string): Promise<void> {
  await writeAll(stream, new TextEncoder().encode(text));
}

/** Runs the job that the first line of the input names; the input ends early with the gateway. */
async function runGivenJob(): Promise<void> {
  const lines = new LineSplitter(JOB_BYTES_MAX);
  for await (const chunk of Deno.stdin.readable) {
    const [text] = lines.push(chunk);
    if (text !== undefined) void runJob(jobSchema.parse(JSON.parse(text))).then(Deno.exit);
  }
  Deno.exit(ORPHANED);
}

if (import.meta.main) await runGivenJob();
