import assert from "node:assert/strict";
import { join } from "node:path";
import { providerLoginCommand } from "../../../channels/cli/commands/provider_login.ts";
import { codexTokenFile } from "../../../providers/auth/codex_tokens.ts";
import { ModelServer, refuse, say } from "../../simulators/model_server.ts";
import { SignInServer } from "../../simulators/model_sign_in.ts";
import { until } from "../../support/until.ts";
import { home, run, Screen } from "./_provider_home.ts";

Deno.test("providers lists what is set up, and marks the one that answers", async () => {
  await using place = await home({ custom: { apiBase: "http://127.0.0.1:1234/v1" } });
  const { code, out } = await run(place, "providers");
  assert.equal(code, 0);
  assert.match(out, /^Model: test-model\nSet up:\n {2}\* custom: .*1234\/v1 \(answers now\)\n/);
  assert.match(out, /with a key: .*openrouter.*deepseek/);
  assert.match(out, /on your own machine: .*ollama/);
});

Deno.test("providers and status name the models that stand in", async () => {
  const sections = {
    custom: { apiBase: "http://127.0.0.1:1234/v1" },
    deepseek: { apiKey: "k" },
  };
  const fallbackModels = ["deepseek-chat", { model: "llama3.2", provider: "ollama" }];
  await using place = await home(sections, { provider: "custom", fallbackModels });
  const { out } = await run(place, "providers");
  assert.match(out, /^ {2}\* custom: [^\n]* \(answers now\)$/m);
  assert.match(out, /^ {4}deepseek: [^\n]* \(stands in with deepseek-chat\)$/m);
  assert.match(out, /^ {4}ollama: [^\n]* \(stands in with llama3.2\)$/m);
  const status = await run(place, "status");
  assert.match(
    status.out,
    /^Model: test-model by Custom at \S+, else deepseek-chat by DeepSeek, else llama3.2 by Ollama$/m,
  );
});

Deno.test("providers says which stand-in nobody can answer for", async () => {
  const section = { custom: { apiBase: "http://127.0.0.1:1234/v1" } };
  await using place = await home(section, {
    provider: "custom",
    fallbackModels: [{ model: "gpt-5", provider: "openai" }],
  });
  const { out } = await run(place, "providers");
  assert.match(out, /^Model: test-model \(Cannot use "providers.openai.apiKey": no key is set\)\n/);
});

Deno.test("providers and status name the address that a server of one's own lacks", async () => {
  await using place = await home({}, { provider: "custom" });
  const missing = /^Model: [^\n]*Cannot use "providers\.custom\.apiBase": no address is set/;
  assert.match((await run(place, "providers")).out, missing);
  assert.match((await run(place, "status")).out, new RegExp(missing.source, "m"));
  const { code, out } = await run(place, "providers", "test", "custom");
  assert.equal(code, 1);
  assert.match(out, /^✗ custom: config: Cannot use "providers\.custom\.apiBase": no address/);
});

Deno.test("providers --json lists every vendor, without keys", async () => {
  await using place = await home({ deepseek: { apiKey: "sk-secret" } });
  const { code, out } = await run(place, "providers", "--json");
  assert.equal(code, 0);
  const { problem, providers } = JSON.parse(out);
  assert.equal(problem, null);
  assert.ok(providers.length > 40);
  assert.deepEqual(
    providers.filter((entry: { isCurrent: boolean }) => entry.isCurrent),
    [{
      name: "deepseek",
      displayName: "DeepSeek",
      needs: "key",
      isConfigured: true,
      baseUrl: "https://api.deepseek.com",
      isCurrent: true,
      standIns: [],
      account: null,
    }],
  );
  assert.doesNotMatch(out, /sk-secret/);
});

Deno.test("providers test makes one small call, and says that it was answered", async () => {
  await using server = await ModelServer.start([say("ok")]);
  await using place = await home({ custom: { apiBase: server.baseUrl, apiKey: "sk-secret" } });
  const { code, out } = await run(place, "providers", "test");
  assert.equal(code, 0);
  assert.match(out, /^✓ custom at http:\S+\/v1: "test-model" answered in \d+ ms\n$/);
  assert.equal(server.requests.length, 1);
  assert.deepEqual(server.requests[0]?.body.messages.map(({ role }) => role), ["user"]);
});

