/**
 * Counts the processes below one, and their memory, while they run: resource limits hold for one
 * process at a time, or not at all for the root user. It takes all rights to look into /proc; see
 * `outside_watch.ts` for where there are fewer.
 * @module
 */

import type { Clock, Timer } from "../../../kernel/clock.ts";
import type { ShellLimits } from "../level.ts";

/** Short enough that a fork bomb has made hundreds of processes, not thousands. */
const LOOK_EVERY_MS = 100;
/** Unit of /proc/<pid>/statm on all platforms that Deno runs on but some ARM kernels. */
const PAGE_BYTES = 4096;

/** Looks after a command's use of the machine until it is disposed of. */
export type Watch = AsyncDisposable;

/** Looks from within this process, as far as it may. */
export class TreeWatch implements Watch {
  readonly #clock: Clock;
  readonly #pid: number;
  readonly #limits: ShellLimits;
  readonly #exceeded: (note: string) => void;
  #timer: Timer;
  #isCancelled = false;

  constructor(
    pid: number,
    exceeded: (note: string) => void,
    { clock, limits }: { readonly clock: Clock; readonly limits: ShellLimits },
  ) {
    this.#pid = pid;
    this.#exceeded = exceeded;
    this.#clock = clock;
    this.#limits = limits;
    this.#timer = this.#later();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isCancelled = true;
    this.#timer.cancel();
    return Promise.resolve();
  }

  #later(): Timer {
    return this.#clock.setTimer(LOOK_EVERY_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const limits = this.#limits;
    const usage = await usageBelow(this.#pid, limits.processesMax);
    if (this.#isCancelled) return;
    if (usage.processes > limits.processesMax) this.#exceeded(limitNote("processes", limits));
    else if (usage.memoryBytes > limits.memoryBytesMax) this.#exceeded(limitNote("memory", limits));
    else this.#timer = this.#later();
  }
}

/** What is said of a command that was too much. */
export function limitNote(what: "processes" | "memory", limits: ShellLimits): string {
  const { processesMax, memoryBytesMax } = limits;
  if (what === "processes") return `ended: it had started more than ${processesMax} processes`;
  return `ended: it used more than ${Math.round(memoryBytesMax / 1024 ** 2)} MB of memory`;
}

/** Whether processes can be counted here: Linux, and the right to read /proc. */
export function canWatch(): boolean {
  try {
    Deno.readTextFileSync(`/proc/${Deno.pid}/task/${Deno.pid}/children`);
    return true;
  } catch {
    return false;
  }
}

interface Usage {
  readonly processes: number;
  readonly memoryBytes: number;
}

async function usageBelow(root: number, processesMax: number): Promise<Usage> {
  const pids = [root];
  let memoryBytes = 0;
  for (let at = 0; at < pids.length && pids.length <= processesMax; at++) {
    const pid = pids[at];
    const [children, statm] = await Promise.all([
      childrenOf(`/proc/${pid}/task`),
      read(`/proc/${pid}/statm`),
    ]);
    pids.push(...children);
    memoryBytes += Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
  }
  return { processes: pids.length, memoryBytes };
}

/** Each thread has children of its own. */
async function childrenOf(tasks: string): Promise<readonly number[]> {
  try {
    const threads = await Array.fromAsync(Deno.readDir(tasks), ({ name }) => name);
    const lists = await Promise.all(threads.map((thread) => read(`${tasks}/${thread}/children`)));
    return lists.flatMap((list) => list.split(" ").filter((text) => text !== "").map(Number));
  } catch {
    return []; // it has ended meanwhile
  }
}

/** "" for a process that has ended meanwhile. */
async function read(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return "";
  }
}
