import assert from "node:assert/strict";
import type { ModelOffer } from "../../../../channels/cli/onboarding/model_offers.ts";
import { ProviderError } from "../../../../providers/provider.ts";
import { type Answer, Newcomer } from "./_newcomer.ts";

const OLLAMA: ModelOffer = {
  label: "Ollama on this machine (qwen3:8b)",
  answer: { name: "ollama", apiKey: null, apiBase: "http://127.0.0.1:11434/v1" },
  models: ["qwen3:8b", "llama3.2"],
};

const NO_CHANNEL: Answer = [/^Which one\? \[1\]/, ""];
const NO_HELLO: Answer = [/^Say hello/, "n"];

Deno.test("A newcomer who only presses Enter gets the local model, and says hello", async () => {
  await using newcomer = await Newcomer.make();
  const end = await newcomer.onboard([
    [/^Which one\? \[1\]/, ""],
    [/^Which model\? \[1\]/, ""],
    NO_CHANNEL,
    [/^Say hello/, ""],
  ], { offers: [OLLAMA] });
  assert.equal(end, "ready");
  assert.deepEqual(JSON.parse(await newcomer.config()), {
    agents: { defaults: { provider: "ollama", model: "qwen3:8b" } },
    providers: { ollama: { apiBase: "http://127.0.0.1:11434/v1" } },
  });
  const { mode } = await Deno.stat(newcomer.configFile);
  assert.equal((mode ?? 0) & 0o777, 0o600);
  assert.deepEqual(newcomer.tried, ["qwen3:8b at http://127.0.0.1:11434/v1"]);
  assert.equal(newcomer.testMessages, 1);
});

Deno.test("A vendor is taken by name, its key by hand, and a channel is set up after it", async () => {
  await using newcomer = await Newcomer.make();
  const end = await newcomer.onboard([
    [/^Which one\? \[1\]/, "1"],
    [/^Which vendor\?/, "deepsek"],
    [/^Which one\? \[1\]/, "1"],
    [/^Which vendor\?/, "deepseek"],
    [/^Key of DeepSeek/, "sk-typed"],
    [/^Name of the model/, "deepseek-chat"],
    [/^Which one\? \[1\]/, "3"],
    NO_HELLO,
  ]);
  assert.equal(end, "ready");
  assert.ok(newcomer.said.some((line) => line.includes("did you mean deepseek?")));
  assert.equal(JSON.parse(await newcomer.config()).providers.deepseek.apiKey, "sk-typed");
  assert.deepEqual(newcomer.channels, ["telegram"]);
  assert.ok(newcomer.said.every((line) => !line.includes("sk-typed")), "the key is never shown");
});

Deno.test("A model that does not answer is asked for again, and nothing is saved before", async () => {
  await using newcomer = await Newcomer.make();
  const error = new ProviderError("wrong key", {
    code: "provider_auth",
    recovery: "give_up",
    userText: "wrong key",
    status: 401,
  });
  newcomer.trials.push({ state: "failed", fault: "key", error });
  await newcomer.onboard([
    [/^Which one\? \[1\]/, "2"],
    [/^Its address/, "http://127.0.0.1:9/v1"],
    [/^Its key/, "wrong"],
    [/^Name of the model/, "m"],
    [/^Keep it all the same/, ""],
    [/^Which one\? \[1\]/, "2"],
    [/^Its address/, "http://127.0.0.1:9/v1"],
    [/^Its key/, "right"],
    [/^Name of the model/, "m"],
    NO_CHANNEL,
    NO_HELLO,
  ]);
  assert.deepEqual(JSON.parse(await newcomer.config()).providers, {
    custom: { apiBase: "http://127.0.0.1:9/v1", apiKey: "right" },
  });
  assert.ok(
    newcomer.said.some((line) => line.startsWith("✗ Custom at http://127.0.0.1:9/v1: key:")),
  );
});

