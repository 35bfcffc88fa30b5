import assert from "node:assert/strict";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { firstWaiting } from "../../../actors/session/incoming.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { anInbound } from "../journal/fixtures.ts";

Deno.test("A turn passes over what was taken back, although the journal does not know yet", async () => {
  await using journal = new MemoryJournal({ clock: new ManualClock(), defer: queueMicrotask });
  const seqs = [];
  for (const platformId of ["om_1", "om_2"]) {
    const taken = await journal.accept(anInbound({ platformId, sessionKey: "s" }));
    assert.ok(taken.state === "accepted");
    seqs.push(taken.inbound.seq);
  }
  const [first, second] = seqs;
  assert.equal((await firstWaiting(journal, "s", new Set()))?.first.seq, first);
  const left = await firstWaiting(journal, "s", new Set(seqs.slice(0, 1)));
  assert.deepEqual([left?.first.seq, left?.hasMore], [second, false]);
  assert.equal(await firstWaiting(journal, "s", new Set(seqs)), undefined);
});
