import assert from "node:assert/strict";
import { SessionBench } from "../../support/session_bench.ts";
import { until } from "../../support/until.ts";

Deno.test("Session whose file may not be read ends what waits, with the reason", async () => {
  await using bench = new SessionBench();
  bench.files.fault = () => {
    throw new Deno.errors.PermissionDenied("Permission denied (os error 13)");
  };
  const { seq } = await bench.accept("hello?");
  await bench.accept("/status");
  await bench.world.clock.advance(1_000);
  await until(async () => (await bench.journal.counts()).inbounds.accepted === 0);
  const { inbounds } = await bench.journal.counts();
  assert.deepEqual([inbounds.accepted, inbounds.failed], [0, 2]);
  const [first, second] = bench.rows();
  assert.match(first?.content ?? "", /error.*cannot be read.*Permission denied/);
  assert.deepEqual(first?.settles.map(({ outcome }) => outcome), ["failed"]);
  assert.ok(second !== undefined && seq > 0);
});

Deno.test("Session goes on when its file can be read again", async () => {
  await using bench = new SessionBench({ script: ["hello!"] });
  let isLocked = true;
  bench.files.fault = () => {
    if (isLocked) throw new Deno.errors.PermissionDenied("Permission denied (os error 13)");
  };
  await bench.accept("first");
  await bench.world.clock.advance(1_000);
  await until(async () => (await bench.journal.counts()).inbounds.accepted === 0);
  isLocked = false;
  await bench.say("second");
  await bench.world.clock.advance(60_000);
  await until(() => bench.replies().includes("hello!"));
  const { failed, done } = (await bench.journal.counts()).inbounds;
  assert.deepEqual({ failed, done }, { failed: 1, done: 1 });
});

Deno.test("Session leaves what waits alone while its disk only fails for now", async () => {
  await using bench = new SessionBench({ script: ["hello!"] });
  let failures = 0;
  bench.files.fault = () => {
    if (++failures <= 2) throw new Error("Input/output error (os error 5)");
  };
  await bench.say("hello?");
  await bench.world.clock.advance(60_000);
  await until(() => bench.replies().includes("hello!"));
  assert.equal((await bench.journal.counts()).inbounds.failed, 0);
});
