import assert from "node:assert/strict";
import {
  callTool,
  lastUserText,
  type ModelReply,
  ModelServer,
  type RecordedRequest,
  say,
} from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

/** A model that finds dry plants, once, and waters them when it is told to. */
function gardener(): (request: RecordedRequest) => ModelReply {
  let looks = 0;
  return (request) => {
    const asked = JSON.stringify(request.body);
    if (asked.includes("evaluate_notification")) {
      return callTool("evaluate_notification", { should_notify: true });
    }
    if (asked.includes('"name":"heartbeat"')) {
      const action = looks++ === 0 ? "run" : "skip";
      return callTool("heartbeat", { action, tasks: "Look at the plants", numbers: [1] });
    }
    const said = lastUserText(request);
    if (said.includes("[Heartbeat")) return say("The plants are dry.");
    const isUnderstood = asked.includes("The plants are dry.");
    if (!said.includes("Yes, water them")) return say("Hello!");
    return say(isUnderstood ? "Watered." : "Water what?");
  };
}

Deno.test("What a heartbeat finds is told to the person who last wrote, whose answer is understood", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start(gardener());
  const config = configFor({
    model,
    defaults: { unifiedSession: true },
    config: { gateway: { port: 0, heartbeat: { intervalS: 1 } } },
  });
  await using gateway = await startInProcess(home, config);
  const texts = () => gateway.probe.textsOf("anna");
  const heard = (count: number) => until(() => texts().length >= count, { timeoutMs: 20_000 });
  await gateway.probe.say("anna", "Hi");
  await heard(1);
  await Deno.writeTextFile(`${home.path}/workspace/HEARTBEAT.md`, "## Active Tasks\n- plants\n");
  await heard(2);
  await gateway.probe.say("anna", "Yes, water them");
  await heard(3);
  assert.deepEqual(texts(), ["Hello!", "The plants are dry.", "Watered."]);
});
