import assert from "node:assert/strict";
import { z } from "zod";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { DiscordPlatform } from "../simulators/discord_server.ts";
import { ModelServer, say } from "../simulators/model_server.ts";
import {
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

/** The platform tells a bot nothing of the time before it came for the first time. */
function connected(platform: DiscordPlatform): Promise<void> {
  return until(() => platform.connections.some(({ entrance }) => entrance !== null), {
    what: "the bot's connection",
    timeoutMs: 30_000,
  });
}

Deno.test("The gateway answers on Discord, and over a crash misses and repeats nothing", async () => {
  await using home = await GatewayHome.make();
  await using platform = new DiscordPlatform(systemClock);
  await using model = await ModelServer.start([say("One."), say("Two."), say("Three.")]);
  const alice = platform.addPerson("alice", "Alice");
  const channel = platform.direct(alice);
  const start = () =>
    GatewayProcess.start(home, {
      model,
      config: {
        channels: {
          discord: {
            enabled: true,
            token: platform.token,
            allowFrom: [alice.id],
            apiBase: platform.apiBase,
          },
        },
      },
    });
  const { world } = platform;
  const fromBot = () => world.messagesIn(channel.id).filter(({ author }) => author === world.bot);
  const texts = () => fromBot().map((message) => message.texts.at(-1));
  const answered = (count: number) =>
    until(() => texts().length === count, { what: `answer ${count}`, timeoutMs: 30_000 });
  {
    await using gateway = await start();
    await connected(platform);
    const said = platform.userSays({ author: alice, channel, text: "first" });
    await answered(1);
    await until(() => said.reactions.size === 0, { what: "the end of all signs" });
    assert.deepEqual(platform.commands.some(({ name }) => name === "new"), true);
    await gateway.kill();
  }
  platform.userSays({ author: alice, channel, text: "second" });
  await using gateway = await start();
  await answered(2);
  platform.userSays({ author: alice, channel, text: "third" });
  await answered(3);
  assert.deepEqual(texts(), ["One.", "Two.", "Three."]);
  assert.equal(platform.connections.at(-1)?.entrance, "resume");
  assert.equal(await gateway.stop(), 0);
  assert.doesNotMatch(gateway.output, new RegExp(platform.token));
});

Deno.test("Discord is answered by a gateway that has the printed rights and no others", async () => {
  await using home = await GatewayHome.make();
  await using platform = new DiscordPlatform(systemClock);
  await using model = await ModelServer.start(() => say("It will ", "rain."));
  const alice = platform.addPerson("alice", "Alice");
  const channel = platform.direct(alice);
  const { token, apiBase } = platform;
  const discord = { enabled: true, token, allowFrom: [alice.id], apiBase };
  const options: GatewayProcessOptions = {
    model,
    config: { channels: { discord }, tools: { exec: { sandbox: "virtual" } } },
  };
  await writeConfig(home, options);
  const { code, stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
  assert.equal(code, 0, stderr);
  const { command } = z.object({ command: z.array(z.string()) }).parse(JSON.parse(stdout));
  await using gateway = await GatewayProcess.start(home, {
    ...options,
    program: command.slice(0, -1),
  });
  await connected(platform);
  platform.userSays({ author: alice, channel, text: "The weather?" });
  const { world } = platform;
  const answers = () =>
    world.messagesIn(channel.id).filter(({ author }) => author === world.bot)
      .map(({ texts }) => texts.at(-1));
  await until(() => answers().at(-1) === "It will rain.", {
    what: `an answer (${gateway.output})`,
    timeoutMs: 30_000,
  });
  assert.equal(answers().length, 1);
});
