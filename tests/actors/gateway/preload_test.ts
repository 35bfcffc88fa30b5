import assert from "node:assert/strict";
import { preloadOnce } from "../../../actors/gateway/preload.ts";
import { LogRecorder } from "../../support/log_recorder.ts";
import { settle } from "../../support/until.ts";

Deno.test("preloadOnce loads when it is first asked, and once", () => {
  let loads = 0;
  const preload = preloadOnce(() => Promise.resolve(void loads++));
  assert.equal(loads, 0);
  preload();
  preload();
  assert.equal(loads, 1);
});

Deno.test("preloadOnce leaves a failure to the first call, which tells it", async () => {
  await using log = await LogRecorder.start();
  const preload = preloadOnce(() => Promise.reject(new TypeError("no such module")));
  preload();
  await settle(); // An unhandled rejection would fail this test.
  assert.deepEqual(log.records.map(({ properties }) => properties["error"]), ["no such module"]);
});
