import assert from "node:assert/strict";
import { sleep } from "../../../../actors/kernel/clock.ts";
import { SendPace } from "../../../../channels/telegram/send/pace.ts";
import { ManualClock } from "../../../support/manual_clock.ts";

Deno.test("SendPace counts a message when it was answered, however long that took", async () => {
  const clock = new ManualClock();
  const pace = new SendPace(clock);
  const { signal } = new AbortController();
  const beganMs = clock.now();
  const sentMs: number[] = [];
  const sending = (async () => {
    for (let count = 0; count < 6; count++) {
      await pace.message("1001", signal, async () => {
        sentMs.push(clock.now() - beganMs);
        await sleep(clock, 1_000, signal);
      });
    }
  })();
  for (let passedMs = 0; passedMs < 10_000; passedMs += 100) await clock.advance(100);
  await sending;
  assert.deepEqual(sentMs, [0, 1_000, 2_000, 3_000, 4_000, 6_500]);
});

Deno.test("SendPace counts a message that failed, too, as it may have been counted", async () => {
  const clock = new ManualClock();
  const pace = new SendPace(clock);
  const { signal } = new AbortController();
  const fail = () => Promise.reject(new Error("lost"));
  for (let count = 0; count < 5; count++) {
    await assert.rejects(pace.message("1001", signal, fail), /lost/);
  }
  let isSent = false;
  const sending = pace.message("1001", signal, () => Promise.resolve(void (isSent = true)));
  await clock.advance(5_400);
  assert.equal(isSent, false);
  await clock.advance(200);
  await sending;
});
