import assert from "node:assert/strict";
import { SYSTEM_CHANNEL } from "../../../actors/journal/journal.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { settle, until } from "../../support/until.ts";

const DUE = { channel: SYSTEM_CHANNEL, platformId: "cron:job1:1767225600000" };

Deno.test("Session answers what comes from inside in the chat that it names", async () => {
  await using bench = new SessionBench({ script: ["Time to water the plants."] });
  await bench.say("Remind me", {
    ...DUE,
    replyChannel: "telegram",
    chatId: "42",
    wantsStream: true,
  });
  await bench.quiet();
  assert.deepEqual(bench.replies("telegram"), ["Time to water the plants."]);
  assert.deepEqual(
    bench.rows("telegram").map(({ state, chatId, settles }) => [state, chatId, settles]),
    [
      ["open", "42", []],
      ["pending", "42", []],
    ],
  );
  const [system, ...rest] = bench.provider.requests[0]?.messages ?? [];
  assert.equal(system?.content, "You talk on telegram.");
  assert.match(JSON.stringify(rest), /Channel: telegram/);
});

Deno.test("Session keeps an answer to itself that goes nowhere", async () => {
  await using bench = new SessionBench({ script: ["All quiet."] });
  await bench.say("Look at the heartbeat file", { ...DUE, wantsStream: true });
  await bench.quiet();
  assert.deepEqual(bench.journal.rows().outbounds, []);
  assert.deepEqual(bench.story(), ["user Look at the heartbeat file", "assistant All quiet."]);
});

Deno.test("Session takes nothing that comes from inside for a command", async () => {
  await using bench = new SessionBench({ script: ["No."] });
  await bench.say("/new", DUE);
  await bench.quiet();
  assert.deepEqual(bench.story(), ["user /new", "assistant No."]);
});

Deno.test("Session does not let what comes from inside join a turn of people", async () => {
  const gate = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "wait" }] }, "for the person", "for the job"],
    tools: { wait: { run: () => gate.promise } },
  });
  await bench.say("hi");
  await until(() => bench.ran.length === 1);
  await bench.say("Due now", { ...DUE, replyChannel: "feishu" });
  await settle();
  gate.resolve("ok");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["for the person", "for the job"]);
});

Deno.test("Session stops, on request, what came from inside and goes nowhere", async () => {
  await using bench = new SessionBench({
    script: [{ text: "never", after: new Promise(() => {}) }],
  });
  await bench.say("Think about it", DUE);
  await until(() => bench.provider.running === 1);
  await bench.say("/stop");
  await bench.quiet();
  const { inbounds } = await bench.journal.counts();
  assert.deepEqual([inbounds.stopped, inbounds.done], [1, 1]);
  assert.equal(bench.journal.rows().outbounds.length, 1);
});
