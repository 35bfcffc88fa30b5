/**
 * Instants as people and models read them.
 * @module
 */

import assert from "node:assert/strict";
import { isTimeZone, localIso, localMinute } from "../../../actors/kernel/local_time.ts";

Deno.test.each([
  ["UTC", "2026-05-01T00:00:00+00:00"],
  ["Asia/Shanghai", "2026-05-01T08:00:00+08:00"],
  ["America/St_Johns", "2026-04-30T21:30:00-02:30"],
  ["Mars/Olympus", "2026-05-01T00:00:00+00:00"],
])("In %s an instant reads as %s", (timezone, text) => {
  const epochMs = Date.parse("2026-05-01T00:00:00Z");
  assert.equal(localIso(epochMs, timezone), text);
  assert.equal(localMinute(epochMs, timezone), text.slice(0, 16).replace("T", " "));
});

Deno.test("Time zones are told from other words", () => {
  assert.equal(isTimeZone("Europe/Berlin"), true);
  assert.equal(isTimeZone("Mars/Olympus"), false);
});
