import assert from "node:assert/strict";
import { z } from "zod";
import { ModelServer, say } from "../simulators/model_server.ts";
import { TelegramPlatform } from "../simulators/telegram_server.ts";
import {
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

const ALICE = 1_001;
const printed = z.object({
  command: z.array(z.string()),
  rights: z.object({ net: z.array(z.string()) }),
});
const PATIENCE = { timeoutMs: 30_000 };

Deno.test("Telegram is answered by a gateway that has the printed rights and no others", async () => {
  await using platform = TelegramPlatform.start();
  platform.addPerson(ALICE, { firstName: "Alice" });
  await using model = await ModelServer.start(() => say("It will ", "rain."));
  await using home = await GatewayHome.make();
  const { token, url: apiRoot } = platform;
  const telegram = { enabled: true, allowFrom: [String(ALICE)], token, apiRoot };
  const options: GatewayProcessOptions = {
    model,
    config: { channels: { telegram }, tools: { exec: { sandbox: "virtual" } } },
  };
  await writeConfig(home, options);
  const { code, stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
  assert.equal(code, 0, stderr);
  const { command, rights } = printed.parse(JSON.parse(stdout));
  const program = command.slice(0, -1);
  const hosts = rights.net.filter((host) => host === "*" || host === new URL(apiRoot).host);
  assert.equal(hosts.length, 1);
  await using gateway = await GatewayProcess.start(home, { ...options, program });
  const said = platform.userSays({ text: "The weather?" });
  const last = () => platform.shown(ALICE).at(-1)?.text;
  await until(() => last() === "It will rain.", {
    ...PATIENCE,
    what: `an answer (${gateway.output})`,
  });
  await until(() => platform.reaction(ALICE, said.messageId) === null, PATIENCE);
  assert.equal(platform.shown(ALICE).length, 1);
});
