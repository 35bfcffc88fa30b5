import assert from "node:assert/strict";
import { RestartPolicy } from "../../../actors/kernel/supervision.ts";

/** Chance without jitter: the middle of its range. */
const middle = { next: () => 0.5 };

function delays(policy: RestartPolicy, atMs: readonly number[]): (number | string)[] {
  return atMs.map((nowMs) => {
    const verdict = policy.onFailure(nowMs);
    return verdict.type === "restart" ? verdict.delayMs : verdict.type;
  });
}

Deno.test("RestartPolicy doubles the delay up to its maximum", () => {
  const policy = new RestartPolicy({ backoffMinMs: 100, backoffMaxMs: 500 }, middle);
  assert.deepEqual(delays(policy, [0, 1, 2, 3, 4]), [100, 200, 400, 500, 500]);
});

Deno.test("RestartPolicy allows so many restarts within a period, then stops", () => {
  const policy = new RestartPolicy({ restartsMax: 2, withinMs: 1_000 }, middle);
  assert.deepEqual(delays(policy, [0, 10, 20]), [100, 200, "stop"]);
});

Deno.test("RestartPolicy forgets restarts that are long past", () => {
  const policy = new RestartPolicy({ restartsMax: 2, withinMs: 1_000 }, middle);
  assert.deepEqual(delays(policy, [0, 500, 1_000, 1_500]), [100, 200, 200, 200]);
});

Deno.test("RestartPolicy escalates past the allowance when told to", () => {
  const policy = new RestartPolicy({ restartsMax: 0, beyond: "escalate" }, middle);
  assert.deepEqual(delays(policy, [0]), ["escalate"]);
});

Deno.test("RestartPolicy never restarts what is not to be restarted", () => {
  const policy = new RestartPolicy({ restart: "never", beyond: "escalate" }, middle);
  assert.deepEqual(delays(policy, [0]), ["stop"]);
});

Deno.test.each([[0, 80], [0.999999, 120]])(
  "RestartPolicy spreads a delay of 100 ms under chance %s to %s ms",
  (chance, delayMs) => {
    assert.deepEqual(delays(new RestartPolicy({}, { next: () => chance }), [0]), [delayMs]);
  },
);
