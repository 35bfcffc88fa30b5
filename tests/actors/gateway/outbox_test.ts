import assert from "node:assert/strict";
import { outboxActor, type OutboxActorMessage } from "../../../actors/gateway/outbox.ts";
import type { NewOutbound, Outbound } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import type { Delivery } from "../../../channels/channel.ts";
import type { DeliveryOutcome } from "../../../channels/channel_host.ts";
import { newOutbound } from "../../support/outbound.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

const SENT: DeliveryOutcome = { state: "sent", receipt: { messageIds: ["om_1"] } };
const BUSY: DeliveryOutcome = { state: "failed", code: "delivery_transient", message: "busy" };

interface Attempt {
  readonly delivery: Delivery;
  readonly settle: (outcome: DeliveryOutcome) => Promise<void>;
}

/** An outbox over a journal, and a channel whose deliveries the test settles by hand. */
function setUp({ sendProgress = true, sendToolHints = false, isStreaming = true } = {}) {
  const home = testSystem();
  const journal = new MemoryJournal({ clock: home.clock, defer: queueMicrotask });
  const attempts: Attempt[] = [];
  const outbox: ActorRef<OutboxActorMessage> = home.system.spawn(outboxActor({
    channel: "feishu",
    journal,
    progress: { sendProgress, sendToolHints },
    retry: { quickAttemptsMax: 3, idempotencyMs: 55 * 60_000 },
    deliver: (delivery) => {
      const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>();
      const finish = async (outcome: DeliveryOutcome) => {
        resolve(outcome);
        await settle();
        await settle();
      };
      attempts.push({ delivery, settle: finish });
      return promise;
    },
  }));
  outbox.tell({ type: "channel_ready", isStreaming });
  const commit = async (row: NewOutbound): Promise<Outbound> => {
    const [committed] = await journal.commit({ outbounds: [row] });
    assert.ok(committed);
    outbox.tell({ type: "row_committed", row: committed });
    await settle();
    await settle();
    return committed;
  };
  const attempt = (index: number): Attempt => {
    const found = attempts.at(index);
    assert.ok(found, `attempt ${index} was made`);
    return found;
  };
  return { home, journal, outbox, attempts, attempt, commit };
}

Deno.test("Outbox sends a chat's rows in order, one at a time, and records them", async () => {
  const { home, journal, attempts, attempt, commit } = setUp();
  await using _ = home;
  await commit(newOutbound({ key: "a" }));
  await commit(newOutbound({ key: "b" }));
  assert.deepEqual(attempts.map(({ delivery }) => delivery.key), ["a"]);
  await attempt(0).settle(SENT);
  assert.deepEqual(attempts.map(({ delivery }) => delivery.key), ["a", "b"]);
  const row = await journal.outbound("a");
  assert.deepEqual([row?.state, row?.receipt, row?.attempts], ["sent", ["om_1"], 1]);
});

Deno.test("Outbox lets one slow chat hold up no other", async () => {
  const { home, attempts, commit } = setUp();
  await using _ = home;
  await commit(newOutbound({ key: "slow", chatId: "oc_slow" }));
  await commit(newOutbound({ key: "fast", chatId: "oc_fast" }));
  assert.deepEqual(attempts.map(({ delivery }) => delivery.key), ["slow", "fast"]);
});

