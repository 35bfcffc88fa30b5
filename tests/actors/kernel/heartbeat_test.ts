import assert from "node:assert/strict";
import { Heartbeat } from "../../../actors/kernel/heartbeat.ts";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** A heartbeat every second that gives up after two misses. */
function makeHeartbeat(clock: Clock, nextTurn: (callback: () => void) => void = (run) => run()) {
  let beats = 0;
  let silences = 0;
  const heartbeat = new Heartbeat({
    clock,
    nextTurn,
    everyMs: 1_000,
    missesMax: 2,
    beat: () => beats++,
    onSilent: () => silences++,
  });
  return { heartbeat, beats: () => beats, silences: () => silences };
}

Deno.test("Heartbeat beats at once and then at its pace while it is answered", async () => {
  const clock = new ManualClock();
  const { heartbeat, beats, silences } = makeHeartbeat(clock);
  heartbeat.start();
  assert.equal(beats(), 1);
  for (let second = 0; second < 5; second++) {
    heartbeat.heard();
    await clock.advance(1_000);
  }
  assert.deepEqual([beats(), silences()], [6, 0]);
  heartbeat.stop();
  assert.equal(clock.pending, 0);
});

Deno.test("Heartbeat reports silence once, after the misses it allows", async () => {
  const clock = new ManualClock();
  const { heartbeat, beats, silences } = makeHeartbeat(clock);
  heartbeat.start();
  await clock.advance(1_999);
  assert.equal(silences(), 0);
  await clock.advance(1);
  assert.equal(silences(), 1);
  await clock.advance(10_000);
  assert.deepEqual([beats(), silences(), clock.pending], [2, 1, 0]);
});

Deno.test("Heartbeat forgives a miss that is followed by a sign of life", async () => {
  const clock = new ManualClock();
  const { heartbeat, silences } = makeHeartbeat(clock);
  heartbeat.start();
  for (let round = 0; round < 3; round++) {
    await clock.advance(1_000);
    heartbeat.heard();
    await clock.advance(1_000);
  }
  assert.equal(silences(), 0);
  heartbeat.stop();
});

Deno.test("Heartbeat judges only after the loop has turned", async () => {
  const clock = new ManualClock();
  const turns: (() => void)[] = [];
  const { heartbeat, silences } = makeHeartbeat(clock, (run) => void turns.push(run));
  heartbeat.start();
  for (let second = 0; second < 5; second++) {
    await clock.advance(1_000);
    turns.shift()?.();
    heartbeat.heard(); // read from the port after the timer fired
    turns.shift()?.();
  }
  assert.equal(silences(), 0);
  heartbeat.stop();
});

Deno.test("Heartbeat does not blame the other side when its own thread was blocked", async () => {
  const clock = new ManualClock();
  let blockedMs = 0;
  const late: Clock = {
    now: () => clock.now() + blockedMs,
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
  };
  const { heartbeat, silences } = makeHeartbeat(late);
  heartbeat.start();
  for (let second = 0; second < 5; second++) {
    blockedMs += 600;
    await clock.advance(1_000);
  }
  assert.equal(silences(), 0);
  await clock.advance(2_000);
  assert.equal(silences(), 1);
});

Deno.test("Heartbeat that was stopped does not start again", () => {
  const clock = new ManualClock();
  const { heartbeat, beats } = makeHeartbeat(clock);
  heartbeat.stop();
  heartbeat.start();
  assert.deepEqual([beats(), clock.pending], [0, 0]);
});
