import assert from "node:assert/strict";
import { FairScheduler } from "../../../actors/kernel/scheduler.ts";

/** A loop that turns when the test says so. */
function handTurnedLoop() {
  const turns: (() => void)[] = [];
  return {
    defer: (callback: () => void) => void turns.push(callback),
    turn: () => turns.shift()?.(),
    get waiting() {
      return turns.length;
    },
  };
}

Deno.test("FairScheduler runs nothing inside schedule, and all in turn after it", async () => {
  const scheduler = new FairScheduler(handTurnedLoop().defer);
  const ran: string[] = [];
  const runnable = (name: string, batches: number) => ({
    run: () => ran.push(name) > 0 && --batches > 0,
  });
  scheduler.schedule(runnable("a", 2));
  scheduler.schedule(runnable("b", 1));
  assert.deepEqual(ran, []);
  await Promise.resolve();
  assert.deepEqual(ran, ["a", "b", "a"]);
});

Deno.test("FairScheduler lets the event loop turn during a storm", async () => {
  const loop = handTurnedLoop();
  const scheduler = new FairScheduler(loop.defer);
  let batches = 0;
  scheduler.schedule({ run: () => ++batches < 600 });
  await Promise.resolve();
  assert.equal(batches, 256);
  loop.turn();
  assert.equal(batches, 512);
  loop.turn();
  assert.equal(batches, 600);
  assert.equal(loop.waiting, 0);
});

Deno.test("FairScheduler lets the loop turn also when batches come one by one", async () => {
  const loop = handTurnedLoop();
  const scheduler = new FairScheduler(loop.defer);
  let batches = 0;
  const once = {
    run: () => {
      batches++;
      queueMicrotask(() => scheduler.schedule(once)); // as an actor that asks in a circle does
      return false;
    },
  };
  scheduler.schedule(once);
  for (let microtask = 0; microtask < 5_000; microtask++) await Promise.resolve();
  assert.equal(batches, 256);
  assert.equal(loop.waiting, 1);
});

Deno.test("FairScheduler keeps everyone's place across a turn of the loop", async () => {
  const loop = handTurnedLoop();
  const scheduler = new FairScheduler(loop.defer);
  const ran = new Set<number>();
  for (let id = 0; id < 300; id++) {
    scheduler.schedule({ run: () => ran.size === ran.add(id).size });
  }
  await Promise.resolve();
  assert.equal(ran.size, 256);
  loop.turn();
  assert.equal(ran.size, 300);
});
