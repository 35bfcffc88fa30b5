import assert from "node:assert/strict";
import { preloadSoon } from "../../../actors/gateway/preload.ts";
import { ManualClock } from "../../support/manual_clock.ts";

Deno.test("preloadSoon loads when the start is over, and once", async () => {
  const clock = new ManualClock();
  let loads = 0;
  using _ = preloadSoon(() => Promise.resolve(void loads++), clock);
  assert.equal(loads, 0);
  await clock.advance(60_000);
  assert.equal(loads, 1);
});

Deno.test("preloadSoon loads nothing for a gateway that has stopped", async () => {
  const clock = new ManualClock();
  let loads = 0;
  preloadSoon(() => Promise.resolve(void loads++), clock)[Symbol.dispose]();
  await clock.advance(60_000);
  assert.equal(loads, 0);
  assert.equal(clock.pending, 0);
});

Deno.test("preloadSoon leaves a failure to the first call, which tells it", async () => {
  const clock = new ManualClock();
  using _ = preloadSoon(() => Promise.reject(new TypeError("no such module")), clock);
  await clock.advance(60_000); // An unhandled rejection would fail this test.
});
