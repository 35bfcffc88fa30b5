import assert from "node:assert/strict";
import { z } from "zod";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { QqPlatform } from "../simulators/qq_server.ts";
import {
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

const ALICE = "E4F4AEA33253A2797FB897C50B81D7ED";

Deno.test("The gateway answers on QQ with the printed rights alone, and over a crash misses and repeats nothing", async () => {
  await using home = await GatewayHome.make();
  await using platform = new QqPlatform(systemClock);
  // Each reply counts there: no word on the way takes one.
  const looking = callTool("list_dir", { path: "." }, { text: "Let me look first." });
  await using model = await ModelServer.start([say("One."), say("Two."), looking, say("Three.")]);
  const { appId, secret, url } = platform;
  const options: GatewayProcessOptions = {
    model,
    config: {
      channels: {
        qq: { enabled: true, appId, secret, allowFrom: [ALICE], apiBase: url, authBase: url },
      },
      tools: { exec: { sandbox: "virtual" } },
    },
  };
  await writeConfig(home, options);
  const { code, stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
  assert.equal(code, 0, stderr);
  const { command } = z.object({ command: z.array(z.string()) }).parse(JSON.parse(stdout));
  const start = () => GatewayProcess.start(home, { ...options, program: command.slice(0, -1) });
  const texts = () =>
    platform.shown(ALICE).map(({ text }) => text).filter((text) => !text.startsWith("⏳"));
  const answered = (count: number) =>
    until(() => texts().length === count, { what: `answer ${count}`, timeoutMs: 30_000 });
  {
    await using gateway = await start();
    await until(() => platform.gateway.connections.some(({ entrance }) => entrance !== null), {
      what: "the bot's connection",
      timeoutMs: 30_000,
    });
    platform.userSays({
      from: ALICE,
      text: "first",
      extra: {
        attachments: [platform.offerFile({ name: "a.txt", bytes: new TextEncoder().encode("a") })],
      },
    });
    await answered(1);
    await gateway.kill();
  }
  platform.userSays({ from: ALICE, text: "second" });
  await using gateway = await start();
  await answered(2);
  platform.userSays({ from: ALICE, text: "third" });
  await answered(3);
  assert.deepEqual(texts(), ["One.", "Two.", "Three."]);
  assert.equal(platform.gateway.connections.at(-1)?.entrance, "resume");
  assert.equal(await gateway.stop(), 0);
  assert.doesNotMatch(gateway.output, new RegExp(secret));
});
