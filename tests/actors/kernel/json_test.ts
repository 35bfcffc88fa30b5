import assert from "node:assert/strict";
import { isTooDeep } from "../../../actors/kernel/json.ts";

Deno.test.each([
  { value: "[[[[", levels: 0 },
  { value: null, levels: 0 },
  { value: [], levels: 1 },
  { value: { a: 1, b: [1, { c: "2" }] }, levels: 3 },
])("isTooDeep counts $levels levels of %j", ({ value, levels }) => {
  assert.ok(!isTooDeep(value, levels));
  if (levels > 0) assert.ok(isTooDeep(value, levels - 1));
});

Deno.test("isTooDeep looks into what is nested without end, and into what is very wide", () => {
  assert.ok(isTooDeep(JSON.parse("[".repeat(100_000) + "]".repeat(100_000))));
  assert.ok(!isTooDeep(Array.from({ length: 200_000 }, (_, index) => ({ index }))));
});
