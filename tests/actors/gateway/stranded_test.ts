import assert from "node:assert/strict";
import { strandedIn } from "../../../actors/gateway/stranded.ts";
import type { ActedRow } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { accepted, anOutbound } from "../journal/fixtures.ts";
import { ManualClock } from "../../support/manual_clock.ts";

async function setUp() {
  const clock = new ManualClock();
  const journal = new MemoryJournal({ clock, defer: queueMicrotask });
  const acted: ActedRow[] = [];
  const stranded = strandedIn(journal, (row) => acted.push(row));
  await accepted(journal);
  await clock.advance(10);
  await journal.commit({
    inbounds: [{ seq: 1, state: "parked" }],
    outbounds: [anOutbound({ key: "sent" }), anOutbound({ key: "failed" })],
  });
  await journal.commit({
    outboundChanges: [
      { key: "sent", state: "sent" },
      { key: "failed", state: "failed", error: "no such chat" },
    ],
  });
  return { journal, stranded, acted };
}

Deno.test("strandedIn lists what needs a person, newest first", async () => {
  const { stranded } = await setUp();
  const messages = await stranded.list(10);
  assert.deepEqual(
    messages.map(({ id, direction, state, reason }) => [id, direction, state, reason]),
    [
      ["out-2", "out", "failed", "no such chat"],
      ["in-1", "in", "parked", "broke every attempt to answer it"],
    ],
  );
  assert.equal((await stranded.list(1)).length, 1);
});

Deno.test("strandedIn takes up and lets go by id, and tells whoever works on it", async () => {
  const { journal, stranded, acted } = await setUp();
  assert.equal(await stranded.retry(" OUT-2 "), "done");
  assert.equal((await journal.outbound("failed"))?.state, "pending");
  assert.equal(await stranded.drop("out-2"), "done");
  assert.equal(await stranded.drop("in-1"), "done");
  assert.equal((await journal.counts()).inbounds.stopped, 1);
  assert.deepEqual(acted.map(({ kind, row }) => [kind, row.state]), [
    ["outbound", "pending"],
    ["outbound", "failed"],
    ["inbound", "stopped"],
  ]);
});

Deno.test.each(["", "1", "out", "out-", "out-x", "in-9", "out-1", "in-1e3", "sql'"])(
  "strandedIn finds nothing to do for %j",
  async (id) => {
    const { stranded, acted } = await setUp();
    assert.equal(await stranded.retry(id), "missing");
    assert.deepEqual(acted, []);
  },
);
