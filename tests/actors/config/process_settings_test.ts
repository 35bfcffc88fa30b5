import assert from "node:assert/strict";
import { load, loadSettings, refusalOf } from "./_load.ts";

const FOUR = { agents: { defaults: { maxConcurrentRequests: 4 } } };

Deno.test.each([
  [{}, 4],
  [{ NANOBOT_MAX_CONCURRENT_REQUESTS: "5" }, 5],
  [{ NANOBOT_MAX_CONCURRENT_REQUESTS: "5", TROUPE_MAX_CONCURRENT_REQUESTS: "6" }, 6],
  [{ TROUPE_MAX_CONCURRENT_REQUESTS: "0" }, 0],
  [{ TROUPE_MAX_CONCURRENT_REQUESTS: "-1" }, -1],
  [{ TROUPE_MAX_CONCURRENT_REQUESTS: " 7 " }, 7],
  [{ TROUPE_MAX_CONCURRENT_REQUESTS: "" }, 4],
  [{ TROUPE_MAX_CONCURRENT_REQUESTS: "", NANOBOT_MAX_CONCURRENT_REQUESTS: "5" }, 5],
  [
    {
      NANOBOT_MAX_CONCURRENT_REQUESTS: "5",
      TROUPE_AGENTS__DEFAULTS__MAX_CONCURRENT_REQUESTS: "9",
    },
    5,
  ],
])("With %j, %s turns run at once", async (env, turns) => {
  const { config } = await loadSettings(FOUR, { env });
  assert.equal(config.agents.defaults.maxConcurrentRequests, turns);
});

Deno.test.each([
  ["NANOBOT_MAX_CONCURRENT_REQUESTS", "many"],
  ["TROUPE_MAX_CONCURRENT_REQUESTS", "1.5"],
  ["TROUPE_MAX_CONCURRENT_REQUESTS", "9".repeat(30)],
])("%s=%s is refused by name", async (name, value) => {
  const error = await refusalOf(load({ env: { [name]: value } }));
  assert.equal(error.code, "config_environment_invalid");
  assert.equal(error.exitCode, 2);
  assert.ok(error.message.includes(`${name}: it is not a whole number`), error.message);
});

Deno.test("A bad limit is told together with the faults of the file", async () => {
  const error = await refusalOf(loadSettings(
    { api: { port: -1 } },
    { env: { TROUPE_MAX_CONCURRENT_REQUESTS: "x" } },
  ));
  assert.deepEqual(error.faults.map(({ key }) => key), [
    "api.port",
    "TROUPE_MAX_CONCURRENT_REQUESTS",
  ]);
});

Deno.test.each([
  [{}, 90_000, 0],
  [{ NANOBOT_STREAM_IDLE_TIMEOUT_S: "30" }, 30_000, 0],
  [{ NANOBOT_STREAM_IDLE_TIMEOUT_S: "30", TROUPE_STREAM_IDLE_TIMEOUT_S: "0.5" }, 500, 0],
  [{ NANOBOT_STREAM_IDLE_TIMEOUT_S: "0" }, 90_000, 1],
  [{ NANOBOT_STREAM_IDLE_TIMEOUT_S: "-3" }, 90_000, 1],
  [{ NANOBOT_STREAM_IDLE_TIMEOUT_S: "soon" }, 90_000, 1],
  [{ NANOBOT_STREAM_IDLE_TIMEOUT_S: "99999" }, 3_600_000, 1],
])("With %j a silent stream ends after %s ms", async (env, timeoutMs, warningCount) => {
  const loaded = await load({ env });
  assert.equal(loaded.process.streamIdleTimeoutMs, timeoutMs);
  assert.equal(loaded.warnings.length, warningCount);
  for (const warning of loaded.warnings) assert.match(warning, /^\w+_STREAM_IDLE_TIMEOUT_S /);
});

Deno.test("A restart notice needs a channel and a chat", async () => {
  const notice = async (env: Record<string, string>) => (await load({ env })).process.restartNotice;
  const chat = { NANOBOT_RESTART_NOTIFY_CHANNEL: "pigeon", NANOBOT_RESTART_NOTIFY_CHAT_ID: "1" };
  assert.equal(await notice({}), null);
  assert.equal(await notice({ NANOBOT_RESTART_NOTIFY_CHANNEL: "pigeon" }), null);
  assert.deepEqual(await notice(chat), { channel: "pigeon", chatId: "1", startedAtMs: null });
  assert.deepEqual(await notice({ ...chat, NANOBOT_RESTART_STARTED_AT: "12.3456" }), {
    channel: "pigeon",
    chatId: "1",
    startedAtMs: 12_346,
  });
  assert.deepEqual(
    await notice({ ...chat, NANOBOT_RESTART_STARTED_AT: "x", TROUPE_RESTART_NOTIFY_CHAT_ID: "2" }),
    { channel: "pigeon", chatId: "2", startedAtMs: null },
  );
});

Deno.test("Keys and addresses of search and transcription are collected, twins first", async () => {
  const { process } = await load({
    env: {
      BRAVE_API_KEY: "b",
      TROUPE_BRAVE_API_KEY: "b2",
      TAVILY_API_KEY: "t",
      JINA_API_KEY: "",
      SEARXNG_BASE_URL: "http://127.0.0.1:8080",
      OPENAI_API_KEY: "o",
      OPENAI_TRANSCRIPTION_BASE_URL: "http://127.0.0.1:1",
      GROQ_BASE_URL: "http://127.0.0.1:2",
      LANGFUSE_SECRET_KEY: "l",
    },
  });
  assert.deepEqual(process.webSearch, {
    braveApiKey: "b2",
    tavilyApiKey: "t",
    jinaApiKey: null,
    kagiApiKey: null,
    searxngBaseUrl: "http://127.0.0.1:8080",
  });
  assert.deepEqual(process.transcription, {
    openaiApiKey: "o",
    openaiBaseUrl: "http://127.0.0.1:1",
    groqApiKey: null,
    groqBaseUrl: "http://127.0.0.1:2",
  });
  assert.equal(process.langfuseSecretKey, "l");
});
