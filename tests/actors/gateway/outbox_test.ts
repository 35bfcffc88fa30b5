import assert from "node:assert/strict";
import { withChoices } from "../../../actors/session/choices.ts";
import { BUSY, OutboxBench, SENT } from "../../support/outbox_bench.ts";
import { LogRecorder } from "../../support/log_recorder.ts";
import { newOutbound } from "../../support/outbound.ts";
import { settle } from "../../support/until.ts";

Deno.test("Outbox sends a chat's rows in order, one at a time, and records them", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  await bench.commit(newOutbound({ key: "b" }));
  assert.deepEqual(bench.attempts.map(({ delivery }) => delivery.key), ["a"]);
  await bench.attempt(0).settle(SENT);
  assert.deepEqual(bench.attempts.map(({ delivery }) => delivery.key), ["a", "b"]);
  const row = await bench.journal.outbound("a");
  assert.deepEqual([row?.state, row?.receipt, row?.attempts], ["sent", ["om_1"], 1]);
});

Deno.test("Outbox lets one slow chat hold up no other", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "slow", chatId: "oc_slow" }));
  await bench.commit(newOutbound({ key: "fast", chatId: "oc_fast" }));
  assert.deepEqual(bench.attempts.map(({ delivery }) => delivery.key), ["slow", "fast"]);
});

Deno.test("Outbox tries again after 1 and 2 s, then more slowly, under the same key", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  const times = [bench.clock.now()];
  for (let n = 0; n < 4; n++) {
    await bench.attempt(n).settle(BUSY);
    await bench.clock.advance(Number(bench.clock.nextDueMs) - bench.clock.now());
    times.push(bench.clock.now());
  }
  assert.deepEqual(new Set(bench.attempts.map(({ delivery }) => delivery.key)), new Set(["a"]));
  const waits = times.slice(1).map((at, n) => at - Number(times[n]));
  for (const [n, leastMs] of [1_000, 2_000, 10_000, 20_000].entries()) {
    const waitMs = Number(waits[n]);
    assert.ok(waitMs >= leastMs && waitMs <= leastMs * 1.2, `wait ${n} is ${waitMs} ms`);
  }
  await bench.attempt(4).settle(SENT);
  assert.equal((await bench.journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox waits as long as the platform asked", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  await bench.attempt(0).settle({ ...BUSY, retryAfterMs: 30_000 });
  await bench.clock.advance(29_000);
  assert.equal(bench.attempts.length, 1);
  await bench.clock.advance(8_000);
  assert.equal(bench.attempts.length, 2);
});

Deno.test("Outbox gives up after a day, and at once on a permanent failure", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  await bench.attempt(0).settle({
    state: "failed",
    code: "delivery_permanent",
    message: "no such chat",
  });
  const refused = await bench.journal.outbound("a");
  assert.deepEqual([refused?.state, refused?.error], ["failed", "no such chat"]);
  await bench.commit(newOutbound({ key: "b" }));
  const startMs = bench.clock.now();
  for (let n = 1; (await bench.journal.outbound("b"))?.state === "pending"; n++) {
    await bench.attempt(n).settle(BUSY);
    if (bench.clock.nextDueMs === undefined) break;
    await bench.clock.advance(bench.clock.nextDueMs - bench.clock.now());
  }
  assert.equal((await bench.journal.outbound("b"))?.state, "failed");
  const hours = (bench.clock.now() - startMs) / 3_600_000;
  assert.ok(
    hours >= 24 && hours < 25,
    `gave up after ${hours} h and ${bench.attempts.length} attempts`,
  );
});

Deno.test("Outbox shows a growing answer with the newest text only, then the final one", async () => {
  await using bench = new OutboxBench();
  const open = await bench.commit(newOutbound({ key: "t:0", state: "open", content: "" }));
  assert.equal(bench.attempts.length, 0);
  for (const text of ["H", "He", "Hel", "Hell"]) {
    bench.outbox.tell({ type: "stream_grew", key: "t:0", preamble: "", text, activity: "" });
    await settle();
  }
  assert.deepEqual(bench.attempts.map(({ delivery }) => delivery.text), ["H"]);
  await bench.attempt(0).settle(SENT);
  assert.deepEqual(bench.attempts.map(({ delivery }) => delivery.text), ["H", "Hell"]);
  await bench.commit(newOutbound({ ...open, state: "pending", content: "Hello" }));
  await bench.attempt(1).settle(SENT);
  assert.deepEqual(
    bench.attempts.map(({ delivery }) => [delivery.phase, delivery.text]),
    [["growing", "H"], ["growing", "Hell"], ["final", "Hello"]],
  );
});

Deno.test("Outbox lets an answer that still grows hold up no other message of its chat", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "t:0", state: "open" }));
  await bench.commit(newOutbound({ key: "status" }));
  assert.deepEqual(bench.attempts.map(({ delivery }) => delivery.key), ["status"]);
  await bench.attempt(0).settle(SENT);
});

