import assert from "node:assert/strict";
import { gateActor, type GateReport } from "../../../actors/gateway/gate.ts";
import type { ScriptedAnswer } from "../../support/scripted_provider.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { testSystem } from "../../support/system.ts";
import { until } from "../../support/until.ts";

/** Chats at one gate, each with a model call that takes until the test ends it. */
function crowd(count: number, permitsMax: number) {
  const world = testSystem();
  const gate = world.system.spawn(gateActor(permitsMax));
  const ends: PromiseWithResolvers<void>[] = [];
  const benches = Array.from({ length: count }, (_, index) => {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    const answer: ScriptedAnswer = { text: `answer ${index}`, after: end.promise };
    return new SessionBench({
      sessionKey: `feishu:oc_${index}`,
      script: () => answer,
      services: { gate },
    });
  });
  const report = () =>
    gate.ask<GateReport>((replyTo) => ({ type: "report_permits", replyTo }), { timeoutMs: 1_000 });
  return {
    benches,
    ends,
    report,
    /** The chats whose model calls run now. */
    running: () => benches.flatMap(({ provider }, index) => provider.running > 0 ? [index] : []),
    async [Symbol.asyncDispose]() {
      for (const bench of benches) await bench[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

Deno.test("Sessions run no more turns at once than there are permits, first come first served", async () => {
  await using chats = crowd(5, 3);
  for (const [index, bench] of chats.benches.entries()) {
    await bench.say("hi");
    await until(async () => {
      const { held, waiting } = await chats.report();
      return held + waiting === index + 1;
    });
  }
  await until(() => chats.running().length === 3);
  assert.deepEqual(chats.running(), [0, 1, 2]);
  chats.ends[1]?.resolve();
  await until(() => chats.running().includes(3));
  assert.deepEqual(chats.running(), [0, 2, 3]);
  for (const end of chats.ends) end.resolve();
  for (const bench of chats.benches) await bench.quiet();
  await until(async () => (await chats.report()).held === 0);
});

Deno.test("Session that is stopped on request, or dies, gives its permit to the next", async () => {
  await using chats = crowd(3, 1);
  for (const [index, bench] of chats.benches.entries()) {
    await bench.say("hi");
    await until(async () => (await chats.report()).waiting === index);
  }
  await until(() => chats.running().length === 1);
  const [first, second, third] = chats.benches;
  await first?.say("/stop");
  await until(() => chats.running()[0] === 1);
  await second?.[Symbol.asyncDispose]();
  await until(() => chats.running()[0] === 2);
  chats.ends[2]?.resolve();
  await third?.quiet();
  assert.deepEqual(third?.replies(), ["answer 2"]);
});
