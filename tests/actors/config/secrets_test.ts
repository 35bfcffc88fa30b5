import assert from "node:assert/strict";
import { isSecretName } from "../../../actors/config/secrets.ts";
import { load, loadSettings } from "./_load.ts";

Deno.test.each([
  "apiKey",
  "api_key",
  "appSecret",
  "secret",
  "verificationToken",
  "imapPassword",
  "Authorization",
  "x-api-key",
  "GITHUB_TOKEN",
  "DB_PASS",
  "FEISHU_SECRET_2",
])("%s is named like a secret", (name) => {
  assert.ok(isSecretName(name));
});

Deno.test.each([
  "maxTokens",
  "allowedEnvKeys",
  "sslKeyfile",
  "tokenIssuePath",
  "HOME",
  "model",
  "",
])("%s is not named like a secret", (name) => {
  assert.ok(!isSecretName(name));
});

Deno.test("Secrets are found by key, by manifest, in URLs and in free maps", async () => {
  const { secrets } = await loadSettings({
    providers: { openai: { apiKey: "sk-open" } },
    channels: {
      drum: { enabled: true, rhythm: "ta-ta-tum" },
      pigeon: { enabled: false, wing_token: "ring-7" },
      smoke: { app_secret: "grey", colour: "white" },
    },
    tools: {
      web: { proxy: "http://me:pass-word@127.0.0.1:3128" },
      mcpServers: {
        x: {
          headers: { Authorization: "Bearer b-1", Accept: "text/html", "X-Plain": "${PLAIN}" },
          env: { DB_PASSWORD: "db-1", LANG: "C" },
        },
      },
    },
  }, { env: { PLAIN: "p-1" } });
  assert.deepEqual(
    secrets.values.toSorted(),
    ["Bearer b-1", "db-1", "grey", "p-1", "pass-word", "ring-7", "sk-open", "ta-ta-tum"].toSorted(),
  );
});

Deno.test("Variables that hold secrets are told apart from those that do not", async () => {
  const { secrets } = await loadSettings({
    gateway: { port: "${PORT}" },
    providers: { custom: { apiKey: "${MINE}" } },
    tools: {
      mcpServers: {
        x: { args: ["--token", "${HUB_TOKEN}", "${HOME}"], headers: { H: "Bearer ${BEARER}" } },
      },
    },
  }, {
    env: {
      PORT: "81",
      MINE: "m-1",
      HUB_TOKEN: "h-1",
      HOME: "/home/ada",
      BEARER: "b-1",
      TROUPE_PROVIDERS__GROQ__API_KEY: "g-1",
      TROUPE_API__HOST: "127.0.0.1",
      BRAVE_API_KEY: "br-1",
      OTHER_API_KEY: "not ours",
    },
  });
  assert.deepEqual(secrets.variables.toSorted(), [
    "BEARER",
    "BRAVE_API_KEY",
    "HUB_TOKEN",
    "MINE",
    "TROUPE_PROVIDERS__GROQ__API_KEY",
  ]);
  assert.deepEqual(secrets.interpolated.toSorted(), [
    "BEARER",
    "HOME",
    "HUB_TOKEN",
    "MINE",
    "PORT",
  ]);
  assert.deepEqual(
    secrets.values.toSorted(),
    ["Bearer b-1", "b-1", "br-1", "g-1", "h-1", "m-1"].toSorted(),
  );
});

Deno.test("Longer secrets come first, and blank ones not at all", async () => {
  const { secrets } = await loadSettings({
    providers: { openai: { apiKey: "abc" }, groq: { apiKey: "abcdef" }, custom: { apiKey: "" } },
  });
  assert.deepEqual(secrets.values, ["abcdef", "abc"]);
  assert.deepEqual((await load({})).secrets, { values: [], variables: [], interpolated: [] });
});
