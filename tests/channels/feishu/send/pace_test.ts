import assert from "node:assert/strict";
import fc from "fast-check";
import { SendPace } from "../../../../channels/feishu/send/pace.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { busiest } from "./busiest.ts";

const SIGNAL = new AbortController().signal;

Deno.test("SendPace keeps the documented rates whatever is sent when", async () => {
  // Bursts, to few chats as well as to many: both limits must be in the way.
  const sends = fc.integer({ min: 0, max: 120 }).chain((chatMax) =>
    fc.array(
      fc.record({
        chat: fc.integer({ min: 0, max: chatMax }),
        afterMs: fc.oneof(
          { weight: 9, arbitrary: fc.constant(0) },
          fc.integer({ min: 0, max: 400 }),
        ),
      }),
      { minLength: 60, maxLength: 150 },
    )
  );
  await fc.assert(
    fc.asyncProperty(sends, async (plan) => {
      const clock = new ManualClock(0);
      const pace = new SendPace(clock);
      const times: { readonly chat: number; readonly atMs: number }[] = [];
      for (const { chat, afterMs } of plan) {
        await clock.advance(afterMs);
        void pace.message(`oc_${chat}`, SIGNAL).then(() => times.push({ chat, atMs: clock.now() }));
      }
      await clock.advance(120_000);
      assert.equal(times.length, plan.length);
      assert.equal(clock.pending, 0);
      assert.ok(busiest(times.map(({ atMs }) => atMs), 1_000) <= 50);
      for (const calls of Map.groupBy(times, ({ chat }) => chat).values()) {
        assert.ok(busiest(calls.map(({ atMs }) => atMs), 1_000) <= 5);
      }
    }),
    { numRuns: 8 },
  );
});

Deno.test.each([
  { chats: 1, perSecond: 5 },
  { chats: 60, perSecond: 50 },
])("SendPace sends sixty messages to $chats chats at $perSecond a second, or little less", async ({
  chats,
  perSecond,
}) => {
  const clock = new ManualClock(0);
  const pace = new SendPace(clock);
  const times: number[] = [];
  for (let index = 0; index < 60; index++) {
    void pace.message(`oc_${index % chats}`, SIGNAL).then(() => times.push(clock.now()));
  }
  await clock.advance(60_000);
  assert.equal(times.length, 60);
  const fastest = busiest(times, 1_000);
  assert.ok(fastest <= perSecond && fastest >= perSecond * 0.8, `${fastest} a second`);
});

Deno.test("SendPace keeps the rate of a minute", async () => {
  const clock = new ManualClock(0);
  const pace = new SendPace(clock);
  const times: number[] = [];
  for (let chat = 0; chat < 1_200; chat++) {
    void pace.message(`oc_${chat}`, SIGNAL).then(() => times.push(clock.now()));
  }
  await clock.advance(59_999);
  assert.ok(times.length <= 1_000 && times.length >= 800);
  await clock.advance(60_000);
  assert.equal(times.length, 1_200);
});

Deno.test("SendPace lets other chats go on while one must wait", async () => {
  const clock = new ManualClock(0);
  const pace = new SendPace(clock);
  pace.holdChat("oc_a", 5_000);
  let isSent = false;
  void pace.message("oc_a", SIGNAL).then(() => isSent = true);
  await pace.message("oc_b", SIGNAL);
  await clock.advance(4_999);
  assert.equal(isSent, false);
  await clock.advance(1);
  assert.equal(isSent, true);
});

Deno.test.each(["chat", "app"])(
  "SendPace waits the longest that was asked of a %s",
  async (whom) => {
    const clock = new ManualClock(0);
    const pace = new SendPace(clock);
    for (const delayMs of [5_000, 1_000]) {
      if (whom === "chat") pace.holdChat("oc_a", delayMs);
      else pace.holdApp(delayMs);
    }
    let isSent = false;
    void pace.message("oc_a", SIGNAL).then(() => isSent = true);
    await clock.advance(4_999);
    assert.equal(isSent, false);
    await clock.advance(1);
    assert.equal(isSent, true);
  },
);

Deno.test("SendPace holds everything while the app must wait, and stops when it is told", async () => {
  const clock = new ManualClock(0);
  const pace = new SendPace(clock);
  pace.holdApp(5_000);
  const stop = new AbortController();
  const waiting = assert.rejects(pace.card(stop.signal), { name: "AbortError" });
  await clock.advance(1_000);
  stop.abort();
  await waiting;
  assert.equal(clock.pending, 0);
});
