import assert from "node:assert/strict";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import type { World } from "../../actors/gateway/world.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

/** This machine's world, in which it is a while later. */
function laterBy(ms: number): World {
  const world = systemWorld();
  const { clock } = world;
  return {
    ...world,
    clock: {
      now: () => clock.now() + ms,
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    },
  };
}

Deno.test("A reminder planned by chat arrives in that chat at its minute, after a restart", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("cron", { action: "add", message: "Remind them of the tea", at: "+1h" }),
    say("I will remind you."),
    say("Your tea is ready!"),
    callTool("cron", { action: "list" }),
    say("You had asked for tea."),
  ]);
  const config = configFor({ model });
  {
    await using before = await startInProcess(home, config);
    await before.probe.say("anna", "Remind me of my tea in an hour");
    await until(() => before.probe.textsOf("anna").includes("I will remind you."), {
      timeoutMs: 20_000,
    });
  }
  const kept = JSON.parse(await Deno.readTextFile(`${home.path}/workspace/cron/jobs.json`));
  const dueMs: number = kept.jobs[0].schedule.atMs;
  // The second life begins a moment before the time has come.
  const world = laterBy(dueMs - 1_500 - Date.now());
  await using after = await startInProcess(home, config, { world });
  await until(() => after.probe.textsOf("anna").length > 0, { timeoutMs: 20_000 });
  const lateMs = world.clock.now() - dueMs;
  assert.ok(lateMs >= 0 && lateMs < 60_000, `it came ${lateMs} ms after its time`);
  assert.deepEqual(after.probe.textsOf("anna"), ["Your tea is ready!"]);
  const asked = JSON.stringify(model.requests[2]?.body.messages.at(-1));
  assert.match(asked, /From: a scheduled job that is due; the person did not write this/);
  assert.match(asked, /Remind them of the tea/);
  // The conversation knows of it, and the job is gone.
  await after.probe.say("anna", "What was that?");
  await until(() => after.probe.textsOf("anna").length > 1, { timeoutMs: 20_000 });
  const results = model.requests.at(-1)?.body.messages.filter(({ role }) => role === "tool");
  assert.match(JSON.stringify(results?.at(-1)), /No jobs are scheduled/);
  assert.match(JSON.stringify(model.requests.at(-1)?.body.messages), /Your tea is ready!/);
});
