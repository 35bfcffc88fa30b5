import assert from "node:assert/strict";
import { loadSettings, refusalOf } from "./_load.ts";

const env = { A: "one", B: "two", EMPTY: "", PORT: "4321", ON: "yes", HOSTILE: "${A}" };

async function argsOf(args: readonly string[]): Promise<readonly string[] | undefined> {
  const { config } = await loadSettings({ tools: { mcpServers: { x: { args } } } }, { env });
  return config.tools.mcpServers["x"]?.args;
}

Deno.test.each([
  ["${A}", "one"],
  ["${A}-${B}!", "one-two!"],
  ["[${EMPTY}]", "[]"],
  ["plain", "plain"],
  ["$A ${} ${1} ${a-b} $", "$A ${} ${1} ${a-b} $"],
  ["$${A}", "${A}"],
  ["$${NOT_SET} ${A}", "${NOT_SET} one"],
  ["$$${A}", "$${A}"],
  ["${HOSTILE}", "${A}"],
])("%s becomes %s", async (written, text) => {
  assert.deepEqual(await argsOf([written]), [text]);
});

Deno.test("Placeholders are replaced in objects, lists, maps and channel sections", async () => {
  const { config } = await loadSettings({
    providers: { custom: { apiKey: "${A}", extra_headers: { "${A}": "Bearer ${B}" } } },
    tools: { mcpServers: { x: { env: { T: "${A}" }, headers: { H: "${B}" }, args: ["${A}"] } } },
    channels: { pigeon: { enabled: true, wing_token: "${A}", allow_from: ["${B}"] } },
  }, { env });
  assert.equal(config.providers["custom"]?.apiKey, "one");
  assert.deepEqual(config.providers["custom"]?.extraHeaders, { "${A}": "Bearer two" });
  assert.partialDeepStrictEqual(config.tools.mcpServers["x"], {
    env: { T: "one" },
    headers: { H: "two" },
    args: ["one"],
  });
  assert.partialDeepStrictEqual(config.channels.enabled["pigeon"], {
    wingToken: "one",
    allowFrom: ["two"],
  });
});

Deno.test("A placeholder can stand for a number or a switch", async () => {
  const { config } = await loadSettings({
    gateway: { port: "${PORT}" },
    agents: { defaults: { unified_session: "${ON}" } },
    channels: { pigeon: { enabled: "${ON}", wingToken: "t", port: "${PORT}" } },
  }, { env });
  assert.equal(config.gateway.port, 4321);
  assert.equal(config.agents.defaults.unifiedSession, true);
  assert.partialDeepStrictEqual(config.channels.enabled["pigeon"], { port: 4321 });
});

Deno.test("A variable that is not set is refused by key and variable", async () => {
  const error = await refusalOf(loadSettings(
    { channels: { pigeon: { enabled: true, wing_token: "${PIGEON_RING}" } } },
    { env },
  ));
  assert.equal(error.code, "config_variable_missing");
  assert.equal(error.faults.length, 1, error.message);
  assert.match(error.message, /channels\.pigeon\.wingToken names .* PIGEON_RING, which is not set/);
});

Deno.test("A switch that cannot be read is refused", async () => {
  const missing = await refusalOf(loadSettings({ channels: { pigeon: { enabled: "${NOPE}" } } }));
  assert.equal(missing.faults[0].key, "channels.pigeon.enabled");
  assert.equal(missing.faults.length, 1);
  const odd = await refusalOf(loadSettings({ channels: { pigeon: { enabled: "perhaps" } } }));
  assert.match(odd.message, /channels\.pigeon\.enabled is neither true nor false/);
});

Deno.test("Variables of what is switched off need not be set", async () => {
  const { config } = await loadSettings({
    channels: { pigeon: { enabled: false, wingToken: "${NOPE}" }, smoke: { key: "${NOPE}" } },
    tools: {
      web: { enable: "${OFF}", search: { apiKey: "${NOPE}", maxResults: "${NOPE}" } },
      exec: { enable: false, allowedEnvKeys: ["A", "${NOPE}"] },
    },
  }, { env: { OFF: "off" } });
  assert.equal(config.tools.web.search.apiKey, "");
  assert.equal(config.tools.web.search.maxResults, 5);
  assert.deepEqual(config.tools.exec.allowedEnvKeys, ["A"]);
  assert.deepEqual(config.channels.others["pigeon"], { enabled: false, wingToken: "${NOPE}" });
});

Deno.test("A value that is not usable after interpolation is not shown", async () => {
  const error = await refusalOf(loadSettings(
    { gateway: { port: "${SECRET}" }, agents: { defaults: { timezone: "${SECRET}" } } },
    { env: { SECRET: "sk-hidden" } },
  ));
  assert.equal(error.faults.length, 2);
  assert.ok(!Deno.inspect(error).includes("sk-hidden"));
});
