import assert from "node:assert/strict";
import { brokenLaws } from "./laws.ts";
import { runWorld } from "./world.ts";

/** As many as fit into the time of a test run; `deno task simulate --seeds` runs more. */
const SEEDS = 50;
/** Fewer would prove nothing: some hundred and fifty can be. */
const REPLAYED_TURNS_MIN = 80;

/** All that happened in those worlds. */
const texts = new Map<number, string>();

/** What worlds that find faults must have in them. */
const HAPPENINGS = [
  /the process dies/,
  /the power dies/,
  /the gateway stops in good order/,
  /connection lost/,
  /commit fails/,
  /disk +fails to append/,
  /disk +cut /,
  /memory +cut /,
  /memory +fails to append/,
  /Dream ended: done/,
  /Dream ended: failed/,
  /inbound \d+ p\d+ stopped/,
  /inbound \d+ p\d+ failed/,
  /is taken back/,
  /attempt 2/,
  /outbound .* failed/,
  /outbound .* may repeat/,
  /looks up .*: absent/,
  /growing "Answer/,
  /was interrupted before it finished/,
  /asks \(\d+\): stalled/,
  /the channel broke/,
  /restarts: Failed after a message/,
  /is forgotten/,
  /cron:job1:\d+ done/,
  /are paused by hand/,
];

Deno.test("The gateway breaks no law, whatever dies, fails, doubles or comes late", async () => {
  let replayedTurns = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const world = await runWorld(seed);
    for (const report of world.record.replays.values()) {
      if (report.state === "identical") replayedTurns += report.turns;
    }
    texts.set(seed, world.log.text());
    assert.deepEqual(brokenLaws(world), [], `deno task simulate --seed ${seed}`);
  }
  const missing = HAPPENINGS.filter((happening) => {
    return ![...texts.values()].some((text) => happening.test(text));
  });
  assert.deepEqual(missing, [], "enough happens in these worlds");
  assert.ok(replayedTurns >= REPLAYED_TURNS_MIN, `${replayedTurns} turns were replayed`);
});

Deno.test.each([1, 2, 3, 44, 193])("World %s happens again byte for byte", async (seed) => {
  const first = await runWorld(seed);
  const second = await runWorld(seed);
  assert.ok(first.log.lines.length > 10);
  assert.equal(second.log.text(), first.log.text());
});

Deno.test("Worlds of different seeds differ", async () => {
  const [first, second] = [await runWorld(1), await runWorld(2)];
  assert.notEqual(second.log.text(), first.log.text());
});