Deno.test("Outbox tries again after 1 and 2 s, then more slowly, under the same key", async () => {
  const { home, journal, attempts, attempt, commit } = setUp();
  await using _ = home;
  await commit(newOutbound({ key: "a" }));
  const times = [home.clock.now()];
  for (let n = 0; n < 4; n++) {
    await attempt(n).settle(BUSY);
    await home.clock.advance(Number(home.clock.nextDueMs) - home.clock.now());
    times.push(home.clock.now());
  }
  assert.deepEqual(new Set(attempts.map(({ delivery }) => delivery.key)), new Set(["a"]));
  const waits = times.slice(1).map((at, n) => at - Number(times[n]));
  for (const [n, leastMs] of [1_000, 2_000, 10_000, 20_000].entries()) {
    const waitMs = Number(waits[n]);
    assert.ok(waitMs >= leastMs && waitMs <= leastMs * 1.2, `wait ${n} is ${waitMs} ms`);
  }
  await attempt(4).settle(SENT);
  assert.equal((await journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox waits as long as the platform asked", async () => {
  const { home, attempts, attempt, commit } = setUp();
  await using _ = home;
  await commit(newOutbound({ key: "a" }));
  await attempt(0).settle({ ...BUSY, retryAfterMs: 30_000 });
  await home.clock.advance(29_000);
  assert.equal(attempts.length, 1);
  await home.clock.advance(8_000);
  assert.equal(attempts.length, 2);
});

Deno.test("Outbox gives up after a day, and at once on a permanent failure", async () => {
  const { home, journal, attempts, attempt, commit } = setUp();
  await using _ = home;
  await commit(newOutbound({ key: "a" }));
  await attempt(0).settle({ state: "failed", code: "delivery_permanent", message: "no such chat" });
  const refused = await journal.outbound("a");
  assert.deepEqual([refused?.state, refused?.error], ["failed", "no such chat"]);
  await commit(newOutbound({ key: "b" }));
  const startMs = home.clock.now();
  for (let n = 1; (await journal.outbound("b"))?.state === "pending"; n++) {
    await attempt(n).settle(BUSY);
    if (home.clock.nextDueMs === undefined) break;
    await home.clock.advance(home.clock.nextDueMs - home.clock.now());
  }
  assert.equal((await journal.outbound("b"))?.state, "failed");
  const hours = (home.clock.now() - startMs) / 3_600_000;
  assert.ok(hours >= 24 && hours < 25, `gave up after ${hours} h and ${attempts.length} attempts`);
});

Deno.test("Outbox repeats a send in doubt only while the platform's key protects it", async () => {
  const { home, journal, attempts, attempt, commit } = setUp();
  await using _ = home;
  const doubt: DeliveryOutcome = { state: "failed", code: "delivery_unknown", message: "timeout" };
  await commit(newOutbound({ key: "a" }));
  await attempt(0).settle(doubt);
  await home.clock.advance(2_000);
  assert.equal(attempts.length, 2);
  await home.clock.advance(56 * 60_000);
  await attempt(1).settle(doubt);
  assert.equal((await journal.outbound("a"))?.state, "unknown");
});

Deno.test("Outbox shows a growing answer with the newest text only, then the final one", async () => {
  const { home, outbox, attempts, attempt, commit } = setUp();
  await using _ = home;
  const open = await commit(newOutbound({ key: "t:0", state: "open", content: "" }));
  assert.equal(attempts.length, 0);
  for (const text of ["H", "He", "Hel", "Hell"]) {
    outbox.tell({ type: "stream_grew", key: "t:0", preamble: "", text, activity: "" });
    await settle();
  }
  assert.deepEqual(attempts.map(({ delivery }) => delivery.text), ["H"]);
  await attempt(0).settle(SENT);
  assert.deepEqual(attempts.map(({ delivery }) => delivery.text), ["H", "Hell"]);
  await commit(newOutbound({ ...open, state: "pending", content: "Hello" }));
  await attempt(1).settle(SENT);
  assert.deepEqual(
    attempts.map(({ delivery }) => [delivery.phase, delivery.text]),
    [["growing", "H"], ["growing", "Hell"], ["final", "Hello"]],
  );
});

Deno.test("Outbox lets an answer that still grows hold up no other message of its chat", async () => {
  const { home, attempts, attempt, commit } = setUp();
  await using _ = home;
  await commit(newOutbound({ key: "t:0", state: "open" }));
  await commit(newOutbound({ key: "status" }));
  assert.deepEqual(attempts.map(({ delivery }) => delivery.key), ["status"]);
  await attempt(0).settle(SENT);
});

Deno.test("Outbox retries a reply although an answer behind it was about to be shown", async () => {
  const { home, journal, outbox, attempts, attempt, commit } = setUp();
  await using _ = home;
  await commit(newOutbound({ key: "a" }));
  await attempt(0).settle({ ...BUSY, retryAfterMs: 30_000 });
  const open = await commit(newOutbound({ key: "b", state: "open", content: "" }));
  const grow = async (text: string) => {
    outbox.tell({ type: "stream_grew", key: "b", preamble: "", text, activity: "" });
    await settle();
  };
  await grow("one");
  await grow("one two");
  await attempt(1).settle(BUSY); // the rest would be shown in a second, but is final before that
  await commit({ ...open, state: "pending", content: "one two three" });
  await home.clock.advance(40_000);
  await attempt(2).settle(SENT);
  assert.deepEqual(attempts.map(({ delivery }) => delivery.key), ["a", "b", "a", "b"]);
  assert.equal((await journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox shows preamble and tool hints as the config wants", async () => {
  for (const isWanted of [true, false]) {
    const { home, outbox, attempt, commit } = setUp({
      sendProgress: isWanted,
      sendToolHints: isWanted,
    });
    await using _ = home;
    await commit(newOutbound({ key: "t:0", state: "open" }));
    outbox.tell({
      type: "stream_grew",
      key: "t:0",
      preamble: "Let me look.",
      text: "So",
      activity: "read a.txt",
    });
    await settle();
    const { text, activity } = attempt(0).delivery;
    assert.deepEqual(
      [text, activity],
      isWanted ? ["Let me look.\n\nSo", "read a.txt"] : ["So", ""],
    );
  }
});

Deno.test("Outbox sends words on the way only where answers do not grow", async () => {
  for (const isStreaming of [true, false]) {
    const { home, outbox, attempts } = setUp({ isStreaming });
    await using _ = home;
    const progress = { type: "progress", chatId: "oc_1", context: {} } as const;
    outbox.tell({ ...progress, text: "Let me look.", isToolHint: false });
    outbox.tell({ ...progress, text: "read a.txt", isToolHint: true });
    await settle();
    assert.deepEqual(
      attempts.map(({ delivery }) => delivery.text),
      isStreaming ? [] : ["Let me look."],
    );
  }
});

Deno.test("Outbox waits for its channel and sends what the journal kept, in order", async () => {
  const { home, outbox, journal, attempts, attempt } = setUp();
  await using _ = home;
  outbox.tell({ type: "channel_lost" });
  await journal.commit({ outbounds: [newOutbound({ key: "a" }), newOutbound({ key: "b" })] });
  outbox.tell({ type: "refill" });
  await settle();
  assert.equal(attempts.length, 0);
  outbox.tell({ type: "channel_ready", isStreaming: true });
  await settle();
  await attempt(0).settle(SENT);
  assert.deepEqual(attempts.map(({ delivery }) => delivery.key), ["a", "b"]);
});

Deno.test("Outbox hands the channel what it remembered, and the reactions to settle", async () => {
  const { home, outbox, journal, attempt, commit } = setUp();
  await using _ = home;
  const accepted = await journal.accept({
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
  await journal.commit({
    inboundMemory: [{ channel: "feishu", platformId: "om_9", channelState: { reaction: "r1" } }],
  });
  outbox.tell({ type: "channel_lost" });
  await commit(newOutbound({ key: "a", settles: [{ platformId: "om_9", outcome: "done" }] }));
  outbox.tell({ type: "state_remembered", key: "a", channelState: { card: "c1" } });
  outbox.tell({ type: "channel_ready", isStreaming: true });
  await settle();
  await settle();
  const { channelState, settles } = attempt(0).delivery;
  assert.deepEqual(channelState, { card: "c1" });
  assert.deepEqual(settles, [
    { platformId: "om_9", outcome: "done", channelState: { reaction: "r1" } },
  ]);
});

Deno.test("Outbox that failed goes on: it knows how its channel is, and reads its rows", async () => {
  const { home, journal, outbox, attempts, attempt, commit } = setUp();
  await using _ = home;
  await commit(newOutbound({ key: "a" }));
  const breaks = () => {
    throw new Error("as planned");
  };
  outbox.tell({ type: "report_outbox", replyTo: { reply: breaks, refuse: breaks } });
  await home.clock.advance(1_000);
  assert.deepEqual(attempts.map(({ delivery }) => delivery.key), ["a", "a"]);
  await attempt(1).settle(SENT);
  assert.equal((await journal.outbound("a"))?.state, "sent");
});

Deno.test("Outbox holds a window of a long queue and loses nothing of it", async () => {
  const { home, outbox, journal, attempts } = setUp();
  await using _ = home;
  const keys = Array.from({ length: 2_500 }, (_, n) => `k${n}`);
  await journal.commit({ outbounds: keys.map((key) => newOutbound({ key })) });
  outbox.tell({ type: "refill" });
  for (let done = 0; done < keys.length; done++) {
    await settle();
    const { delivery, settle: finish } = attempts[done] ?? {};
    assert.equal(delivery?.key, keys[done]);
    await finish?.(SENT);
  }
  assert.equal((await journal.counts()).outbounds.sent, keys.length);
});
