import assert from "node:assert/strict";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { DiscordPlatform } from "../simulators/discord_server.ts";
import { ModelServer, say } from "../simulators/model_server.ts";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

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
