/**
 * Looks for seeds whose worlds break a law, on all cores at once.
 * @module
 */

import { z } from "zod";
import type { WorldReport } from "./world_worker.ts";

const WORKER = new URL("world_worker.ts", import.meta.url);
/** A world takes a tenth of a second; one that takes this long hangs. */
const WORLD_MS_MAX = 120_000;

/** Which seeds are looked at. */
export interface SearchOptions {
  readonly from: number;
  readonly count: number;
  /** Whether the search goes on after a seed that breaks a law. */
  readonly goesOn: boolean;
  /** @default one for each core */
  readonly threads?: number;
  /** What a thread runs. @default real worlds */
  readonly worker?: URL;
  /** @default two minutes */
  readonly worldMsMax?: number;
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
export async function searchSeeds({ from, count, goesOn, ...options }: SearchOptions): Promise<
  WorldReport[]
> {
  const { threads = navigator.hardwareConcurrency } = options;
  const broken: WorldReport[] = [];
  let next = from;
  const searchAlone = async () => {
    using thread = new WorldThread(options);
    while (next < from + count && (goesOn || broken.length === 0)) {
      const report = await thread.run(next++);
      if (report.breaches.length > 0) broken.push(report);
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, count) }, searchAlone));
  broken.sort((one, other) => one.seed - other.seed);
  return goesOn ? broken : broken.slice(0, 1);
}

/** A thread that runs one world at a time. */
class WorldThread implements Disposable {
  readonly #worker: Worker;
  readonly #worldMsMax: number;

  constructor({ worker = WORKER, worldMsMax = WORLD_MS_MAX }: Partial<SearchOptions>) {
    this.#worker = new Worker(worker, { type: "module" });
    this.#worldMsMax = worldMsMax;
  }

  async run(seed: number): Promise<WorldReport> {
    const { promise, resolve, reject } = Promise.withResolvers<WorldReport>();
    const fail = (why: string) => reject(new Error(`Cannot finish world ${seed}: ${why}`));
    const timer = setTimeout(() => fail("it hangs"), this.#worldMsMax);
    this.#worker.onmessage = ({ data }) => resolve(reportSchema.parse(data));
    this.#worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message);
    };
    this.#worker.postMessage(seed);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
