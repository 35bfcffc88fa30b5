import assert from "node:assert/strict";
import { join } from "node:path";
import { wakeEndedSessions } from "../../../../actors/gateway/ended_sessions.ts";
import type { WakeSession } from "../../../../actors/gateway/router.ts";
import { listSessionFiles } from "../../../../actors/session/adapters/session_folder.ts";
import { Probe } from "../../../support/probe.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

Deno.test("listSessionFiles gives sessions' files with their times, and nothing else", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  for (const name of ["cli_direct.jsonl", "cli_direct.jsonl.ended", "notes.txt"]) {
    await Deno.writeTextFile(join(path, name), "");
  }
  await Deno.mkdir(join(path, "folder.jsonl"));
  const then = new Date("2026-01-02T03:04:05Z");
  await Deno.utime(join(path, "cli_direct.jsonl"), then, then);
  assert.deepEqual(await Array.fromAsync(listSessionFiles(path)), [
    { name: "cli_direct.jsonl", modifiedAtMs: then.getTime() },
  ]);
  const missing = join(path, "missing");
  assert.deepEqual(await Array.fromAsync(listSessionFiles(missing)), []);
});

Deno.test("Sessions are woken whose ended conversations are not archived", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const names = ["cli_direct.jsonl.ended", "feishu_oc_1.jsonl.ended", "api_x.jsonl", "%~x.ended"];
  for (const name of names) await Deno.writeTextFile(join(path, name), "");
  const router = new Probe<WakeSession>();
  await wakeEndedSessions(() => listSessionFiles(path, ".ended"), router);
  const keys = router.received.map(({ sessionKey }) => sessionKey);
  assert.deepEqual(keys.toSorted(), ["cli:direct", "feishu:oc_1"]);
});
