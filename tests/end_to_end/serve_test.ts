import assert from "node:assert/strict";
import OpenAI from "openai";
import {
  lastUserText,
  type ModelReply,
  ModelServer,
  type RecordedRequest,
  say,
} from "../simulators/model_server.ts";
import { STOPPED_NOTE } from "../../actors/session/wording.ts";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

function script(request: RecordedRequest): ModelReply {
  const words = lastUserText(request);
  if (words.includes("only once")) {
    return { steps: [{ type: "pause", until: "restarted" }, ...say("Once.").steps] };
  }
  if (!words.includes("for ever")) return say("Here I am.");
  return { steps: [{ type: "text", text: "Well" }, { type: "stall" }] };
}

Deno.test("serve answers the official client, stops what it lets go of, and once what it asks again", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start(script);
  const options = {
    ...{ model, command: ["serve", "--port", "0"] },
    config: { api: { apiKey: "key-of-the-test" }, tools: { exec: { enable: false } } },
  };
  const clientOf = ({ output }: GatewayProcess, apiKey = "key-of-the-test") => {
    const baseURL = /^API: (\S+)$/m.exec(output)?.[1] ?? "";
    return new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  };
  const ask = (client: OpenAI, content: string, more: OpenAI.RequestOptions = {}) =>
    client.chat.completions.create(
      { model: "test-model", messages: [{ role: "user", content }] },
      more,
    );
  await using serving = await GatewayProcess.start(home, options);
  assert.doesNotMatch(serving.output, /^(Channels|Jobs|Heartbeat|Health):/m);
  const client = clientOf(serving);
  await assert.rejects(ask(clientOf(serving, "wrong"), "hello"), OpenAI.AuthenticationError);
  const gone = new AbortController();
  const left = ask(client, "go on for ever", { signal: gone.signal });
  await until(() => model.running === 1, { what: "the turn" });
  gone.abort();
  await assert.rejects(left, OpenAI.APIUserAbortError);
  await until(() => model.running === 0, { what: "the end of the turn" });
  const { choices: [choice] } = await ask(client, "hello");
  assert.equal(choice?.message.content, "Here I am.");

  const named = { headers: { "idempotency-key": "k-1" } };
  const cutOff = ask(client, "only once", named).catch((error) => error);
  await until(() => model.running === 1, { what: "the turn that is cut off" });
  await serving.kill();
  assert.ok(await cutOff instanceof OpenAI.APIConnectionError);
  await using again = await GatewayProcess.start(home, options);
  model.release("restarted");
  const repeated = () => ask(clientOf(again), "only once", named);
  const answers = [(await repeated()).choices[0], (await repeated()).choices[0]];
  assert.deepEqual(answers.map((one) => one?.message.content), ["Once.", "Once."]);
  assert.deepEqual(await home.transcript("api_default"), [
    ...["user: go on for ever", `assistant: ${STOPPED_NOTE}`],
    ...["user: hello", "assistant: Here I am."],
    ...["user: only once", "assistant: Once."],
  ]);
  assert.equal(await again.stop(), 0);
});
