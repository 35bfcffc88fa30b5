/**
 * One command in the shell interpreter, with its surroundings.
 * @module
 */

import { z } from "zod";
import { orNull } from "../../../kernel/adapters/missing.ts";
import { type FileRules, GuardedFiles } from "./guarded_files.ts";

const LIVE_BYTES_MAX = 256 * 1024 ** 2;
const OUTPUT_BYTES_MAX = 64 * 1024 ** 2;
/** Files up to this size can be read; the interpreter takes them whole. */
const FILE_BYTES_MAX = 64 * 1024 ** 2;
/** What `timeout` gives. */
const TIMED_OUT = 124;
/** What a process gives that was killed. */
export const ORPHANED = 137;
/** A longer command, with its surroundings, is no command. */
export const JOB_BYTES_MAX: number = 16 * 1024 ** 2;

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
  /** Of the whole process; for whoever can watch that from inside. */
  readonly memoryBytesMax: number;
  /** What the interpreter must keep to by itself; undefined where the platform holds it. */
  readonly rules?: FileRules | undefined;
}

/** Where its output goes. */
export interface VirtualOutput {
  readonly stdout: (text: string) => Promise<void>;
  readonly stderr: (text: string) => Promise<void>;
}

const paths = z.array(z.string());
const jobSchema: z.ZodType<VirtualJob> = z.object({
  command: z.string(),
  folder: z.string(),
  workspace: z.string(),
  readableRoots: paths,
  writableRoots: paths,
  env: z.record(z.string(), z.string()),
  timeoutMs: z.number(),
  memoryBytesMax: z.number(),
  rules: z.object({ readOnlyPaths: paths, hiddenPaths: paths }).optional(),
});

/** @throws {z.ZodError} for what is no job */
export function parseJob(text: string): VirtualJob {
  return jobSchema.parse(JSON.parse(text));
}

/** Runs it and gives the exit code. */
export async function runJob(job: VirtualJob, { stdout, stderr }: VirtualOutput): Promise<number> {
  const { Bash } = await import("just-bash");
  const bash = new Bash({
    fs: await filesOf(job),
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
    const result = await bash.exec(job.command, { rawScript: true });
    await stdout(result.stdout);
    await stderr(result.stderr);
    return result.exitCode;
  } catch (error) {
    // A write through a link out of the workspace ends here.
    const message = error instanceof Error ? error.message : String(error);
    await stderr(`sh: ${message}\n`);
    return /time/i.test(message) ? TIMED_OUT : 1;
  }
}

/** The folders that it sees, each at its own path, in a system that is made up. */
async function filesOf(
  { readableRoots, writableRoots, workspace, rules }: VirtualJob,
): Promise<InstanceType<typeof import("just-bash").MountableFs>> {
  const { InMemoryFs, MountableFs, ReadWriteFs } = await import("just-bash");
  const fs = new MountableFs({ base: new InMemoryFs() });
  for (const root of [...readableRoots, ...writableRoots, workspace]) {
    if (!await isFolder(root)) continue;
    const files = new ReadWriteFs({ root, maxFileReadSize: FILE_BYTES_MAX });
    fs.mount(root, rules === undefined ? files : new GuardedFiles(files, root, rules));
  }
  return fs;
}

async function isFolder(path: string): Promise<boolean> {
  return (await orNull(Deno.stat(path)))?.isDirectory ?? false;
}
