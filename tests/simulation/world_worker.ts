/**
 * Runs the worlds of the seeds that it is sent, one at a time, in a thread of its own.
 * @module
 */

import { z } from "zod";
import { brokenLaws } from "./laws.ts";
import { runWorld } from "./world.ts";

/** What a thread says of a seed. */
export interface WorldReport {
  readonly seed: number;
  /** The laws that the seed's world broke, a sentence each. */
  readonly breaches: readonly string[];
}

/** What a Worker's global scope has that the main thread's has not. */
interface ThreadScope {
  postMessage(report: WorldReport): void;
}

const scope: unknown = globalThis;
const seedSchema = z.number().int();

// Worlds throw errors by the thousand, and nobody reads where from.
Error.stackTraceLimit = 0;

globalThis.addEventListener("message", async (event) => {
  if (!(event instanceof MessageEvent) || !isThread(scope)) return;
  const seed = seedSchema.parse(event.data);
  scope.postMessage({ seed, breaches: brokenLaws(await runWorld(seed)) });
});

function isThread(value: unknown): value is ThreadScope {
  return typeof value === "object" && value !== null && "postMessage" in value;
}
