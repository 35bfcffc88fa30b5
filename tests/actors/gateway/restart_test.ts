import assert from "node:assert/strict";
import { announceRestart, restartPort } from "../../../actors/gateway/restart.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { OutboxMessage } from "../../../actors/session/ports.ts";
import { accepted } from "../journal/fixtures.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { Probe } from "../../support/probe.ts";

function setUp() {
  const clock = new ManualClock();
  const journal = new MemoryJournal({ clock, defer: queueMicrotask });
  const outbox = new Probe<OutboxMessage>();
  const port = restartPort({ clock, request: () => {} });
  const announce = () =>
    announceRestart({
      journal,
      clock,
      outbox: (name) => name === "feishu" ? outbox : undefined,
    });
  return { clock, journal, outbox, port, announce };
}

Deno.test("announceRestart tells the chat that asked, once", async () => {
  const { clock, journal, outbox, port, announce } = setUp();
  const command = await accepted(journal, { content: "/restart", context: { message_id: "om_1" } });
  await journal.commit({ notes: [port.noteFor(command)] });
  await clock.advance(2_340);
  await announce();
  await announce();
  assert.equal(outbox.received.length, 1);
  const [row] = journal.rows().outbounds;
  assert.deepEqual([row?.channel, row?.chatId, row?.content, row?.context], [
    "feishu",
    "oc_1",
    "Restart completed in 2.3 s.",
    { message_id: "om_1" },
  ]);
});

Deno.test("announceRestart says nothing at any other start, whatever the note is", async () => {
  const { journal, outbox, announce } = setUp();
  await announce();
  await journal.commit({ notes: [{ key: "restart", value: "garbage" }] });
  await announce();
  assert.equal(outbox.received.length, 0);
});
