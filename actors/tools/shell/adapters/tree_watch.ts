/**
 * Counts the processes below one, and their memory, while they run: resource limits hold for one
 * process at a time, or not at all for the root user.
 * @module
 */

import type { Clock, Timer } from "../../../kernel/clock.ts";
import type { ShellLimits } from "../level.ts";

/** Short enough that a fork bomb has made hundreds of processes, not thousands. */
const LOOK_EVERY_MS = 100;
/** Unit of /proc/<pid>/statm on all platforms that Deno runs on but some ARM kernels. */
const PAGE_BYTES = 4096;

/** Looks until it is cancelled. */
export class TreeWatch {
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

  cancel(): void {
    this.#isCancelled = true;
    this.#timer.cancel();
  }

  #later(): Timer {
    return this.#clock.setTimer(LOOK_EVERY_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { processesMax, memoryBytesMax } = this.#limits;
    const usage = await usageBelow(this.#pid, processesMax);
    if (this.#isCancelled) return;
    if (usage.processes > processesMax) {
      this.#exceeded(`ended: it had started more than ${processesMax} processes`);
    } else if (usage.memoryBytes > memoryBytesMax) {
      const megabytes = Math.round(memoryBytesMax / 1024 ** 2);
      this.#exceeded(`ended: it used more than ${megabytes} MB of memory`);
    } else this.#timer = this.#later();
  }
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

/** What is said at the start where it cannot be watched. */
export const UNWATCHED: string =
  "a command's memory is bounded for each of its processes only (to watch all takes --allow-all)";

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
      read(`/proc/${pid}/task/${pid}/children`),
      read(`/proc/${pid}/statm`),
    ]);
    pids.push(...children.split(" ").filter((text) => text !== "").map(Number));
    memoryBytes += Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
  }
  return { processes: pids.length, memoryBytes };
}

/** "" for a process that has ended meanwhile. */
async function read(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return "";
  }
}
