import assert from "node:assert/strict";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

Deno.test("The model finds what the person said, and nothing of another person", async () => {
  await using home = await GatewayHome.make();
  const recall = callTool("recall", { query: "locker code" });
  await using model = await ModelServer.start([
    say("Noted."),
    recall,
    say("I know nothing, bob."),
    say("A new beginning."),
    recall,
    say("It is zebra."),
  ]);
  const config = configFor({ model, defaults: { memoryScope: "person" } });
  await using running = await startInProcess(home, config);
  const { probe } = running;
  const hears = async (chat: string, said: string, pattern: RegExp) => {
    await probe.say(chat, said);
    await until(() => probe.textsOf(chat).some((text) => pattern.test(text)), {
      what: `${pattern} in ${JSON.stringify(probe.textsOf(chat))}`,
      timeoutMs: 20_000,
    });
  };
  await hears("anna", "My locker code is zebra", /Noted/);
  await until(async () => (await home.session("probe_anna")).length >= 3);
  await hears("bob", "What is the locker code?", /nothing, bob/);
  const ofBob = JSON.stringify(model.requests.slice(1, 3).map(({ body }) => body));
  assert.doesNotMatch(ofBob, /zebra/);
  await hears("anna", "what else?", /A new beginning/);
  await hears("anna", "What was it again?", /It is zebra/);
  const results = model.requests.at(-1)?.body.messages.filter(({ role }) => role === "tool");
  assert.match(JSON.stringify(results), /probe:anna, the person\] My locker code is zebra/);
});
