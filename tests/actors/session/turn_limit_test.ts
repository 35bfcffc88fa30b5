import assert from "node:assert/strict";
import { SYSTEM_CHANNEL } from "../../../actors/journal/journal.ts";
import { UNASKED_TURN_MINUTES } from "../../../actors/session/turn_limit.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { settle, until } from "../../support/until.ts";

const LIMIT_MS = UNASKED_TURN_MINUTES * 60_000;
const DUE = { channel: SYSTEM_CHANNEL, platformId: "cron:job1:1767225600000" };
const HANGING = { calls: [{ name: "hang" }] };
const hang = { run: () => new Promise<string>(() => {}) };

Deno.test.each(
  [
    ["cron:job1:1", [/took longer than the 30 minutes.*had used no tool/]],
    ["heartbeat:1", []],
  ] as const,
)("A turn of %s that hangs in a tool is ended in time", async (platformId, told) => {
  await using bench = new SessionBench({
    script: [HANGING, "next"],
    tools: { hang },
    services: {
      heartbeat: {
        sessionKey: platformId === "heartbeat:1" ? "feishu:oc_1" : "heartbeat",
        recentMessagesMax: 9,
        isWorthTelling: () => Promise.resolve(true),
        tell: () => assert.fail("what failed is told to nobody"),
      },
    },
  });
  const inbound = await bench.say("Due now", { ...DUE, platformId, replyChannel: "feishu" });
  await until(() => bench.ran.length === 1);
  await bench.world.clock.advance(LIMIT_MS - 1);
  await settle();
  assert.equal((await bench.journal.inbound(SYSTEM_CHANNEL, platformId))?.state, "running");
  await bench.world.clock.advance(1);
  await bench.quiet();
  assert.equal(bench.replies().length, told.length);
  for (const [index, pattern] of told.entries()) {
    assert.match(bench.replies()[index] ?? "nothing", pattern);
  }
  const ended = await bench.journal.inbound(SYSTEM_CHANNEL, inbound.platformId);
  assert.equal(ended?.state, "failed");
  assert.match(
    bench.story().join("\n"),
    /hang .*\ntool .*interrupted.*\nassistant This took longer/,
  );
  // What comes after it has its turn.
  await bench.say("hello");
  await bench.quiet();
  assert.equal(bench.replies().at(-1), "next");
});

Deno.test("A turn of a person has all the time it takes", async () => {
  const gate = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: [HANGING, "done"],
    tools: { hang: { run: () => gate.promise } },
  });
  await bench.say("hi");
  await until(() => bench.ran.length === 1);
  await bench.world.clock.advance(2 * LIMIT_MS);
  gate.resolve("ok");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["done"]);
});

Deno.test("A turn of a job that ends in time leaves no timer", async () => {
  await using bench = new SessionBench({ script: ["done"] });
  await bench.say("Due now", { ...DUE, replyChannel: "feishu" });
  await bench.quiet();
  await bench.world.clock.advance(2 * LIMIT_MS);
  await settle();
  assert.deepEqual(bench.replies(), ["done"]);
});
