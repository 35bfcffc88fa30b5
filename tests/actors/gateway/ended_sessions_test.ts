import assert from "node:assert/strict";
import { wakeEndedSessions } from "../../../actors/gateway/ended_sessions.ts";
import type { WakeSession } from "../../../actors/gateway/router.ts";
import { endedNote } from "../../../actors/session/ended_conversation.ts";
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

Deno.test("Who cannot look for ended conversations starts without", async () => {
  const router = new Probe<WakeSession>();
  const noteKeys = () => Promise.reject(new Error("the disk is gone"));
  await wakeEndedSessions({ noteKeys }, router);
  assert.deepEqual(router.received, []);
});
