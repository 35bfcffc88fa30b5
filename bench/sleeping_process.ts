/**
 * Has many conversations of one turn each fall asleep, in a process of its own, and prints the
 * bytes of heap that one of them keeps; run with `--v8-flags=--expose-gc` and their number.
 * @module
 */

import { House } from "./house.ts";

const LANES = 8;
const WARM_UP_SESSIONS = 2_000;
/** Production waits 10 minutes. */
const IDLE_MS = 20;
/** By then all are asleep, and what they left in the background is done. */
const SETTLE_MS = 2_000;

async function sleepers(house: House, name: string, sessions: number): Promise<void> {
  await Promise.all(Array.from({ length: LANES }, async (_, lane) => {
    for (let chat = lane; chat < sessions; chat += LANES) await house.turn(`${name}_${chat}`);
  }));
}

/** Bytes in use after all fell asleep and all garbage went. */
async function settledBytes(house: House): Promise<number> {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("Cannot measure: run with --v8-flags=--expose-gc");
  house.forget();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  for (let round = 0; round < 3; round++) gc();
  return Deno.memoryUsage().heapUsed;
}

if (import.meta.main) {
  const sessions = Number(Deno.args[0]);
  await using house = await House.open({ idleMs: IDLE_MS });
  await sleepers(house, "warm", WARM_UP_SESSIONS);
  const beforeBytes = await settledBytes(house);
  await sleepers(house, "asleep", sessions);
  const kept = (await settledBytes(house) - beforeBytes) / sessions;
  await Deno.stdout.write(new TextEncoder().encode(`${Math.max(0, kept).toFixed(1)}\n`));
}
