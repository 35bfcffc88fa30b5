import assert from "node:assert/strict";
import { wakeEndedSessions } from "../../../actors/gateway/ended_sessions.ts";
import type { WakeSession } from "../../../actors/gateway/router.ts";
import { endedNote } from "../../../actors/session/ended_conversation.ts";
import { goalNoteKeys } from "../../../actors/session/goal/goal_desk.ts";
import { Probe } from "../../support/probe.ts";
import { SessionBench } from "../../support/session_bench.ts";

Deno.test("Sessions are woken whose ended conversations are not archived", async () => {
  await using bench = new SessionBench();
  const long = `feishu:${"x".repeat(300)}`; // its file's name holds a digest
  const notes = [endedNote("cli:direct"), endedNote(long), "endedness", "other:api:x"];
  await bench.journal.commit({ notes: notes.map((key) => ({ key, value: true })) });
  const router = new Probe<WakeSession>();
  await wakeEndedSessions(bench.journal, router);
  const keys = router.received.map(({ sessionKey }) => sessionKey);
  assert.deepEqual(keys.toSorted(), ["cli:direct", long]);
});

Deno.test("Sessions are woken whose goals are under way", async () => {
  await using bench = new SessionBench();
  const [active = "", over = ""] = goalNoteKeys("cli:direct");
  const notes = [active, over, endedNote("cli:direct"), goalNoteKeys("feishu:a")[1] ?? ""];
  await bench.journal.commit({ notes: notes.map((key) => ({ key, value: true })) });
  const router = new Probe<WakeSession>();
  await wakeEndedSessions(bench.journal, router);
  assert.deepEqual(router.received.map(({ sessionKey }) => sessionKey), ["cli:direct"]);
});

Deno.test("Who cannot look for ended conversations starts without", async () => {
  const router = new Probe<WakeSession>();
  const noteKeys = () => Promise.reject(new Error("the disk is gone"));
  await wakeEndedSessions({ noteKeys }, router);
  assert.deepEqual(router.received, []);
});
