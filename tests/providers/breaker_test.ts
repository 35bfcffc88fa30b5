import assert from "node:assert/strict";
import fc from "fast-check";
import { CandidateBreaker } from "../../providers/breaker.ts";
import { ManualClock } from "../support/manual_clock.ts";

const OPEN_MS = 60_000;

function failOften(breaker: CandidateBreaker, candidate: number, times = 3): void {
  for (let count = 0; count < times; count++) breaker.failed(candidate);
}

Deno.test("CandidateBreaker keeps the order while failures are few", () => {
  const breaker = new CandidateBreaker(new ManualClock(), 3);
  failOften(breaker, 0, 2);
  assert.deepEqual(breaker.order(), [0, 1, 2]);
});

Deno.test("CandidateBreaker puts a candidate last after three failures in a row", () => {
  const breaker = new CandidateBreaker(new ManualClock(), 3);
  failOften(breaker, 0);
  assert.deepEqual(breaker.order(), [1, 2, 0]);
});

Deno.test("CandidateBreaker forgets failures with an answer", () => {
  const breaker = new CandidateBreaker(new ManualClock(), 2);
  failOften(breaker, 0);
  breaker.succeeded(0);
  failOften(breaker, 0, 2);
  assert.deepEqual(breaker.order(), [0, 1]);
});

Deno.test("CandidateBreaker lets one call see after a minute, the others go on as before", async () => {
  const clock = new ManualClock();
  const breaker = new CandidateBreaker(clock, 2);
  failOften(breaker, 0);
  await clock.advance(OPEN_MS - 1);
  assert.deepEqual(breaker.order(), [1, 0]);
  await clock.advance(1);
  assert.deepEqual(breaker.order(), [0, 1], "the probe");
  assert.deepEqual(breaker.order(), [1, 0]);
  await clock.advance(OPEN_MS);
  assert.deepEqual(breaker.order(), [0, 1], "the probe after one that never came back");
});

Deno.test("CandidateBreaker never leaves anybody out, whatever happens", async () => {
  const step = fc.record({
    candidate: fc.nat({ max: 3 }),
    what: fc.constantFrom("failed", "succeeded", "later"),
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step), async (count, steps) => {
      const clock = new ManualClock();
      const breaker = new CandidateBreaker(clock, count);
      for (const { candidate, what } of steps) {
        if (what === "failed") breaker.failed(candidate % count);
        else if (what === "succeeded") breaker.succeeded(candidate % count);
        else await clock.advance(OPEN_MS / 2);
        assert.deepEqual(breaker.order().toSorted(), [0, 1, 2, 3].slice(0, count));
      }
    }),
    { numRuns: 50 },
  );
});