Deno.test("An address that is none, and a number that is none, are asked for again", async () => {
  await using newcomer = await Newcomer.make();
  await newcomer.onboard([
    [/^Which one\?/, "9"],
    [/^Which one\?/, "2"],
    [/^Its address/, "localhost:8000"],
    [/^Which one\?/, "2"],
    [/^Its address/, "http://127.0.0.1:9/v1"],
    [/^Its key/, ""],
    [/^Which model/, "2"],
    NO_CHANNEL,
    NO_HELLO,
  ], { listModels: () => Promise.resolve(["one", "two"]) });
  const config = JSON.parse(await newcomer.config());
  assert.equal(config.agents.defaults.model, "two");
  assert.deepEqual(config.providers.custom, { apiBase: "http://127.0.0.1:9/v1" });
});

const CONFIGURED = `{
  "agents": { "defaults": { "provider": "custom", "model": "mine" } },
  "providers": { "custom": { "api_base": "http://127.0.0.1:9/v1" } },
  "gateway": { "port": 4711 }
}
`;

Deno.test("What stands in the file stays to the letter when nothing is changed", async () => {
  await using newcomer = await Newcomer.make(CONFIGURED);
  const end = await newcomer.onboard([[/^Keep this model\?/, ""], NO_CHANNEL, NO_HELLO]);
  assert.equal(end, "ready");
  assert.equal(await newcomer.config(), CONFIGURED);
});

Deno.test("Another model changes its keys alone, in the spelling of the file", async () => {
  await using newcomer = await Newcomer.make(CONFIGURED);
  await newcomer.onboard([
    [/^Keep this model\?/, "n"],
    [/^Which one\?/, "2"],
    [/^Its address/, "http://127.0.0.1:10/v1"],
    [/^Its key/, ""],
    [/^Name of the model/, "other"],
    NO_CHANNEL,
    NO_HELLO,
  ]);
  const expected = CONFIGURED.replace("mine", "other").replace(":9/", ":10/");
  assert.equal(await newcomer.config(), expected);
});

Deno.test("What somebody wrote into the file meanwhile is kept", async () => {
  await using newcomer = await Newcomer.make(CONFIGURED);
  const edited = CONFIGURED.replace("4711", "4712");
  await newcomer.onboard([
    [/^Keep this model\?/, "n"],
    [/^Which one\?/, ""],
    [/^Which model/, ""],
    NO_CHANNEL,
    NO_HELLO,
  ], {
    offers: [OLLAMA],
    tryModel: async () => {
      await Deno.writeTextFile(newcomer.configFile, edited);
      return { state: "ok", tookMs: 1 };
    },
  });
  const config = JSON.parse(await newcomer.config());
  assert.equal(config.gateway.port, 4712);
  assert.equal(config.agents.defaults.provider, "ollama");
});

Deno.test.each([
  ["malformed", `{ "agents": `],
  ["of a wrong type", `{ "gateway": { "port": "none" } }`],
  ["no object", "[]"],
])("A file that is %s is told, and stays unless it may be set aside", async (_what, text) => {
  await using newcomer = await Newcomer.make(text);
  const end = await newcomer.onboard([[/^Set this file aside/, ""]]);
  assert.equal(end, "unchanged");
  assert.equal(await newcomer.config(), text);
  assert.match(newcomer.said.join("\n"), /Cannot (load|use)[^\n]*config\.json/);

  await newcomer.onboard([
    [/^Set this file aside/, "y"],
    [/^Which one\?/, ""],
    [/^Which model/, ""],
    NO_CHANNEL,
    NO_HELLO,
  ], { offers: [OLLAMA] });
  assert.equal(await Deno.readTextFile(`${newcomer.configFile}.aside-1`), text);
  assert.equal(JSON.parse(await newcomer.config()).agents.defaults.provider, "ollama");
});

Deno.test("A broken file that was set aside is not lost when another one follows it", async () => {
  await using newcomer = await Newcomer.make("first");
  const scene = { isAsking: false, offers: [OLLAMA], wishes: { setAside: true } };
  assert.equal(await newcomer.onboard([], scene), "ready");
  await Deno.writeTextFile(newcomer.configFile, "second");
  assert.equal(await newcomer.onboard([], scene), "ready");
  assert.equal(await Deno.readTextFile(`${newcomer.configFile}.aside-1`), "first");
  assert.equal(await Deno.readTextFile(`${newcomer.configFile}.aside-2`), "second");
});
