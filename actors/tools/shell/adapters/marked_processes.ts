/**
 * Finds and ends processes by a word in their environment: what a command started carries it on,
 * also what left the command's group.
 * @module
 */

/** Name of the variable that tells the processes of one command from all others. */
export const COMMAND_MARK = "TROUPE_COMMAND";

/** What starts faster than it can be ended is given up on after this many rounds. */
const SWEEPS_MAX = 20;

/** Ends all processes that carry `mark` in their environment, until none is left. */
export async function killMarked(mark: string): Promise<void> {
  const entry = `${COMMAND_MARK}=${mark}`;
  for (let round = 0; round < SWEEPS_MAX; round++) {
    if (await killMarkedOnce(entry) === 0) return;
  }
}

async function killMarkedOnce(entry: string): Promise<number> {
  const names = await Array.fromAsync(Deno.readDir("/proc"), ({ name }) => name);
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map(async (name) => {
      try {
        const variables = (await Deno.readTextFile(`/proc/${name}/environ`)).split("\0");
        if (!variables.includes(entry)) return 0;
        Deno.kill(Number(name), "SIGKILL");
        return 1;
      } catch {
        return 0; // it has ended, or belongs to somebody else
      }
    }),
  );
  return found.filter((count) => count > 0).length;
}

/** What may start a shell of ours: where only bubblewrap may be run, it does. */
export type ShellRunner = "sh" | "bwrap";

/**
 * Shell words that end what has `$mark` in its environment, or in its arguments as bubblewrap has
 * (whose environment may be closed to us), and the groups that these lead.
 */
export const KILL_MARKED: string = `round=0; while [ "$round" -lt ${SWEEPS_MAX} ]; do found=; ` +
  'for file in $(grep -laFe "$mark" /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null); do ' +
  "pid=${file#/proc/}; pid=${pid%%/*}; " +
  'kill -KILL -- "-$pid" 2>/dev/null; kill -KILL "$pid" 2>/dev/null && found=1; done; ' +
  '[ -n "$found" ] || break; round=$((round + 1)); done';

/**
 * Starts a shell that sees the whole machine and is told by its input what to do: a mark among its
 * arguments would be found, and end it.
 *
 * @throws where `runner` may not be run, or is not there
 */
export function startSweeper(runner: ShellRunner, script: string): Deno.ChildProcess {
  const words = runner === "bwrap" ? ["--dev-bind", "/", "/", "--", "sh"] : [];
  return new Deno.Command(runner, {
    args: [...words, "-c", script, "troupe-sweeper"],
    cwd: "/",
    env: { ...PATH_ONLY },
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    // What ends the gateway's group must not end this first.
    detached: true,
  }).spawn();
}

/**
 * Does what {@link killMarked} does, and ends the group of `leader`, where we may run a shell but
 * neither look into /proc nor end what is no child of ours: Deno wants all rights for either.
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
