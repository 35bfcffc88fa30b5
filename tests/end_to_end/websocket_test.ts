import assert from "node:assert/strict";
import { z } from "zod";
import { ModelServer, say } from "../simulators/model_server.ts";
import { WebsocketClient } from "../simulators/websocket_client.ts";
import { freePort } from "../support/free_port.ts";
import {
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

const TOKEN = "a-token";

Deno.test("A WebSocket client is answered by a gateway that has the printed rights and no others", async () => {
  await using model = await ModelServer.start(() => say("It will ", "rain."));
  await using home = await GatewayHome.make();
  const port = freePort();
  const options: GatewayProcessOptions = {
    model,
    config: {
      channels: { websocket: { enabled: true, port, token: TOKEN } },
      tools: { exec: { sandbox: "virtual" } },
    },
  };
  await writeConfig(home, options);
  const { code, stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
  assert.equal(code, 0, stderr);
  const { command } = z.object({ command: z.array(z.string()) }).parse(JSON.parse(stdout));
  await using gateway = await GatewayProcess.start(home, {
    ...options,
    program: command.slice(0, -1),
  });
  using client = new WebsocketClient({
    place: `127.0.0.1:${port}`,
    clientId: "alice",
    chatId: "weather",
    token: TOKEN,
  });
  client.say("m1", { content: "The weather?" });
  await until(() => client.messages.at(-1)?.text === "It will rain.", {
    timeoutMs: 30_000,
    what: `an answer (${gateway.output})`,
  });
  const ask = async (path: string, method: string = "GET") => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    return await (await fetch(`http://127.0.0.1:${port}${path}`, { headers, method })).json();
  };
  // The answer is out before the conversation's file is.
  await until(async () => (await ask("/api/sessions")).sessions[0]?.key === "websocket:weather");
  const { messages } = await ask("/api/sessions/websocket%3Aweather/messages");
  assert.partialDeepStrictEqual(messages, [
    { role: "user", content: "The weather?" },
    { role: "assistant", content: "It will rain." },
  ]);
  assert.deepEqual(await ask("/api/sessions/websocket%3Aweather", "DELETE"), { deleted: true });
});

Deno.test("channels status tells that a WebSocket's port is taken, until it is free", async () => {
  await using home = await GatewayHome.make();
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  const websocket = { enabled: true, port, websocketRequiresToken: false };
  const options: GatewayProcessOptions = { config: { channels: { websocket } } };
  await writeConfig(home, options);
  await using gateway = await GatewayProcess.start(home, options);
  const status = async (): Promise<string> => {
    const { code, stdout, stderr } = await runTroupe(["channels", "status"], home.path);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  await until(async () => JSON.stringify(await gateway.health()).includes("Cannot listen on"), {
    what: "a port that is taken",
    timeoutMs: 30_000,
  });
  assert.match(
    await status(),
    /websocket: connecting \(Cannot listen on "127\.0\.0\.1:\d+": .*in use/,
  );
  taken.close();
  await until(async () => (await gateway.channelState("websocket")) === "ready", {
    what: "a server that listens",
    timeoutMs: 30_000,
  });
  assert.match(await status(), /websocket: ready/);
});