Deno.test("Outbox retries a reply although an answer behind it was about to be shown", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  await bench.attempt(0).settle({ ...BUSY, retryAfterMs: 30_000 });
  const open = await bench.commit(newOutbound({ key: "b", state: "open", content: "" }));
  const grow = async (text: string) => {
    bench.outbox.tell({ type: "stream_grew", key: "b", preamble: "", text, activity: "" });
    await settle();
  };
  await grow("one");
  await grow("one two");
  await bench.attempt(1).settle(BUSY); // the rest would be shown in a second, but is final before that
  await bench.commit({ ...open, state: "pending", content: "one two three" });
  await bench.clock.advance(40_000);
  await bench.attempt(2).settle(SENT);
  assert.deepEqual(bench.attempts.map(({ delivery }) => delivery.key), ["a", "b", "a", "b"]);
  assert.equal((await bench.journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox passes on what a model thinks while the answer grows, never at its end", async () => {
  await using bench = new OutboxBench();
  const open = await bench.commit(newOutbound({ key: "t:0", state: "open" }));
  const growth = { key: "t:0", preamble: "", text: "So", activity: "", reasoning: "Hm" };
  bench.outbox.tell({ type: "stream_grew", ...growth });
  await settle();
  await bench.attempt(0).settle(SENT);
  await bench.commit(newOutbound({ ...open, state: "pending", content: "So be it" }));
  assert.deepEqual(
    bench.attempts.map(({ delivery }) => [delivery.phase, delivery.reasoning]),
    [["growing", "Hm"], ["final", undefined]],
  );
});

Deno.test("Outbox shows preamble, progress of tools and their hints as the config wants", async () => {
  const wants: [boolean, boolean, string, string][] = [
    [true, true, "Let me look.\n\nSo", "read a.txt\nx: 1 of 9"],
    [true, false, "Let me look.\n\nSo", "x: 1 of 9"],
    [false, true, "So", "read a.txt"],
    [false, false, "So", ""],
  ];
  for (const [sendProgress, sendToolHints, ...expected] of wants) {
    await using bench = new OutboxBench({ sendProgress, sendToolHints });
    await bench.commit(newOutbound({ key: "t:0", state: "open" }));
    bench.outbox.tell({
      type: "stream_grew",
      key: "t:0",
      preamble: "Let me look.",
      text: "So",
      activity: "read a.txt",
      progress: "x: 1 of 9",
    });
    await settle();
    const { text, activity } = bench.attempt(0).delivery;
    assert.deepEqual([text, activity], expected);
  }
});

Deno.test("Outbox sends words on the way only where answers do not grow", async () => {
  for (const isStreaming of [true, false]) {
    await using bench = new OutboxBench({ isStreaming });
    const progress = { type: "progress", chatId: "oc_1", context: {} } as const;
    bench.outbox.tell({ ...progress, text: "Let me look.", isToolHint: false });
    bench.outbox.tell({ ...progress, text: "read a.txt", isToolHint: true });
    await settle();
    assert.deepEqual(
      bench.attempts.map(({ delivery }) => delivery.text),
      isStreaming ? [] : ["Let me look."],
    );
  }
});

Deno.test("Outbox logs that a word on the way was not shown, and goes on", async () => {
  await using log = await LogRecorder.start();
  await using bench = new OutboxBench({ isStreaming: false });
  const progress = { type: "progress", chatId: "oc_1", context: {} } as const;
  bench.outbox.tell({ ...progress, text: "Let me look.", isToolHint: false });
  await settle();
  await bench.attempt(0).settle(BUSY);
  await bench.commit(newOutbound({ key: "a" }));
  assert.equal(bench.attempts.length, 2, "the word is not said again");
  const lines = log.records.map(({ message }) => message.join(""));
  assert.ok(lines.some((line) => line.startsWith("feishu did not show what was said on the way")));
});

Deno.test("Outbox sends no words on the way where each message is dear", async () => {
  await using bench = new OutboxBench({ isStreaming: false, sparesMessages: true });
  const progress = { type: "progress", chatId: "oc_1", context: {} } as const;
  bench.outbox.tell({ ...progress, text: "Let me look.", isToolHint: false });
  await bench.commit(newOutbound({ key: "a" }));
  assert.deepEqual(bench.keys(), ["a"]);
});

Deno.test("Outbox waits for its channel and sends what the journal kept, in order", async () => {
  await using bench = new OutboxBench();
  bench.outbox.tell({ type: "channel_lost" });
  await bench.journal.commit({ outbounds: [newOutbound({ key: "a" }), newOutbound({ key: "b" })] });
  bench.outbox.tell({ type: "refill" });
  await settle();
  assert.equal(bench.attempts.length, 0);
  bench.outbox.tell({ type: "channel_ready", isStreaming: true });
  await settle();
  await bench.attempt(0).settle(SENT);
  assert.deepEqual(bench.attempts.map(({ delivery }) => delivery.key), ["a", "b"]);
});

Deno.test("Outbox hands the channel what it remembered, and the reactions to settle", async () => {
  await using bench = new OutboxBench();
  const accepted = await bench.journal.accept({
    channel: "feishu",
    platformId: "om_9",
    sessionKey: "feishu:oc_1",
    chatId: "oc_1",
    senderId: "ou_1",
    content: "hi",
    media: [],
    context: {},
    wantsStream: true,
  });
  assert.equal(accepted.state, "accepted");
  await bench.journal.commit({
    inboundMemory: [{ channel: "feishu", platformId: "om_9", channelState: { reaction: "r1" } }],
  });
  bench.outbox.tell({ type: "channel_lost" });
  await bench.commit(newOutbound({ key: "a", settles: [{ platformId: "om_9", outcome: "done" }] }));
  bench.outbox.tell({ type: "state_remembered", key: "a", channelState: { card: "c1" } });
  bench.outbox.tell({ type: "channel_ready", isStreaming: true });
  await settle();
  await settle();
  const { channelState, settles } = bench.attempt(0).delivery;
  assert.deepEqual(channelState, { card: "c1" });
  assert.deepEqual(settles, [
    { platformId: "om_9", outcome: "done", channelState: { reaction: "r1" } },
  ]);
});

Deno.test("Outbox that failed goes on: it knows how its channel is, and reads its rows", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  const breaks = () => {
    throw new Error("as planned");
  };
  bench.outbox.tell({ type: "report_outbox", replyTo: { reply: breaks, refuse: breaks } });
  await bench.clock.advance(1_000);
  assert.deepEqual(bench.keys(), ["a", "a"]);
  await bench.attempt(1).settle(SENT);
  assert.equal((await bench.journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox holds a window of a long queue and loses nothing of it", async () => {
  await using bench = new OutboxBench();
  const keys = Array.from({ length: 2_500 }, (_, n) => `k${n}`);
  await bench.journal.commit({ outbounds: keys.map((key) => newOutbound({ key })) });
  bench.outbox.tell({ type: "refill" });
  for (let done = 0; done < keys.length; done++) {
    await settle();
    const { delivery, settle: finish } = bench.attempts[done] ?? {};
    assert.equal(delivery?.key, keys[done]);
    await finish?.(SENT);
  }
  assert.equal((await bench.journal.counts()).outbounds.sent, keys.length);
});

Deno.test("Outbox hands the answers that a row suggests over apart from the channel's context", async () => {
  await using bench = new OutboxBench();
  const context = { message_id: "om_0" };
  const choices = [{ label: "Approve", says: "/approve" }];
  await bench.commit(newOutbound({ key: "a", context: withChoices(context, choices) }));
  const { delivery } = bench.attempt(0);
  assert.deepEqual([delivery.context, delivery.choices], [context, choices]);
  await bench.attempt(0).settle(SENT);
  await bench.commit(newOutbound({ key: "b", context }));
  assert.deepEqual(bench.attempt(1).delivery.context, context);
  assert.equal("choices" in bench.attempt(1).delivery, false);
});

Deno.test("Outbox keeps the order of a chat that it was told of out of order", async () => {
  await using bench = new OutboxBench();
  const [a, other, b] = await bench.journal.commit({
    outbounds: [
      newOutbound({ key: "a" }),
      newOutbound({ key: "other", chatId: "oc_2" }),
      newOutbound({ key: "b" }),
    ],
  });
  assert.ok(a && other && b);
  for (const row of [other, a, b]) bench.outbox.tell({ type: "row_committed", row });
  await bench.settle();
  assert.deepEqual(bench.keys().toSorted(), ["a", "other"]);
  await bench.attempt(bench.keys().indexOf("a")).settle(SENT);
  await bench.settle();
  assert.deepEqual(bench.keys().filter((key) => key !== "other"), ["a", "b"]);
});

Deno.test("Outbox goes on with a chat when what it was told of late has been sent", async () => {
  await using bench = new OutboxBench();
  const [a, other, b] = await bench.journal.commit({
    outbounds: [
      newOutbound({ key: "a" }),
      newOutbound({ key: "other", chatId: "oc_2" }),
      newOutbound({ key: "b" }),
    ],
  });
  assert.ok(a && other && b);
  await bench.journal.commit({ outboundChanges: [{ key: "a", state: "sent" }] });
  for (const row of [other, a, b]) bench.outbox.tell({ type: "row_committed", row });
  await bench.settle();
  assert.deepEqual(bench.keys().toSorted(), ["b", "other"]);
});
