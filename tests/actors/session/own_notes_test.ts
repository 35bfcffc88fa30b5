import assert from "node:assert/strict";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { OwnSettings } from "../../../actors/session/own_state.ts";

function nested(levels: number): JsonValue {
  return levels === 0 ? "end" : [nested(levels - 1)];
}

Deno.test("A note of ten levels is kept, one of eleven refused in words", () => {
  const own = new OwnSettings();
  own.note("plan", nested(10));
  assert.throws(() => own.note("plan", nested(11)), /Cannot set "plan": it is nested too deeply/);
  assert.deepEqual(own.notes, { plan: nested(10) });
});
