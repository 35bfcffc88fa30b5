import assert from "node:assert/strict";
import { LookupGuard } from "../../../actors/session/lookup_guard.ts";

Deno.test("The third look-up of the same address or query in a turn is a repetition", () => {
  const guard = new LookupGuard();
  const page = { url: " https://x.example/ " };
  const seen = [page, { url: "https://x.example/" }, page].map((args) =>
    guard.isRepetition("web_fetch", args)
  );
  assert.deepEqual(seen, [false, false, true]);
  const searches = ["Bees", "bees ", " BEES"].map((query) =>
    guard.isRepetition("web_search", { query })
  );
  assert.deepEqual(searches, [false, false, true]);
});

Deno.test("Parts of a long page are looked up as often as there are parts", () => {
  const guard = new LookupGuard();
  for (const offset of [0, 10_000, 20_000, 30_000]) {
    assert.equal(guard.isRepetition("web_fetch", { url: "https://x.example/", offset }), false);
  }
});

Deno.test("Other tools may be called as often as they like", () => {
  const guard = new LookupGuard();
  for (let n = 0; n < 10; n++) {
    assert.equal(guard.isRepetition("read_file", { url: "https://x.example/" }), false);
  }
});
