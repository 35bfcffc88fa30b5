import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { DingTalkPlatform } from "../simulators/dingtalk_server.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import {
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

const ALICE = "al01";
const NOTHING_LEFT = { accepted: 0, running: 0, outbound: 0 };

function optionsFor(platform: DingTalkPlatform, model: ModelServer): GatewayProcessOptions {
  const { clientId, clientSecret, url } = platform;
  return {
    model,
    config: {
      channels: {
        dingtalk: {
          ...{ enabled: true, clientId, clientSecret, allowFrom: [ALICE] },
          ...{ apiBase: url, oapiBase: url },
        },
      },
      tools: { exec: { sandbox: "virtual" } },
    },
  };
}

/** What Alice was sent, without the notes that something waits. */
function textsIn(platform: DingTalkPlatform): string[] {
  return platform.world.messages.filter(({ to }) => to === ALICE)
    .map(({ param }) => String(param["text"] ?? param["content"]))
    .filter((text) => !text.startsWith("⏳"));
}

Deno.test("The gateway answers on DingTalk with the printed rights alone, and over a crash misses and repeats nothing", async () => {
  await using home = await GatewayHome.make();
  await using platform = DingTalkPlatform.start({ repeatMs: 1_000 });
  platform.addPerson(ALICE, "Alice");
  await using model = await ModelServer.start([say("One."), say("Two."), say("Three.")]);
  const options = optionsFor(platform, model);
  await writeConfig(home, options);
  const { code, stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
  assert.equal(code, 0, stderr);
  const { command } = z.object({ command: z.array(z.string()) }).parse(JSON.parse(stdout));
  const start = () => GatewayProcess.start(home, { ...options, program: command.slice(0, -1) });
  const texts = () => textsIn(platform);
  const answered = (count: number) =>
    until(() => texts().length === count, { what: `answer ${count}`, timeoutMs: 30_000 });
  {
    await using gateway = await start();
    platform.userSays({
      extra: {
        msgtype: "file",
        content: {
          downloadCode: platform.offerFile({
            name: "a.txt",
            bytes: new TextEncoder().encode("a"),
          }),
          fileName: "a.txt",
        },
      },
    });
    await answered(1);
    // DingTalk knows no keys: a crash before the journal knows would leave the answer in doubt.
    await until(async () => isDeepStrictEqual((await gateway.health())["queue"], NOTHING_LEFT), {
      what: "an answer that is known to have arrived",
    });
    await gateway.kill();
  }
  // Nobody takes it: DingTalk brings it again.
  platform.userSays({ text: "second" });
  await using gateway = await start();
  await answered(2);
  platform.userSays({ text: "third" });
  await answered(3);
  assert.deepEqual(texts(), ["One.", "Two.", "Three."]);
  assert.equal(await gateway.stop(), 0);
  assert.ok(!gateway.output.includes(platform.clientSecret));
});

Deno.test("Words before a tool call come to DingTalk as a message of their own", async () => {
  await using home = await GatewayHome.make();
  await using platform = DingTalkPlatform.start({ repeatMs: 1_000 });
  platform.addPerson(ALICE, "Alice");
  const looking = callTool("list_dir", { path: "." }, { text: "Let me look first." });
  await using model = await ModelServer.start([looking, say("Done.")]);
  await using _ = await GatewayProcess.start(home, optionsFor(platform, model));
  platform.userSays({ text: "hello" });
  await until(() => textsIn(platform).includes("Done."), {
    what: "the answer",
    timeoutMs: 30_000,
  });
  assert.deepEqual(textsIn(platform), ["Let me look first.", "Done."]);
});
