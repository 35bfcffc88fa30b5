import assert from "node:assert/strict";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform, NO_LIMITS } from "../simulators/feishu_server.ts";
import { ModelServer } from "../simulators/model_server.ts";
import { checkFiles, checkNothingLost } from "./check.ts";
import { answerMarks, marked } from "./marked_talk.ts";

const KILLS = 4;
/** Both commands ran: the model is asked for the answer. */
const REQUESTS_BEFORE_ANSWER = 3;

Deno.test("A turn that dies again and again goes on alone and runs no command twice", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start({ limits: NO_LIMITS });
  const { promise: joined, resolve: joins } = Promise.withResolvers<void>();
  const { promise: calm, resolve: calms } = Promise.withResolvers<void>();
  await using model = await ModelServer.start((request) => {
    const reply = answerMarks(request);
    if (!("steps" in reply)) return reply;
    if (request.index === 0) return { ...reply, headersAfter: joined };
    if (request.index + 1 >= REQUESTS_BEFORE_ANSWER) return { ...reply, headersAfter: calm };
    return reply;
  });
  const options = { model, feishu: platform };
  const say = (number: number) =>
    platform.userSays({ text: marked(number, { runsCommand: true }) });
  for (let kill = 1; kill <= KILLS; kill++) {
    await using gateway = await GatewayProcess.start(home, options);
    await platform.connected({ timeoutMs: 30_000 });
    if (kill === 1) {
      say(0);
      await model.request(0);
      await say(1).acknowledged;
      joins();
    }
    const asked = REQUESTS_BEFORE_ANSWER + kill - 1;
    await until(() => model.requests.length >= asked, { timeoutMs: 30_000 });
    await gateway.kill();
  }
  calms();
  await using gateway = await GatewayProcess.start(home, options);
  await checkNothingLost({ home, platform, messages: 2, timeoutMs: 30_000 });
  assert.equal(await gateway.stop(), 0);
  await checkFiles(home);
});
