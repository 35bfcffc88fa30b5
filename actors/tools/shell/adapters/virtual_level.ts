/**
 * Level `virtual`: commands in a shell interpreter that starts no programs, in a process with the
 * rights to the workspace alone: no network, no environment, no other process. A compiled program
 * starts itself for that, narrows itself to the folders, and keeps to their parts by itself.
 * @module
 */

import { fileURLToPath } from "node:url";
import { CACHED_ONLY, moduleCache } from "../../../kernel/adapters/module_cache.ts";
import type { Clock } from "../../../kernel/clock.ts";
import {
  SHELL_LIMITS,
  type ShellLevel,
  type ShellLevelName,
  type ShellLimits,
  type ShellScope,
  type ShellStart,
} from "../level.ts";
import { ChildShellProcess } from "./child_process.ts";
import { spawnShell } from "./process_level.ts";
import { canWatch, TreeWatch } from "./tree_watch.ts";
import type { FileRules } from "./guarded_files.ts";
import { SHELL_ARGUMENT } from "./narrowed_entry.ts";
import type { VirtualJob } from "./virtual_job.ts";

/** A heap that grows past this ends the command alone. */
const HEAP_MB_MAX = 512;
const MEMORY_BYTES_MAX = 1024 ** 3;
/** A compiled program has no flags. */
const COMPILED = Deno.build.standalone ? [Deno.execPath(), SHELL_ARGUMENT] : undefined;

/** The words for where no flags can say it. */
const SELF_NARROWED = [
  ...[Deno.execPath(), "run", "--quiet", "-A", "--no-prompt", "--cached-only", "--no-check"],
  fileURLToPath(new URL("./narrowed_entry.ts", import.meta.url)),
];

/** How commands run. */
export interface VirtualLevelOptions {
  readonly clock: Clock;
  readonly scope: ShellScope;
  /** What commands see as their environment. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The words that start a process which narrows itself.
   * @default those of a compiled program; elsewhere flags of Deno narrow it, where they can
   */
  readonly narrowed?: readonly string[] | undefined;
}

/** Runs each command in a process of its own. */
export class VirtualLevel implements ShellLevel {
  readonly name: ShellLevelName = "virtual";
  readonly description: string =
    "an interpreter with the usual small tools, sees the workspace, starts no programs, no network";
  readonly #options: VirtualLevelOptions;
  readonly #canWatch: boolean = canWatch();

  constructor(options: VirtualLevelOptions) {
    this.#options = options;
  }

  async start({ command, folder, timeoutMs }: ShellStart): Promise<ChildShellProcess> {
    const { clock, scope, env } = this.#options;
    const { workspace, readableRoots, writableRoots } = scope;
    const flags = denoArguments(scope);
    const narrowed = this.#options.narrowed ?? COMPILED ??
      (flags === undefined ? SELF_NARROWED : undefined);
    const [program = Deno.execPath(), ...words] = narrowed ?? [];
    const child = spawnShell(flags === undefined || narrowed !== undefined ? words : flags, {
      program,
      cwd: workspace,
      env: { ...moduleCache(), NO_COLOR: "1" },
      hasInput: true,
    });
    const limits: ShellLimits = { ...SHELL_LIMITS, memoryBytesMax: MEMORY_BYTES_MAX };
    const process = new ChildShellProcess(child, false, {
      ...(this.#canWatch && {
        watch: (pid, exceeded) => new TreeWatch(pid, exceeded, { clock, limits }),
      }),
    });
    const job: VirtualJob = {
      command,
      folder,
      workspace,
      readableRoots,
      writableRoots,
      env,
      timeoutMs,
      memoryBytesMax: MEMORY_BYTES_MAX,
      ...(narrowed !== undefined && { rules: rulesOf(scope) }),
    };
    const input = child.stdin.getWriter();
    // Where it has ended already, its output and its exit code say why.
    await input.write(new TextEncoder().encode(`${JSON.stringify(job)}\n`)).catch(() => {});
    // Stays open meanwhile: the command ends with the gateway, however that ends.
    void child.status.then(() => input.abort()).catch(() => {});
    return process;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

/** What flags say to a process that they narrow. */
function rulesOf({ readOnlyPaths, hiddenPaths, readableRoots }: ShellScope): FileRules {
  return { readOnlyPaths: [...readOnlyPaths, ...readableRoots], hiddenPaths };
}

/** Undefined where a path has a comma: Deno splits its lists there, and 2.9 knows no escape. */
function denoArguments(scope: ShellScope): readonly string[] | undefined {
  const { workspace, readableRoots, writableRoots, readOnlyPaths, hiddenPaths } = scope;
  const writable = [workspace, ...writableRoots];
  if ([...writable, ...readableRoots, ...readOnlyPaths, ...hiddenPaths].join("").includes(",")) {
    return undefined;
  }
  return [
    ...["run", "--quiet", "--no-prompt", ...CACHED_ONLY, "--ignore-env"],
    `--v8-flags=--max-old-space-size=${HEAP_MB_MAX}`,
    "--allow-sys=uid,gid",
    pathFlag("--allow-read", [...writable, ...readableRoots]),
    pathFlag("--allow-write", writable),
    ...(hiddenPaths.length > 0 ? [pathFlag("--deny-read", hiddenPaths)] : []),
    pathFlag("--deny-write", [...readOnlyPaths, ...hiddenPaths, ...readableRoots]),
    fileURLToPath(new URL("./virtual_entry.ts", import.meta.url)),
  ].filter((flag) => !flag.endsWith("="));
}

function pathFlag(name: string, paths: readonly string[]): string {
  return `${name}=${paths.join(",")}`;
}
