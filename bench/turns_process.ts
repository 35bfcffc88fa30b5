/**
 * Runs turns in a process of its own and prints, as JSON, the heap that stays in use before and
 * after them; run with `--v8-flags=--expose-gc` and the number of turns.
 * @module
 */

import { House } from "./house.ts";

const WARM_UP_TURNS = 2_000;
const CHATS = 8;
/** Then the chat is left, and its session falls asleep, as it does after 10 idle minutes. */
const TURNS_PER_CHAT = 25;
const IDLE_MS = 20;

async function runTurns(house: House, name: string, turns: number): Promise<void> {
  await Promise.all(Array.from({ length: CHATS }, async (_, lane) => {
    for (let turn = 0; turn < turns / CHATS; turn++) {
      await house.turn(`${name}_${lane}_${Math.floor(turn / TURNS_PER_CHAT)}`);
    }
  }));
}

/** Bytes in use after all sessions fell asleep and all garbage went. */
async function settled(house: House): Promise<{ readonly heap: number; readonly rss: number }> {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("Cannot measure: run with --v8-flags=--expose-gc");
  const { rss } = Deno.memoryUsage();
  await new Promise((resolve) => setTimeout(resolve, 10 * IDLE_MS));
  house.forget();
  for (let round = 0; round < 3; round++) gc();
  return { heap: Deno.memoryUsage().heapUsed, rss };
}

if (import.meta.main) {
  await using house = await House.open({ idleMs: IDLE_MS });
  await runTurns(house, "warm", WARM_UP_TURNS);
  const before = await settled(house);
  await runTurns(house, "chat", Number(Deno.args[0]));
  const after = await settled(house);
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify({ before, after })}\n`));
}
