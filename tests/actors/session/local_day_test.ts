import assert from "node:assert/strict";
import fc from "fast-check";
import { localDay, localTime, nextDayMs } from "../../../actors/session/local_day.ts";

const ZONES = ["UTC", "Asia/Shanghai", "America/New_York", "Asia/Kathmandu", "America/Sao_Paulo"];

Deno.test("nextDayMs is the first instant of another date, in every zone and season", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2030, 0, 1) }),
      (zone, nowMs) => {
        const nextMs = nextDayMs(nowMs, zone);
        assert.ok(nextMs > nowMs && nextMs - nowMs <= 25 * 3_600_000);
        assert.equal(localDay(nextMs - 1, zone), localDay(nowMs, zone));
        assert.notEqual(localDay(nextMs, zone), localDay(nowMs, zone));
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("localDay and localTime are those of the people", () => {
  const lateMs = Date.UTC(2026, 3, 30, 17, 5);
  assert.equal(localDay(lateMs, "Asia/Shanghai"), "2026-05-01");
  assert.equal(localTime(lateMs, "Asia/Shanghai"), "01:05");
});
