import assert from "node:assert/strict";
import type { DeliveryOutcome } from "../../../channels/host_protocol.ts";
import { BUSY, DOUBT, OutboxBench, SENT } from "../../support/outbox_bench.ts";
import { newOutbound } from "../../support/outbound.ts";

const REFUSED: DeliveryOutcome = {
  state: "failed",
  code: "delivery_permanent",
  message: "no such chat",
};

/** What was raised and cleared, in order. */
function news(bench: OutboxBench): string[] {
  return bench.alarms.received.map((alarm) =>
    alarm.type === "owners_informed" ? alarm.text : `${alarm.type} ${alarm.subject}`
  );
}

Deno.test("Outbox raises an alarm for its channel when a failure outlives the quick round", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "a" }));
  await bench.commit(newOutbound({ key: "b", chatId: "oc_2" }));
  for (const index of [0, 1, 2, 3]) {
    await bench.attempt(index).settle(BUSY);
    if (index % 2 === 1) await bench.clock.advance(2_500);
    await bench.settle();
  }
  assert.deepEqual(news(bench), []);
  await bench.attempt(4).settle(BUSY);
  await bench.attempt(5).settle(BUSY);
  assert.deepEqual(news(bench), ["alarm_raised delivery:feishu"]);
  await bench.nextTimer();
  await bench.attempt(6).settle(SENT);
  assert.deepEqual(news(bench), ["alarm_raised delivery:feishu", "alarm_cleared delivery:feishu"]);
});

Deno.test("Outbox raises an alarm for a chat whose message is given up, once", async () => {
  await using bench = new OutboxBench();
  for (const [index, key] of ["a", "b"].entries()) {
    await bench.commit(newOutbound({ key }));
    await bench.attempt(index).settle(REFUSED);
  }
  assert.deepEqual(news(bench), ["alarm_raised delivery:feishu:oc_1"]);
  const [alarm] = bench.alarms.received;
  assert.match(alarm?.type === "alarm_raised" ? alarm.text : "", /no such chat/);
  await bench.commit(newOutbound({ key: "c" }));
  await bench.attempt(2).settle(SENT);
  assert.equal(news(bench).at(-1), "alarm_cleared delivery:feishu:oc_1");
});

Deno.test("Outbox raises an alarm when it will never be known whether a message arrived", async () => {
  await using bench = new OutboxBench({ idempotencyMs: 0 });
  await bench.commit(newOutbound({ key: "a" }));
  await bench.attempt(0).settle(DOUBT);
  await bench.lookUp(0).settle({ state: "looked", found: "cannot_tell" });
  assert.deepEqual(news(bench), []);
  await bench.attempt(1).settle(DOUBT);
  await bench.lookUp(1).settle({ state: "looked", found: "cannot_tell" });
  assert.deepEqual(news(bench), ["alarm_raised delivery:feishu:oc_1"]);
});

Deno.test("Outbox raises no alarm for a notice that cannot be delivered", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "notice:1:0" }));
  await bench.attempt(0).settle(REFUSED);
  assert.deepEqual(news(bench), []);
});