Deno.test.each([
  ["key", 401, { message: "Incorrect API key provided", code: "invalid_api_key" }],
  ["model name", 404, { message: "The model `test-model` does not exist" }],
  ["model name", 400, { message: "test-model is not a valid model ID" }],
  ["url", 404, { message: "Not Found" }],
  ["quota", 429, { message: "You exceeded your current quota", code: "insufficient_quota" }],
  ["rate limit", 429, { message: "Too many requests" }],
  ["server", 503, { message: "Service unavailable" }],
])("providers test names the fault: %s (%i)", async (fault, status, error) => {
  await using server = await ModelServer.start(() => refuse(Number(status), Object(error)));
  await using place = await home({ custom: { apiBase: server.baseUrl, apiKey: "sk-secret" } });
  const { code, out } = await run(place, "providers", "test", "custom");
  assert.equal(code, 1);
  assert.match(out, new RegExp(`^✗ custom at \\S+: ${fault}: [^\\n]*\\n$`));
  assert.doesNotMatch(out, /sk-secret/);
});

Deno.test("providers test names the network when nothing listens, as JSON too", async () => {
  const gone = await ModelServer.start([]);
  const { baseUrl } = gone;
  await gone[Symbol.asyncDispose]();
  await using place = await home({ mine: { apiBase: baseUrl } });
  const { code, out } = await run(place, "providers", "test", "mine", "--model", "m1", "--json");
  assert.equal(code, 1);
  assert.partialDeepStrictEqual(JSON.parse(out), {
    name: "mine",
    baseUrl,
    model: "m1",
    ok: false,
    fault: "network",
  });
});

Deno.test("providers test fails when there is nothing to ask, and says what is missing", async () => {
  await using place = await home({});
  const nothing = await run(place, "providers", "test");
  assert.equal(nothing.code, 1);
  assert.match(nothing.out, /config: no key and no address is set; put one into .*config\.json\n$/);
  const unknown = await run(place, "providers", "test", "pigeon");
  assert.equal(unknown.code, 1);
  assert.match(unknown.out, /^✗ pigeon: config: .*no provider has the name "pigeon"\n$/);
});

Deno.test("provider login stores tokens of a browser, which providers shows until logout", async () => {
  await using place = await home({});
  await using server = new SignInServer({ now: () => Date.now() });
  const screen = new Screen();
  const { config } = place;
  const signingIn = providerLoginCommand("openai-codex", { config }, screen, {
    codex: { issuer: server.url, port: 0 },
  });
  await until(() => screen.out.includes("/oauth/authorize"));
  const url = /http:\S+/.exec(screen.out)?.[0] ?? "";
  const page = await fetch(url, { redirect: "manual" });
  await page.body?.cancel();
  const back = page.headers.get("location")?.replace("localhost", "127.0.0.1") ?? "";
  await (await fetch(back)).body?.cancel();
  assert.equal(await signingIn, 0);
  assert.match(screen.out, /Signed in as account-1\. .*provider to "openaiCodex"/);
  const file = codexTokenFile(join(place.folder, "state"), () => "id");
  assert.notEqual(await file.read(), null);
  assert.match((await run(place, "providers")).out, /openaiCodex: .*signed in as account-1/);
  assert.equal((await run(place, "provider", "logout", "openai-codex")).out, "Signed out.\n");
  assert.equal(await file.read(), null);
  assert.match((await run(place, "provider", "logout", "openaiCodex")).out, /Nobody was signed in/);
});

Deno.test("provider login names the providers that can be signed in to", async () => {
  await using place = await home({});
  const { code, err } = await run(place, "provider", "login", "deepseek");
  assert.equal(code, 1);
  assert.match(err, /Cannot sign in to "deepseek": .*openai-codex, github-copilot\n$/);
});
