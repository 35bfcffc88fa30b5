import assert from "node:assert/strict";
import type { NewInbound } from "../../../actors/journal/journal.ts";
import { CoreBench } from "../../support/core_bench.ts";
import { settle } from "../../support/until.ts";
import { anInbound } from "../journal/fixtures.ts";

/** What people wrote to a gateway that died before it did any of it: `s0`, `s1` and so on. */
async function leftBehind(count: number, last: Partial<NewInbound> = {}) {
  await using bench = new CoreBench();
  await settle();
  const names = Array.from({ length: count }, (_, n) => `s${n}`);
  const left = [];
  for (const [n, name] of names.entries()) {
    const inbound = anInbound({
      ...{ channel: "probe", platformId: `left ${n}`, sessionKey: `probe:${name}` },
      ...{ chatId: name, senderId: name, content: "hi", ...(n === count - 1 && last) },
    });
    const taken = await bench.journal.accept(inbound);
    assert.ok(taken.state === "accepted");
    left.push(taken.inbound);
  }
  return { disk: bench.crash(), left };
}

Deno.test("Core does a command that was left before one that comes while its session wakes", async () => {
  const { disk } = await leftBehind(10, { content: "/goal Sort the letters" });
  await using bench = new CoreBench({ disk, script: () => "more to do" });
  await settle();
  assert.equal(await bench.probe.say("s9", "/goal stop", "probe:s9"), "accepted");
  await bench.world.clock.advance(60_000);
  assert.match(bench.probe.textsOf("s9")[0] ?? "", /goal is set/);
});

Deno.test("Core answers no message that was taken back before its session woke", async () => {
  const { disk, left } = await leftBehind(300);
  await using bench = new CoreBench({ disk });
  await settle();
  const [last] = left.slice(-1);
  assert.ok(last !== undefined);
  bench.core.router.tell({ type: "inbound_withdrawn", inbound: last });
  await bench.world.clock.advance(60_000);
  assert.deepEqual(bench.probe.textsOf("s298"), ["echo hi"]);
  assert.deepEqual(bench.probe.textsOf("s299"), []);
});

Deno.test("Core goes on with what waits behind a draft that the owner drops", async () => {
  const { disk, left: [draft] } = await leftBehind(1, { draft: { type: "audio" } });
  await using bench = new CoreBench({ disk });
  await settle();
  await bench.probe.say("s0", "behind it", "probe:s0");
  await bench.world.clock.advance(1_000);
  assert.deepEqual(bench.probe.textsOf("s0"), []);
  const acted = await bench.journal.drop({ kind: "inbound", number: draft?.seq ?? 0 });
  assert.ok(acted !== null);
  bench.core.rowChanged(acted);
  await bench.world.clock.advance(60_000);
  assert.deepEqual(bench.probe.textsOf("s0"), ["echo behind it"]);
});
