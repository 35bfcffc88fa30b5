/**
 * Prints the bytes of heap that an idle actor takes; run with `--v8-flags=--expose-gc`.
 * @module
 */

import type { ActorDefinition } from "../actors/kernel/actor.ts";
import { benchSystem } from "./bench_system.ts";

const ACTORS = 100_000;

/** An actor with one field of state. */
class Idle {
  #handled = 0;

  receive(): void {
    this.#handled++;
  }
}

function idleActor(index: number): ActorDefinition<string> {
  return { name: `session${index}`, create: () => new Idle() };
}

/** Heap in use after a full collection. */
function usedBytes(): number {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("Cannot measure: run with --v8-flags=--expose-gc");
  gc();
  gc();
  return Deno.memoryUsage().heapUsed;
}

const system = benchSystem();
system.spawn(idleActor(0));
const refs = new Array<unknown>(ACTORS);
const beforeBytes = usedBytes();
for (let index = 1; index <= ACTORS; index++) refs[index - 1] = system.spawn(idleActor(index));
const afterBytes = usedBytes();
await Deno.stdout.write(
  new TextEncoder().encode(`${Math.round((afterBytes - beforeBytes) / refs.length)}\n`),
);
await system[Symbol.asyncDispose]();
