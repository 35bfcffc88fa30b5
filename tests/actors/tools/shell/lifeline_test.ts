import assert from "node:assert/strict";
import { systemNewId } from "../../../../actors/kernel/adapters/system_clock.ts";
import { Lifeline } from "../../../../actors/tools/shell/adapters/lifeline.ts";
import { shellGround } from "../../../contract/shell_level.ts";
import { killOwner, processesOf } from "../../../support/killed_owner.ts";
import { LogRecorder } from "../../../support/log_recorder.ts";

const STUBBORN = [
  "sleep 4711 & sleep 4711",
  "trap '' TERM HUP INT; sleep 4711; sleep 4711",
  "setsid setsid sleep 4711 & (nohup sleep 4711 &); wait",
];

Deno.test("A gateway that is killed leaves no plain process running", async () => {
  await using ground = await shellGround();
  await killOwner(ground, { level: "process", commands: STUBBORN, livesMs: 300 });
  assert.deepEqual(await processesOf(ground.workspace), []);
});

Deno.test("A gateway that is killed leaves no process running that it was starting", async () => {
  await using ground = await shellGround();
  const commands = Array.from({ length: 8 }, () => "sleep 4711");
  await killOwner(ground, { level: "process", commands, livesMs: 0 });
  assert.deepEqual(await processesOf(ground.workspace), []);
});

Deno.test("A gateway that is killed leaves no interpreter running", async () => {
  await using ground = await shellGround();
  const commands = ["sleep 30", "while true; do sleep 1; done"];
  await killOwner(ground, { level: "virtual", commands, livesMs: 300 });
  assert.deepEqual(await processesOf(ground.workspace), []);
});

Deno.test("A lifeline ends with its owner's word, and not what it watched", async () => {
  await using lifeline = new Lifeline(systemNewId, "sh");
  const env = { TROUPE_COMMAND: lifeline.newMark() };
  await using child = new Deno.Command("sleep", { args: ["60"], env }).spawn();
  await lifeline[Symbol.asyncDispose]();
  child.kill("SIGTERM");
  assert.equal((await child.status).signal, "SIGTERM");
});

Deno.test({
  name: "A lifeline that cannot watch says so to those alone who go on with it",
  permissions: { run: false },
  async fn() {
    await using logs = await LogRecorder.start();
    await using lifeline = new Lifeline(systemNewId, "sh");
    assert.deepEqual(logs.warnings("outlive"), []);
    lifeline.warn();
    assert.match(logs.warnings("may outlive a gateway").join("\n"), /no watcher \(.*run access/);
  },
});
