import assert from "node:assert/strict";
import { join } from "node:path";
import { connectControl } from "../../../../actors/gateway/adapters/control_socket.ts";
import { systemWorld } from "../../../../actors/gateway/adapters/system_world.ts";
import { askDoor } from "../../../../actors/gateway/control_client.ts";
import { topRequest } from "../../../../actors/gateway/watch/top.ts";
import { topLines } from "../../../../channels/cli/top_text.ts";
import { callTool, ModelServer, say } from "../../../simulators/model_server.ts";
import { startInProcess } from "../../../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../../../support/gateway_process.ts";
import { until } from "../../../support/until.ts";
import { Screen } from "../../../channels/cli/_provider_home.ts";
import { main } from "../../../../channels/cli/main.ts";

Deno.test("A gateway tells of its work at /metrics and at the control door", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("list_dir", { path: "." }),
    say("done"),
  ]);
  await using running = await startInProcess(home, {
    ...configFor({ model, config: { tools: { exec: { enable: false } } } }),
    gateway: { port: 0 },
  });
  const { gateway, probe } = running;
  await probe.say("chat_of_ann", "hello");
  await until(() => probe.textsOf("chat_of_ann").includes("done"), { what: "the answer" });
  const url = (gateway.healthUrl ?? "").replace("/health", "/metrics");
  let text = "";
  const read = async () => {
    const response = await fetch(url);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
    text = await response.text();
    return /^troupe_turns_total\{outcome="done"\} 1$/m.test(text);
  };
  await until(read, { what: "the turn's end in the metrics" });
  for (
    const line of [
      /^troupe_model_calls_total\{provider="custom",model="[^"]+",outcome="answered"\} 2$/m,
      /^troupe_tool_calls_total\{tool="list_dir",outcome="ok"\} 1$/m,
      /^troupe_deliveries_total\{channel="probe",outcome="sent"\} 1$/m,
      /^troupe_turn_seconds_count 1$/m,
      /^process_resident_memory_bytes [1-9]/m,
    ]
  ) assert.match(text, line);
  assert.doesNotMatch(text, /chat_of_ann/);
  const posted = await fetch(url, { method: "POST" });
  assert.deepEqual([posted.status, await posted.text()], [404, "Not Found"]);

  const { clock } = systemWorld();
  const peer = await connectControl(join(home.path, "state"));
  assert.ok(peer !== null);
  const top = await askDoor(peer, topRequest, {}, clock);
  assert.equal(top.status, "ok");
  assert.deepEqual(top.turns, []);
  assert.ok(top.actors.some(({ name }) => name === "/gate"), "the gate is an actor");
  assert.match(topLines(top, { columns: 200 }).join("\n"), /^probe +ready +0 +0$/m);

  await Deno.writeTextFile(join(home.path, "config.json"), "{}");
  const screen = new Screen();
  const args = ["top", "--once", "--json", "--config", join(home.path, "config.json")];
  assert.equal(await main(args, screen), 0, screen.err);
  assert.equal(JSON.parse(screen.out).status, "ok");
});
