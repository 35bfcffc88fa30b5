import assert from "node:assert/strict";
import { durationText, Lateness } from "../../channels/lateness.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

function agesOf(...minutesOld: readonly number[]): number[] {
  const lateness = new Lateness();
  return minutesOld.map((minutes) =>
    Math.round(lateness.of(String(NOW_MS - minutes * MINUTE_MS), NOW_MS) / MINUTE_MS)
  );
}

Deno.test.each([
  { name: "in time", old: [0, 0.1, 9], late: [0, 0, 0] },
  { name: "late behind one in time", old: [0, 65], late: [0, 65] },
  { name: "late at once after the start", old: [65], late: [65] },
  { name: "by a clock that is an hour ahead of ours", old: [-60, -60, -59], late: [0, 0, 0] },
  { name: "late by a clock that is ahead of ours", old: [-60, 5], late: [0, 65] },
  { name: "by a clock that is days behind ours", old: [5_000, 5_001], late: [0, 0] },
  { name: "by a clock that is an hour behind ours", old: [60, 60, 125], late: [60, 0, 65] },
])("Lateness sees a message that comes $name", ({ old, late }) => {
  assert.deepEqual(agesOf(...old), late);
});

Deno.test.each(["", "soon", "NaN"])("Lateness takes the time %j as now", (createTime) => {
  assert.equal(new Lateness().of(createTime, NOW_MS), 0);
});

Deno.test.each([[12, "12 min"], [60, "1 h 0 min"], [425, "7 h 5 min"]] as const)(
  "durationText says %s minutes as %s",
  (minutes, text) => assert.equal(durationText(minutes * MINUTE_MS), text),
);
