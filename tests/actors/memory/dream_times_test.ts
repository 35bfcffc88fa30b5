import assert from "node:assert/strict";
import { dreamTimes } from "../../../actors/memory/dream_times.ts";
import { gateActor } from "../../../actors/gateway/gate.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { providerError } from "../../support/scripted_provider.ts";
import { testSystem } from "../../support/system.ts";
import { settle, until } from "../../support/until.ts";
import { dreamBench, newJournal, NOON_MS } from "./_dream.ts";

const HOUR_MS = 3_600_000;
const EVERY = { type: "every", everyMs: 2 * HOUR_MS } as const;

Deno.test("A cron expression is meant in its time zone", async () => {
  const schedule = { type: "cron", expression: "0 3 * * *", timezone: "Asia/Shanghai" } as const;
  const nextDue = await dreamTimes(schedule);
  assert.equal(nextDue?.(NOON_MS, NOON_MS), Date.UTC(2026, 3, 30, 19));
});

Deno.test.each(["every day", "61 * * * *", "0 0 30 2 *"])(
  "The expression %j is no schedule",
  async (expression) => {
    assert.equal(await dreamTimes({ type: "cron", expression, timezone: "UTC" }), null);
  },
);

Deno.test.each(
  [
    ["in time", NOON_MS + HOUR_MS, NOON_MS + 2 * HOUR_MS],
    ["missed, once", NOON_MS + 50 * HOUR_MS, NOON_MS + 50 * HOUR_MS + 60_000],
  ] as const,
)("A run that is %s is due when it should be", async (_name, nowMs, dueMs) => {
  assert.equal((await dreamTimes(EVERY))?.(NOON_MS, nowMs), dueMs);
});

Deno.test("A restart begins no interval anew", async () => {
  const clock = new ManualClock(NOON_MS);
  const journal = newJournal(clock);
  {
    await using first = dreamBench({ script: [], clock, journal, wiring: { schedule: EVERY } });
    await first.clock.advance(HOUR_MS);
  }
  await using second = dreamBench({
    ...{ script: () => "[SKIP]", clock, journal, wiring: { schedule: EVERY } },
  });
  await second.remember("one");
  await clock.advance(HOUR_MS - 1);
  assert.equal(second.provider.requests.length, 0);
  await clock.advance(1);
  assert.equal(second.provider.requests.length, 1);
});

Deno.test("A run that was missed is caught up once, soon after the start", async () => {
  const clock = new ManualClock(NOON_MS);
  const journal = newJournal(clock);
  {
    await using first = dreamBench({ script: [], clock, journal, wiring: { schedule: EVERY } });
    await settle();
    assert.equal(first.provider.requests.length, 0);
  }
  await clock.advance(100 * HOUR_MS);
  await using second = dreamBench({
    ...{ script: () => "[SKIP]", clock, journal, wiring: { schedule: EVERY } },
  });
  await second.remember("one");
  await clock.advance(60_000);
  assert.equal(second.provider.requests.length, 1);
  await second.remember("two");
  await clock.advance(2 * HOUR_MS - 1);
  assert.equal(second.provider.requests.length, 1);
});

Deno.test("Dream takes a permit of the gate, and gives it back", async () => {
  const clock = new ManualClock(NOON_MS);
  await using home = testSystem({ clock });
  const gate = home.system.spawn(gateActor(1));
  const holder = home.system.spawn({ name: "turn", create: () => ({ receive: () => {} }) });
  gate.tell({ type: "request_permit", requestId: "turn", holder });
  await using bench = dreamBench({ script: ["[SKIP]"], clock, wiring: { gate: () => gate } });
  await bench.remember("one");
  const dreaming = bench.dream();
  await settle();
  assert.equal(bench.provider.requests.length, 0, "a turn has the only permit");
  gate.tell({ type: "release_permit", requestId: "turn" });
  assert.equal((await dreaming).state, "done");
  await settle();
  const report = await gate.ask<{ held: number }>(
    (replyTo) => ({ type: "report_permits", replyTo }),
    { timeoutMs: 1_000 },
  );
  assert.equal(report.held, 0);
});

Deno.test("The owners hear of runs that fail again and again, once", async () => {
  await using bench = dreamBench({
    script: () => ({ error: providerError("provider_quota", "The account is empty.") }),
    wiring: { schedule: EVERY },
  });
  await bench.remember("one");
  for (let run = 1; run <= 5; run++) await bench.clock.advance(2 * HOUR_MS);
  assert.equal(bench.provider.requests.length, 5);
  assert.equal(bench.alarms.length, 1);
  assert.match(bench.alarms[0] ?? "", /failed 3 times in a row: The account is empty\./);
});

Deno.test("A memory that is stopped lets those go who wait", async () => {
  const never = Promise.withResolvers<void>();
  const bench = dreamBench({ script: [{ text: "[SKIP]", after: never.promise }] });
  await bench.remember("one");
  const dreaming = assert.rejects(bench.dream(), { code: "memory_dream_failed" });
  await until(() => bench.provider.running === 1);
  await bench[Symbol.asyncDispose]();
  await dreaming;
  assert.equal(bench.files.texts.has("memory/.dream_cursor"), false);
});
