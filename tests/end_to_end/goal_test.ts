import assert from "node:assert/strict";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { callTool, ModelServer, refuse, say } from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

Deno.test("A goal that waits to be tried again goes on after a restart, when its time has come", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    refuse(400, { message: "no" }),
    callTool("goal", { status: "reached", note: "sorted" }),
    say("All is sorted."),
  ]);
  const config = configFor({ model });
  {
    await using before = await startInProcess(home, config);
    await before.probe.say("anna", "/goal turns=3 Sort the letters");
    await until(() => before.probe.textsOf("anna").length === 2);
    await before.probe.say("anna", "/goal");
    await until(() => before.probe.textsOf("anna").length === 3);
    assert.match(
      before.probe.textsOf("anna")[2] ?? "",
      /turn 2 of 3.*\nThe next turn begins in 5\ds/,
    );
  }
  const world = systemWorld();
  const { clock } = world;
  const later = { now: () => clock.now() + 60_000, setTimer: clock.setTimer.bind(clock) };
  await using after = await startInProcess(home, config, { world: { ...world, clock: later } });
  await until(() => after.probe.textsOf("anna").length === 2);
  assert.deepEqual(after.probe.textsOf("anna"), [
    "All is sorted.",
    "The goal is reached, after 2 turns.",
  ]);
});
