import assert from "node:assert/strict";
import { SessionBench } from "../../support/session_bench.ts";
import { settle, until } from "../../support/until.ts";

/** What the channel was told of waiting messages, as `m1 waits`, `m1 begins`. */
function told(bench: SessionBench, channel = "feishu"): readonly string[] {
  return (bench.outboxes.get(channel)?.received ?? []).flatMap((message) => {
    if (message.type !== "inbound_waits") return [];
    const id = message.platformId.replace(/^w\d+-/, "");
    return [`${id} ${message.isWaiting ? "waits" : "begins"}`];
  });
}

Deno.test("Session says nothing of waiting when a message begins at once", async () => {
  await using bench = new SessionBench({ script: ["hello", "again"] });
  await bench.say("one");
  await bench.quiet();
  await bench.say("two");
  await bench.quiet();
  assert.deepEqual(told(bench), []);
});

Deno.test("Session tells that messages wait while all permits are out, and when each begins", async () => {
  const answered = Promise.withResolvers<void>();
  await using bench = new SessionBench({
    script: [{ text: "1", after: answered.promise }, "2"],
    grantsPermits: false,
  });
  await bench.say("one");
  await until(() => bench.gate.received.length === 1);
  assert.deepEqual(told(bench), [], "a free permit comes at once");
  const [request] = bench.gate.received;
  assert.equal(request?.type, "request_permit");
  bench.session.tell({ type: "permit_delayed", requestId: request.requestId });
  await settle();
  assert.deepEqual(told(bench), ["m1 waits"]);
  await bench.say("two", { chatId: "oc_2" });
  await settle();
  assert.deepEqual(told(bench), ["m1 waits", "m2 waits"]);
  bench.grant();
  await until(() => bench.provider.requests.length === 1);
  assert.deepEqual(told(bench), ["m1 waits", "m2 waits", "m1 begins"]);
  answered.resolve();
  await until(() => bench.gate.received.filter(({ type }) => type === "request_permit").length > 1);
  bench.grant();
  await bench.quiet();
  assert.deepEqual(told(bench), ["m1 waits", "m2 waits", "m1 begins", "m2 begins"]);
  assert.deepEqual(bench.replies(), ["1", "2"]);
});

Deno.test("Session tells that a follow-up waits until it joins the turn", async () => {
  const ran = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "slow" }] }, "both"],
    tools: { slow: { run: () => ran.promise } },
  });
  await bench.say("one");
  await until(() => bench.ran.length === 1);
  await bench.say("two");
  await until(() => told(bench).length === 1);
  assert.deepEqual(told(bench), ["m2 waits"]);
  ran.resolve("x");
  await bench.quiet();
  assert.deepEqual(told(bench), ["m2 waits", "m2 begins"]);
});

Deno.test("Session leaves it to the stop to show what became of waiting messages", async () => {
  await using bench = new SessionBench({
    script: [{ text: "never", after: new Promise(() => {}) }, "three"],
  });
  await bench.say("one");
  await until(() => bench.provider.requests.length === 1);
  await bench.say("two");
  await bench.say("/stop");
  await bench.say("three");
  await bench.quiet();
  assert.deepEqual(told(bench).filter((note) => note.startsWith("m2")), ["m2 waits"]);
  assert.ok(!told(bench).includes("m1 waits"));
});

Deno.test("Session loses nothing when nobody hears that messages wait", async () => {
  await using bench = new SessionBench({ script: (_request, index) => `${index}` });
  const outbox = bench.outboxes.get("feishu");
  if (outbox !== undefined) outbox.answer = "full";
  for (let n = 0; n < 400; n++) await bench.say(`${n}`, { chatId: `oc_${n}` });
  await bench.quiet();
  const rows = await bench.journal.outbox({ channel: "feishu", afterId: 0, limit: 1_000 });
  assert.deepEqual(new Set(rows.map(({ chatId }) => chatId)).size, 400);
});
