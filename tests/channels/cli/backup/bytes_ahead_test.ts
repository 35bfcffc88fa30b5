import assert from "node:assert/strict";
import { BytesAhead } from "../../../../channels/cli/backup/bytes_ahead.ts";
import { settle } from "../../../support/until.ts";

Deno.test("BytesAhead lets go on once enough was taken, or fails when nobody takes any more", async () => {
  const ahead = new BytesAhead(10);
  const life = new AbortController();
  await ahead.gave(10, life.signal);
  let hasRoom = false;
  const giving = ahead.gave(5, life.signal).then(() => hasRoom = true);
  ahead.took(4);
  await settle();
  assert.equal(hasRoom, false);
  ahead.took(1);
  await giving;
  const stuck = assert.rejects(ahead.gave(5, life.signal), /the disk is full/);
  life.abort(new Error("the disk is full"));
  await stuck;
});
