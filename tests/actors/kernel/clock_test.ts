import assert from "node:assert/strict";
import { systemClock } from "../../../actors/kernel/adapters/system_clock.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** The longest delay that the engine's timer takes. */
const ENGINE_MAX_MS = 2 ** 31 - 1;

/** Puts engine timers into a list, for as long as the returned value is held. */
function fakeEngineTimers() {
  const delays: number[] = [];
  const cleared: number[] = [];
  const callbacks: (() => void)[] = [];
  const original = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  const replace = (timers: Readonly<Record<keyof typeof original, unknown>>) => {
    for (const [name, value] of Object.entries(timers)) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  };
  replace({
    setTimeout: (callback: () => void, delayMs: number) => {
      callbacks.push(callback);
      return delays.push(delayMs);
    },
    clearTimeout: (id: number) => void cleared.push(id),
  });
  return {
    delays,
    cleared,
    fire: () => callbacks.at(-1)?.(),
    [Symbol.dispose]: () => replace(original),
  };
}

Deno.test("The system clock waits longer than the engine's timers can, in legs", () => {
  using engine = fakeEngineTimers();
  let fired = 0;
  systemClock.setTimer(2 * ENGINE_MAX_MS + 5, () => fired++);
  engine.fire();
  engine.fire();
  assert.equal(fired, 0);
  engine.fire();
  assert.equal(fired, 1);
  assert.deepEqual(engine.delays, [ENGINE_MAX_MS, ENGINE_MAX_MS, 5]);
});

Deno.test("A long timer can be cancelled in any of its legs", () => {
  using engine = fakeEngineTimers();
  const timer = systemClock.setTimer(2 * ENGINE_MAX_MS + 5, () => {});
  engine.fire();
  timer.cancel();
  assert.deepEqual(engine.cleared, [2]);
});

Deno.test("ManualClock fires in order of due time, then of setting, and never early", async () => {
  const clock = new ManualClock(0);
  const fired: string[] = [];
  clock.setTimer(20, () => fired.push(`late at ${clock.now()}`));
  clock.setTimer(10, () => fired.push(`first at ${clock.now()}`));
  clock.setTimer(10, () => fired.push(`second at ${clock.now()}`));
  await clock.advance(9);
  assert.deepEqual(fired, []);
  await clock.advance(11);
  assert.deepEqual(fired, ["first at 10", "second at 10", "late at 20"]);
});

Deno.test("ManualClock lets promises settle and timers be set between two timers", async () => {
  const clock = new ManualClock(0);
  const fired: string[] = [];
  clock.setTimer(10, () => {
    void Promise.resolve().then(() => clock.setTimer(5, () => fired.push(`at ${clock.now()}`)));
  });
  clock.setTimer(20, () => fired.push(`at ${clock.now()}`));
  await clock.advance(30);
  assert.deepEqual(fired, ["at 15", "at 20"]);
  assert.deepEqual([clock.now(), clock.pending, clock.nextDueMs], [30, 0, undefined]);
});
