import assert from "node:assert/strict";
import { Deadline } from "../../../actors/kernel/deadline.ts";
import { ManualClock } from "../../support/manual_clock.ts";

Deno.test("Deadline aborts with its reason when its time is over, and not before", async () => {
  const clock = new ManualClock();
  const reason = new Error("too slow");
  using deadline = new Deadline(clock, 1_000, { makeReason: () => reason });
  await clock.advance(999);
  assert.equal(deadline.signal.aborted, false);
  assert.equal(deadline.hasPassed, false);
  await clock.advance(1);
  assert.equal(deadline.signal.reason, reason);
  assert.equal(deadline.hasPassed, true);
});

Deno.test("Deadline aborts with an AbortError when it is given no reason", async () => {
  const clock = new ManualClock();
  using deadline = new Deadline(clock, 1_000);
  await clock.advance(1_000);
  assert.throws(() => deadline.signal.throwIfAborted(), { name: "AbortError" });
});

Deno.test("Deadline passes on the reason of the signal beside it, and has not passed", () => {
  const outer = new AbortController();
  using deadline = new Deadline(new ManualClock(), 1_000, { signal: outer.signal });
  outer.abort("stop");
  assert.equal(deadline.signal.reason, "stop");
  assert.equal(deadline.hasPassed, false);
});

Deno.test("Deadline that is disposed of leaves no timer, and hears nothing more", async () => {
  const clock = new ManualClock();
  const outer = new AbortController();
  const deadline = new Deadline(clock, 1_000, { signal: outer.signal });
  deadline[Symbol.dispose]();
  assert.equal(clock.pending, 0);
  outer.abort("stop");
  await clock.advance(1_000);
  assert.equal(deadline.signal.aborted, false);
});
