import assert from "node:assert/strict";
import { parseMoment } from "../../../../actors/memory/recall/moment.ts";

const NOW_MS = Date.parse("2026-05-20T08:00:00Z");
const timezone = "Asia/Shanghai";

Deno.test.each<[string, string | null, string | null]>([
  ["2026-05-01", "2026-04-30T16:00:00.000Z", "2026-05-01T15:59:59.999Z"],
  [" 2026-05-01 09:30 ", "2026-05-01T01:30:00.000Z", "2026-05-01T01:30:00.000Z"],
  ["2026-05-01T09:30:00Z", "2026-05-01T09:30:00.000Z", "2026-05-01T09:30:00.000Z"],
  ["2d", "2026-05-18T08:00:00.000Z", "2026-05-18T08:00:00.000Z"],
  ["12 h", "2026-05-19T20:00:00.000Z", "2026-05-19T20:00:00.000Z"],
  ["2026-13-45", null, null],
  ["2026-02-30", null, null],
  ["2026-02-30T09:30:00Z", null, null],
  ["2028-02-29", "2028-02-28T16:00:00.000Z", "2028-02-29T15:59:59.999Z"],
  ["2026-05-01T99:00:00Z", null, null],
  ["yesterday", null, null],
  ["", null, null],
])("parseMoment reads %s", (text, first, last) => {
  const read = (end: "first" | "last") => {
    const atMs = parseMoment(text, { nowMs: NOW_MS, timezone, end });
    return atMs === null ? null : new Date(atMs).toISOString();
  };
  assert.deepEqual([read("first"), read("last")], [first, last]);
});

Deno.test("parseMoment knows the hours of summer", () => {
  const at = (text: string) =>
    parseMoment(text, { nowMs: NOW_MS, timezone: "Europe/Berlin", end: "first" });
  assert.equal(at("2026-03-29 01:30"), Date.parse("2026-03-29T00:30:00Z"));
  assert.equal(at("2026-03-29 03:30"), Date.parse("2026-03-29T01:30:00Z"));
});
