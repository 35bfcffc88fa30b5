import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { systemConfigSource } from "../../../../actors/config/adapters/system_source.ts";
import { loadConfig } from "../../../../actors/config/load_config.ts";
import { configEdits } from "../../../../actors/gateway/adapters/config_watch.ts";
import type { HealthReport } from "../../../../actors/gateway/health.ts";
import { isObject, type JsonObject } from "../../../../actors/kernel/json.ts";
import { main } from "../../../../channels/cli/main.ts";
import { channelEntries } from "../../../../channels/registry.ts";
import { lastUserText, ModelServer, say } from "../../../simulators/model_server.ts";
import { freePort } from "../../../support/free_port.ts";
import { startInProcess } from "../../../support/gateway_in_process.ts";
import { GatewayHome } from "../../../support/gateway_process.ts";
import { lying } from "../../../support/mcp_bench.ts";
import { until } from "../../../support/until.ts";

const SECRETS = { FIRST_KEY: "sk-first-0123456789", SECOND_KEY: "sk-second-0123456789" };

const SILENT = { write() {}, writeError() {}, isInteractive: false, hasColors: false };

/** A gateway on a real file, and a model that waits where it is told to. */
async function liveGateway() {
  await using opening = new AsyncDisposableStack();
  const home = opening.use(await GatewayHome.make());
  const hold = Promise.withResolvers<void>();
  const model = opening.use(
    await ModelServer.start(async (request) => {
      if (lastUserText(request).endsWith("wait")) await hold.promise;
      return say("Fine.");
    }),
  );
  const configFile = join(home.path, "config.json");
  const base: JsonObject = {
    agents: { defaults: { model: "model-a", provider: "custom", maxConcurrentRequests: 5 } },
    providers: { custom: { apiBase: model.baseUrl, apiKey: "${FIRST_KEY}" } },
    gateway: { port: 0, heartbeat: { enabled: false } },
    tools: { exec: { enable: false } },
  };
  const write = async (change: JsonObject) => {
    // As editors do: a new file in place of the old one.
    const temporary = `${configFile}.new`;
    await Deno.writeTextFile(temporary, JSON.stringify(merged(base, change)));
    await Deno.rename(temporary, configFile);
  };
  await write({});
  const source = systemConfigSource({ TROUPE_HOME: home.path, HOME: home.path, ...SECRETS });
  const manifests = channelEntries.map(({ manifest }) => manifest);
  const edits = configEdits(configFile, () => loadConfig({ source, manifests }));
  const started = opening.use(await startInProcess(home, base, { env: SECRETS, edits }));
  const { gateway, probe } = started;
  const owned = opening.move();
  return {
    ...{ configFile, gateway, model, probe, write },
    letGo: () => hold.resolve(),
    healthWhere: async (holds: (health: HealthReport) => boolean, what: string) => {
      await until(async () => holds(await gateway.health()), { what });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
  const changes = Object.entries(other).map(([key, value]) => {
    const before = one[key];
    return [key, isObject(before) && isObject(value) ? merged(before, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries(changes) };
}

Deno.test("An edited configuration is applied by a gateway that runs", async (test) => {
  await using live = await liveGateway();
  const { gateway, model, probe, write, healthWhere } = live;
  const answers = (count: number) => () => probe.textsOf("c1").length === count;

  await test.step("a running turn keeps its model and key, and the next one has the new", async () => {
    await probe.say("c1", "wait");
    await until(() => model.requests.length === 1, { what: "the turn's call" });
    await write({
      agents: { defaults: { model: "model-b", maxConcurrentRequests: 7 } },
      providers: { custom: { apiKey: "${SECOND_KEY}" } },
    });
    await healthWhere(({ turns }) => turns.limit === 7, "the new limit");
    live.letGo();
    await until(answers(1), { what: "the first answer" });
    await probe.say("c1", "next");
    await until(answers(2), { what: "the second answer" });
    const [first, next] = model.requests;
    assert.equal(first?.body.model, "model-a");
    assert.equal(next?.body.model, "model-b");
    assert.match(JSON.stringify(next?.headers), /sk-second/);
  });

  await test.step("a wrong edit changes nothing, and is told", async () => {
    await Deno.writeTextFile(live.configFile, '{"gateway": {"port": "none"}}');
    await healthWhere(({ config }) => config?.state === "refused", "the refusal");
    assert.match((await gateway.health()).config?.problem ?? "", /gateway\.port/);
    let shown = "";
    const write = (text: string) => void (shown += text);
    const terminal = { write, writeError: write, isInteractive: false, hasColors: false };
    assert.equal(await main(["status", "--config", live.configFile], terminal), 0);
    assert.match(shown, /^Gateway: running[^]*not applied: Cannot load [^]*gateway\.port/);
    assert.match(shown, /^Model: model-b by /m, "the one that answers now");
    assert.equal(await main(["config", "reload", "--config", live.configFile], terminal), 2);
    await probe.say("c1", "still there?");
    await until(answers(3), { what: "an answer" });
    assert.equal(model.requests.at(-1)?.body.model, "model-b");
  });

  const port = freePort();
  const section = (change: JsonObject = {}) => ({
    channels: {
      websocket: { enabled: true, port, websocketRequiresToken: false, ...change },
    },
  });
  await test.step("a channel that was added starts, and what waits is named", async () => {
    await write({ ...section(), gateway: { port: freePort() } });
    await healthWhere(({ channels }) => channels["websocket"]?.state === "ready", "the channel");
    assert.deepEqual((await gateway.health()).config?.at_next_start, ["gateway.port"]);
  });

  await test.step("a channel whose section changed starts anew, alone", async () => {
    const before = (await gateway.health()).channels["websocket"]?.last_event?.at;
    await write(section({ path: "/other" }));
    await healthWhere(({ channels }) => {
      const { state, last_event: event } = channels["websocket"] ?? {};
      return state === "ready" && event?.at !== before;
    }, "the channel again");
    const { channels } = await gateway.health();
    assert.equal(channels["websocket"]?.restarts, 0);
    assert.equal(channels["websocket"]?.last_error, null);
  });

  await test.step("a channel that was removed stops", async () => {
    await write({});
    await healthWhere(({ channels }) => channels["websocket"] === undefined, "its end");
    await until(() => isFree(port), { what: "its port" });
  });

  await test.step("a server of tools that was added is connected to, for the next turn", async () => {
    await write({ tools: { mcpServers: { friend: lying("none") } } });
    await healthWhere(({ mcp }) => mcp["friend"]?.state === "ready", "the server");
    await probe.say("c1", "who is there?");
    await until(answers(4), { what: "an answer" });
    assert.match(JSON.stringify(model.requests.at(-1)?.body["tools"]), /"mcp_friend_echo"/);
    await write({});
    await healthWhere(({ mcp }) => mcp["friend"] === undefined, "its end");
  });

  await test.step("a hook that was added hears of the next turn", async () => {
    const log = join(dirname(live.configFile), "log.jsonl");
    await write({ hooks: [{ name: "log", on: ["turn_end"], command: ["tee", "-a", log] }] });
    assert.equal(await main(["config", "reload", "--config", live.configFile], SILENT), 0);
    await probe.say("c1", "and now?");
    const heard = async () => (await Deno.readTextFile(log).catch(() => "")).includes("turn_end");
    await until(heard, { what: "the event" });
  });
});

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}
