import assert from "node:assert/strict";
import { eraseSession } from "../../../actors/session/session_erasure.ts";
import { encodeMetadataLine } from "../../../actors/session/session_file.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { SessionStore } from "../../../actors/session/session_store.ts";

const KEY = "feishu:oc_1";
const FILE = "feishu_oc_1.jsonl";

Deno.test("Deleting a session takes all its files, and the next message begins anew", async () => {
  await using bench = new SessionBench({ script: ["one"] });
  await bench.say("hi");
  await bench.quiet();
  bench.files.texts.set(`${FILE}.corrupt`, "x");
  bench.files.texts.set("feishu_oc_2.jsonl", "another's");
  assert.equal(await eraseSession(KEY, bench), "deleted");
  assert.deepEqual([...bench.files.texts.keys()], ["feishu_oc_2.jsonl"]);
  const store = new SessionStore({ ...bench, clock: bench.world.clock });
  assert.deepEqual((await store.load(KEY)).messages, []);
  assert.equal(await eraseSession(KEY, bench), "missing");
});

Deno.test("A session in which somebody waits is not deleted", async () => {
  await using bench = new SessionBench({ grantsPermits: false });
  await bench.accept("hi");
  assert.equal(await eraseSession(KEY, bench), "busy");
});

Deno.test("Deleting a session takes nanobot's file of it, but none that only shares the name", async () => {
  const key = "cli:a/b";
  for (const [owner, state] of [[key, "deleted"], ["cli:a?b", "missing"]] as const) {
    await using bench = new SessionBench();
    const head = encodeMetadataLine({
      ...{ key: owner, createdAtMs: 0, updatedAtMs: 0, metadata: {}, lastConsolidated: 0 },
    });
    bench.files.texts.set("cli_a_b.jsonl", `${head}\n`);
    assert.equal(await eraseSession(key, bench), state);
    assert.equal(bench.files.texts.has("cli_a_b.jsonl"), state === "missing");
  }
});

Deno.test("A deletion that is cut short brings nothing back", async () => {
  await using bench = new SessionBench({ script: ["one"] });
  await bench.say("hi");
  await bench.quiet();
  bench.files.remove = () => Promise.reject(new Error("no disk"));
  await assert.rejects(eraseSession(KEY, bench), /no disk/);
  const store = new SessionStore({ ...bench, clock: bench.world.clock });
  assert.deepEqual((await store.load(KEY)).messages, []);
});
