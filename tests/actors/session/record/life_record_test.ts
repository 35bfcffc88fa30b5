import assert from "node:assert/strict";
import { LifeRecord } from "../../../../actors/session/record/life_record.ts";

Deno.test("LifeRecord writes a text once, and forgets the oldest of many", () => {
  const life = new LifeRecord();
  const rows = (digest: string) => life.row(digest, "text", 0).length;
  assert.equal(rows("first"), 1);
  assert.equal(rows("first"), 0);
  for (let n = 0; n < 200; n++) rows(`other ${n}`);
  assert.equal(rows("first"), 1);
});
