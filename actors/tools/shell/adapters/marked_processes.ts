/**
 * Finds and ends processes by a word in their environment: what a command started carries it on,
 * also what left the command's group.
 * @module
 */

/** Name of the variable that tells the processes of one command from all others. */
export const COMMAND_MARK = "TROUPE_COMMAND";

/** What starts faster than it can be ended is given up on after this many rounds. */
const SWEEPS_MAX = 20;

/** What may start a shell of ours: where only bubblewrap may be run, it does. */
export type ShellRunner = "sh" | "bwrap";

/**
 * Shell words that set `pids` to what has `$mark` in its environment, or in its arguments as
 * bubblewrap has (whose environment may be closed to us).
 */
const FIND_MARKED = "pids=; " +
  'for file in $(grep -laFe "$mark" /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null); do ' +
  // grep has found itself as well, and has ended
  'pid=${file#/proc/}; pid=${pid%%/*}; kill -0 "$pid" 2>/dev/null && pids="$pids $pid"; done; ';

/**
 * Shell words that end all of that, and the groups that these lead. What multiplies faster than it
 * can be ended one by one is stopped first.
 */
export const KILL_MARKED: string = `round=0; while [ "$round" -lt ${SWEEPS_MAX} ]; do ` +
  `${FIND_MARKED}[ -n "$pids" ] || break; kill -STOP $pids 2>/dev/null; ${FIND_MARKED}` +
  'for pid in $pids; do kill -KILL -- "-$pid" 2>/dev/null; done; kill -KILL $pids 2>/dev/null; ' +
  "round=$((round + 1)); done";

/**
 * Starts a shell that sees the whole machine and is told by its input what to do: a mark among its
 * arguments would be found, and end it.
 *
 * @throws where `runner` may not be run, or is not there
 */
export function startSweeper(
  runner: ShellRunner,
  script: string,
  stdout: "piped" | "null" = "null",
): Deno.ChildProcess {
  const words = runner === "bwrap" ? ["--dev-bind", "/", "/", "--", "sh"] : [];
  return new Deno.Command(runner, {
    args: [...words, "-c", script, "troupe-sweeper"],
    cwd: "/",
    env: { ...PATH_ONLY },
    clearEnv: true,
    stdin: "piped",
    stdout,
    stderr: "null",
    // What ends the gateway's group must not end this first.
    detached: true,
  }).spawn();
}

/**
 * Ends all that carries `mark`, and the group of `leader`, by a shell: it may look into /proc and
 * end what is no child of ours, for either of which Deno wants all rights.
 */
export async function killByShell(
  runner: ShellRunner,
  { leader, mark }: { readonly leader: number; readonly mark: string },
): Promise<void> {
  const end = `read -r mark leader; kill -KILL -- "-$leader" 2>/dev/null; ${KILL_MARKED}`;
  const sweeper = startSweeper(runner, end);
  const input = sweeper.stdin.getWriter();
  try {
    await input.write(new TextEncoder().encode(`${mark} ${leader}\n`));
    await input.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error; // somebody has ended it
  }
  await sweeper.status;
}

/** All that these shells, and bubblewrap itself, need. */
export const PATH_ONLY: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
};
