import assert from "node:assert/strict";
import { isNotice } from "../../../actors/gateway/owner_notices.ts";
import type { SessionsReport } from "../../../actors/gateway/router.ts";
import { CoreBench } from "../../support/core_bench.ts";
import { settle, until } from "../../support/until.ts";
import { anInbound } from "../journal/fixtures.ts";

const DAY_MS = 24 * 3_600_000;

Deno.test("Core refuses while the disk is full, says why, and goes on by itself", async () => {
  await using bench = new CoreBench({ owners: ["probe:boss"] });
  await settle();
  assert.equal(await bench.probe.say("p1", "before"), "accepted");
  await bench.world.clock.advance(1);
  assert.deepEqual(bench.probe.textsOf("p1"), ["echo before"]);

  bench.isDiskFull = true;
  assert.equal(await bench.probe.say("p1", "lost?"), "refused");
  await bench.world.clock.advance(60_000);
  const ill = await bench.health();
  assert.deepEqual([ill.status, ill.reason], [
    "degraded",
    "Cannot commit: no space left on device",
  ]);

  bench.isDiskFull = false;
  await bench.world.clock.advance(60_000);
  assert.equal((await bench.health()).status, "ok");
  assert.equal(await bench.probe.say("p1", "after"), "accepted");
  await bench.world.clock.advance(1);
  assert.deepEqual(bench.probe.textsOf("p1"), ["echo before", "echo after"]);
  const told = bench.probe.delivered.filter(({ chatId }) => chatId === "boss");
  assert.equal(told.length, 1, "once, when it can be told");
  assert.match(told[0]?.text ?? "", /no space left on device/);
  assert.ok(told.every(isNotice));
});

Deno.test("Core ends a turn that the disk had no room for, once it has", async () => {
  await using bench = new CoreBench();
  await settle();
  await bench.journal.accept(anInbound({ channel: "probe" }));
  bench.isDiskFull = true;
  bench.core.router.tell({ type: "rescan" });
  await bench.world.clock.advance(120_000);
  assert.deepEqual(bench.probe.delivered, []);
  bench.isDiskFull = false;
  await bench.world.clock.advance(60_000);
  assert.deepEqual(bench.probe.textsOf("oc_1"), ["echo hello"]);
  assert.equal((await bench.journal.counts()).inbounds.done, 1);
});

/** A core that died while the platform had an answer to show and had not said so. */
async function diesInDoubt() {
  const { promise: never } = Promise.withResolvers<void>();
  await using bench = new CoreBench({ onDeliver: () => never });
  await settle();
  await bench.probe.say("p1", "hi");
  await bench.world.clock.advance(1);
  assert.deepEqual(bench.probe.textsOf("p1"), ["echo hi"]);
  const disk = bench.crash();
  await disk.clock.advance(DAY_MS);
  return disk;
}

Deno.test("Core looks for an answer in doubt at the platform when it starts again", async () => {
  await using bench = new CoreBench({ disk: await diesInDoubt(), found: "arrived" });
  await bench.world.clock.advance(1_000);
  assert.deepEqual(bench.probe.lookedUp.map(({ text }) => text), ["echo hi"]);
  assert.deepEqual(bench.probe.delivered, []);
  const { inbounds, outbounds } = await bench.journal.counts();
  assert.deepEqual([inbounds.done, outbounds.sent, outbounds.unknown], [1, 1, 0]);
});

Deno.test("Core marks an answer that it sends again without knowing", async () => {
  await using bench = new CoreBench({ disk: await diesInDoubt() });
  await bench.world.clock.advance(1_000);
  assert.equal(bench.probe.delivered.length, 1);
  const [delivery] = bench.probe.delivered;
  assert.equal(delivery?.text, "echo hi");
  assert.match(delivery?.notice ?? "", /may be a repetition/);
});

Deno.test("Core takes in what comes from inside once, and answers where it says", async () => {
  await using bench = new CoreBench();
  await settle();
  const job = anInbound({
    channel: "system",
    platformId: "cron:tea:1767225600000",
    sessionKey: "cron:tea",
    replyChannel: "probe",
    chatId: "p1",
    senderId: "cron",
    content: "make tea",
  });
  assert.equal((await bench.core.accept(job)).state, "accepted");
  assert.equal((await bench.core.accept(job)).state, "duplicate");
  await bench.world.clock.advance(1_000);
  assert.deepEqual(bench.probe.textsOf("p1"), ["echo make tea"]);
});

Deno.test("Core answers more chats than may be awake, and keeps no more awake", async () => {
  const chats = 1_200;
  await using bench = new CoreBench();
  await settle();
  await Promise.all(Array.from({ length: chats }, (_, n) => bench.probe.say(`p${n}`, `m${n}`)));
  let mostAwake = 0;
  const isDone = async () => {
    await bench.world.clock.advance(10);
    const { awake } = await bench.core.router.ask<SessionsReport>(
      (replyTo) => ({ type: "report_sessions", replyTo }),
      { timeoutMs: 1_000 },
    );
    mostAwake = Math.max(mostAwake, awake);
    return bench.probe.delivered.length >= chats;
  };
  await until(isDone, { what: "an answer to each", timeoutMs: 60_000 });
  assert.equal(mostAwake, 1_000);
  assert.equal(new Set(bench.probe.delivered.map(({ text }) => text)).size, chats);
  assert.equal((await bench.journal.counts()).inbounds.done, chats);
});
