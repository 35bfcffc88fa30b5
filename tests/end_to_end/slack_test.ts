import assert from "node:assert/strict";
import { z } from "zod";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import {
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { ModelServer, say } from "../simulators/model_server.ts";
import { SlackPlatform } from "../simulators/slack_server.ts";

const CHAT = "DALICE";
const PATIENCE = { timeoutMs: 30_000 };

function workspace(): SlackPlatform {
  const platform = SlackPlatform.start(systemClock);
  platform.addPerson("UALICE", "Alice");
  platform.world.directChat("UALICE");
  platform.addChannel("C0TEAM", "team");
  return platform;
}

function optionsFor(platform: SlackPlatform, model: ModelServer): GatewayProcessOptions {
  const { botToken, appToken, apiUrl } = platform;
  const slack: JsonObject = { enabled: true, allowFrom: ["*"], botToken, appToken, apiUrl };
  return {
    model,
    config: { channels: { slack }, tools: { exec: { sandbox: "virtual" } } },
  };
}

/** The final texts of a chat; a growing answer counts once it is whole. */
function texts(platform: SlackPlatform, channel: string): readonly string[] {
  return platform.seen(channel).map(({ text }) => text);
}

Deno.test("Slack is answered by a gateway that has the printed rights and no others", async () => {
  await using platform = workspace();
  await using model = await ModelServer.start(() => say("It will ", "rain."));
  await using home = await GatewayHome.make();
  const options = optionsFor(platform, model);
  await writeConfig(home, options);
  const { code, stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
  assert.equal(code, 0, stderr);
  const { command } = z.object({ command: z.array(z.string()) }).parse(JSON.parse(stdout));
  const program = command.slice(0, -1);
  await using gateway = await GatewayProcess.start(home, { ...options, program });
  await until(() => platform.sockets.open === 1, { ...PATIENCE, what: "a socket" });
  platform.says({ text: "The weather?" });
  const { message } = platform.says({ channel: "C0TEAM", text: "<@UBOT01> The weather?" });
  for (const channel of [CHAT, "C0TEAM"]) {
    await until(() => texts(platform, channel).at(-1) === "It will rain.", {
      ...PATIENCE,
      what: `an answer in ${channel} (${gateway.output})`,
    });
  }
  assert.deepEqual(platform.seen("C0TEAM").map(({ threadTs }) => threadTs), [message.ts]);
  await until(() => message.reactions.has("UBOT01:white_check_mark"), PATIENCE);
});

Deno.test("Slack gets each answer once although the gateway is killed before it could give it", async () => {
  await using platform = workspace();
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await using model = await ModelServer.start(async () => {
    asked.resolve();
    await gate.promise;
    return say("All ", "is well.");
  });
  await using home = await GatewayHome.make();
  const options = optionsFor(platform, model);
  {
    await using first = await GatewayProcess.start(home, options);
    await until(() => platform.sockets.open === 1, { ...PATIENCE, what: "a socket" });
    const { told: [delivery] } = platform.says({ text: "How are you?" });
    await until(() => delivery?.isAcknowledged === true, PATIENCE);
    await asked.promise;
    await first.kill();
  }
  platform.says({ text: "And now?" });
  gate.resolve();
  await using second = await GatewayProcess.start(home, options);
  await until(() => model.requests.length >= 2, PATIENCE);
  await until(() => texts(platform, CHAT).filter((text) => text === "All is well.").length >= 1, {
    ...PATIENCE,
    what: `answers (${second.output})`,
  });
  await until(async () => {
    const { queue } = z.object({ queue: z.record(z.string(), z.number()) })
      .parse(await second.health());
    return (queue["accepted"] ?? 0) + (queue["running"] ?? 0) + (queue["outbound"] ?? 0) === 0;
  }, PATIENCE);
  const transcript = await home.transcript(`slack_${CHAT}`);
  assert.equal(transcript.filter((text) => text.includes("How are you?")).length, 1);
  assert.equal(transcript.filter((text) => text.includes("And now?")).length, 1);
  const answers = transcript.filter((text) => text === "assistant: All is well.");
  assert.deepEqual(texts(platform, CHAT), answers.map(() => "All is well."));
});
