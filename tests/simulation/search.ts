/**
 * Looks for seeds whose worlds break a law, on all cores at once.
 * @module
 */

import process from "node:process";
import { z } from "zod";
import type { WorldReport } from "./world_worker.ts";

const WORKER = new URL("world_worker.ts", import.meta.url);
/**
 * A world takes a tenth of a second of a core; one that takes this long hangs. Processor time, since
 * on a busy machine others may take all the rest. It counts for all threads together, so each of
 * them adds as much.
 */
const WORLD_CPU_MS_MAX = 120_000;
/** Where nothing uses the processor any more, a world hangs that takes this long by the clock. */
const WORLD_MS_MAX = 3_600_000;
/** So often it is looked whether a world hangs. */
const LOOK_MS = 1_000;

/** How far a search has come. */
export interface SearchProgress {
  /** Worlds that have ended. */
  readonly done: number;
  /** The lowest seed whose world has not: all before it need not be looked at again. */
  readonly next: number;
}

/** Which seeds are looked at. */
export interface SearchOptions {
  readonly from: number;
  readonly count: number;
  /** Whether the search goes on after a seed that breaks a law. */
  readonly goesOn: boolean;
  /** Told of each world that ends, in the order of their ends. */
  readonly onReport?: (report: WorldReport, progress: SearchProgress) => void;
  /** @default one for each core */
  readonly threads?: number;
  /** What a thread runs. @default real worlds */
  readonly worker?: URL;
  /** Processor time of a world. @default two minutes */
  readonly worldCpuMsMax?: number;
  /** Time by the clock. @default an hour */
  readonly worldMsMax?: number;
  /** Processor time that this process has used. */
  readonly cpuMs?: () => number;
  /** @default a second */
  readonly lookMs?: number;
}

const reportSchema: z.ZodType<WorldReport> = z.object({
  seed: z.number(),
  breaches: z.array(z.string()),
});

/**
 * Runs the worlds of the seeds, each in one of the threads.
 *
 * @returns the seeds that break laws, in order; without `goesOn` the lowest of those found
 * @throws {Error} when a world throws or hangs
 */
export async function searchSeeds(options: SearchOptions): Promise<WorldReport[]> {
  const { from, count, goesOn, onReport } = options;
  const threads = Math.min(options.threads ?? navigator.hardwareConcurrency, count);
  const broken: WorldReport[] = [];
  const running = new Set<number>();
  let next = from;
  const searchAlone = async () => {
    using thread = new WorldThread({ ...options, threads });
    while (next < from + count && (goesOn || broken.length === 0)) {
      const seed = next++;
      running.add(seed);
      const report = await thread.run(seed);
      running.delete(seed);
      if (report.breaches.length > 0) broken.push(report);
      onReport?.(report, { done: next - from - running.size, next: Math.min(next, ...running) });
    }
  };
  await Promise.all(Array.from({ length: threads }, searchAlone));
  broken.sort((one, other) => one.seed - other.seed);
  return goesOn ? broken : broken.slice(0, 1);
}

/** A thread that runs one world at a time. */
class WorldThread implements Disposable {
  readonly #worker: Worker;
  readonly #cpuMsMax: number;
  readonly #worldMsMax: number;
  readonly #cpuMs: () => number;
  readonly #lookMs: number;

  constructor(options: SearchOptions & { readonly threads: number }) {
    this.#worker = new Worker(options.worker ?? WORKER, { type: "module" });
    this.#cpuMsMax = (options.worldCpuMsMax ?? WORLD_CPU_MS_MAX) * options.threads;
    this.#worldMsMax = options.worldMsMax ?? WORLD_MS_MAX;
    this.#cpuMs = options.cpuMs ?? cpuMsOfProcess;
    this.#lookMs = options.lookMs ?? LOOK_MS;
  }

  async run(seed: number): Promise<WorldReport> {
    const { promise, resolve, reject } = Promise.withResolvers<WorldReport>();
    const fail = (why: string) => reject(new Error(`Cannot finish world ${seed}: ${why}`));
    const look = this.#watch(() => fail("it hangs"));
    this.#worker.onmessage = ({ data }) => resolve(reportSchema.parse(data));
    this.#worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message);
    };
    this.#worker.postMessage(seed);
    try {
      return await promise;
    } finally {
      clearInterval(look);
    }
  }

  /** Looks again and again whether the world that begins now hangs. */
  #watch(onHang: () => void): ReturnType<typeof setInterval> {
    const cpuMsMax = this.#cpuMs() + this.#cpuMsMax;
    const untilMs = performance.now() + this.#worldMsMax;
    return setInterval(() => {
      if (this.#cpuMs() > cpuMsMax || performance.now() > untilMs) onHang();
    }, this.#lookMs);
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}

function cpuMsOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
