import assert from "node:assert/strict";
import { brokenLaws } from "./laws.ts";
import { runWorld } from "./world.ts";

/** As many as fit into the time of a test run; `deno task simulate --seeds` runs more. */
const SEEDS = 50;

Deno.test("The gateway breaks no law, whatever dies, fails, doubles or comes late", async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const breaches = brokenLaws(await runWorld(seed));
    assert.deepEqual(breaches, [], `deno task simulate --seed ${seed}`);
  }
});

Deno.test.each([1, 2, 3, 44, 193])("World %s happens again byte for byte", async (seed) => {
  const first = await runWorld(seed);
  const second = await runWorld(seed);
  assert.equal(second.log.text(), first.log.text());
});

Deno.test("Worlds of different seeds differ, and much happens in them", async () => {
  const texts = new Set<string>();
  let all = "";
  for (let seed = 1; seed <= 30; seed++) {
    const { log } = await runWorld(seed);
    texts.add(log.text());
    all += log.text();
  }
  assert.equal(texts.size, 30);
  const missing = HAPPENINGS.filter((happening) => !happening.test(all));
  assert.deepEqual(missing, []);
});

/** What a world that finds faults must have in it. */
const HAPPENINGS = [
  /the process dies/,
  /the power dies/,
  /the gateway stops in good order/,
  /connection lost/,
  /commit fails/,
  /disk +fails to append/,
  /disk +cut /,
  /inbound \d+ p\d+ stopped/,
  /inbound \d+ p\d+ failed/,
  /attempt 2/,
  /outbound .* failed/,
  /growing "Answer/,
  /was interrupted before it finished/,
  /asks \(\d+\): stalled/,
  /the channel broke/,
];
