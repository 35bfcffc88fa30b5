import assert from "node:assert/strict";
import { routerActor } from "../../../actors/gateway/router.ts";
import { JournalError } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { endedNote } from "../../../actors/session/ended_conversation.ts";
import { goalNoteKeys } from "../../../actors/session/goal/goal_desk.ts";
import type { SessionMessage } from "../../../actors/session/ports.ts";
import { acting } from "../../support/acting.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

/** Before a router looks again after a failed read. */
const RESCAN_MS = 5_000;

/** A router that starts on what a journal holds, and the sessions that it wakes. */
function setUp() {
  const home = testSystem();
  const journal = new MemoryJournal({ clock: home.clock, defer: queueMicrotask });
  const woken: string[] = [];
  const start = () =>
    home.system.spawn(routerActor({
      journal,
      recovers: true,
      startSession: (spawn, sessionKey) => {
        woken.push(sessionKey);
        return spawn(acting<SessionMessage>(() => {}));
      },
    }));
  const note = (...keys: readonly string[]) =>
    journal.commit({ notes: keys.map((key) => ({ key, value: true })) });
  return { home, journal, woken, start, note };
}

Deno.test("Sessions are woken whose ended conversations are not archived", async () => {
  const { home, woken, start, note } = setUp();
  await using _ = home;
  const long = `feishu:${"x".repeat(300)}`; // its file's name holds a digest
  await note(endedNote("cli:direct"), endedNote(long), "endedness", "other:api:x");
  start();
  await settle();
  assert.deepEqual(woken.toSorted(), ["cli:direct", long]);
});

Deno.test("Sessions are woken whose goals are under way, each once", async () => {
  const { home, woken, start, note } = setUp();
  await using _ = home;
  const [active = "", over = ""] = goalNoteKeys("cli:direct");
  await note(active, over, endedNote("cli:direct"), goalNoteKeys("feishu:a")[1] ?? "");
  start();
  await settle();
  assert.deepEqual(woken, ["cli:direct"]);
});

Deno.test("Who cannot look for unfinished sessions looks again", async () => {
  const { home, journal, woken, start, note } = setUp();
  await using _ = home;
  await note(endedNote("cli:direct"));
  const noteKeys = journal.noteKeys.bind(journal);
  journal.noteKeys = () => {
    journal.noteKeys = noteKeys;
    return Promise.reject(new JournalError("journal_failed", "Cannot read: input/output error"));
  };
  start();
  await settle();
  assert.deepEqual(woken, []);
  await home.clock.advance(RESCAN_MS);
  await settle();
  assert.deepEqual(woken, ["cli:direct"]);
});
