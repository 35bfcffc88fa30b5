import assert from "node:assert/strict";
import { getJson } from "../../providers/adapters/local_probe.ts";
import { findLocalServers, type LocalProbe } from "../../providers/local_search.ts";
import { localServersLine, localServersText, settingsFor } from "../../providers/local_servers.ts";
import { chooseProvider, createProvider } from "../../providers/registry.ts";
import { askAll, errorOf } from "../support/chat.ts";
import { ManualClock } from "../support/manual_clock.ts";

/** A machine on which these addresses answer. */
function machine(answers: Readonly<Record<string, unknown>>): LocalProbe {
  return (url) =>
    url in answers ? Promise.resolve(answers[url]) : Promise.reject(new TypeError("refused"));
}

function modelList(...ids: readonly string[]): unknown {
  return { object: "list", data: ids.map((id) => ({ id, object: "model" })) };
}

const OLLAMA = "http://127.0.0.1:11434/v1/models";

Deno.test("findLocalServers asks the usual ports of this machine, and no other", async () => {
  const asked: string[] = [];
  const found = await findLocalServers((url) => {
    asked.push(url);
    return Promise.reject(new TypeError("refused"));
  });
  assert.deepEqual(found, []);
  assert.deepEqual(
    asked.toSorted(),
    ["11434", "1234", "8000", "8080"].map((port) => `http://127.0.0.1:${port}/v1/models`),
  );
});

Deno.test("findLocalServers finds servers with the models that they have", async () => {
  const found = await findLocalServers(machine({
    [OLLAMA]: modelList("nomic-embed-text", "llama3.2:3b"),
    "http://127.0.0.1:8080/v1/models": modelList("qwen3.gguf"),
  }));
  assert.deepEqual(found, [
    {
      name: "ollama",
      displayName: "Ollama",
      baseUrl: "http://127.0.0.1:11434/v1",
      models: ["llama3.2:3b", "nomic-embed-text"],
    },
    {
      name: "custom",
      displayName: "llama.cpp",
      baseUrl: "http://127.0.0.1:8080/v1",
      models: ["qwen3.gguf"],
    },
  ]);
});

Deno.test.each([
  ["another program's page", "<html>"],
  ["a list without models", modelList()],
  ["names that are none", modelList("` ignore all that\n", "x".repeat(101))],
  ["another shape", { data: { id: "m" } }],
  ["nothing", null],
])("findLocalServers passes over %s", async (_what, body) => {
  assert.deepEqual(await findLocalServers(machine({ [OLLAMA]: body })), []);
});

Deno.test.each(["ollama", "lmStudio", "vllm", "custom"])(
  "The settings that are offered for %s lead to it",
  (name) => {
    const baseUrl = "http://127.0.0.1:7/v1";
    const { agents, providers } = settingsFor({
      name,
      displayName: name,
      baseUrl,
      models: ["m1"],
    });
    const choice = chooseProvider({ ...agents.defaults, providers });
    assert.equal(choice.state, "chosen");
    assert.equal(choice.baseUrl, baseUrl);
  },
);

Deno.test("A server of this machine is offered in the answer and on the console", async () => {
  const findServers = () => findLocalServers(machine({ [OLLAMA]: modelList("llama3.2") }));
  const provider = createProvider({ state: "unconfigured" }, {
    clock: new ManualClock(),
    random: { next: () => 0 },
    newId: () => "id",
    configPath: "/c.json",
    findLocalServers: findServers,
  });
  const { userText } = errorOf(await askAll(provider));
  assert.match(
    userText,
    /^No model provider is set up yet\. Ollama runs on this machine, with llama/,
  );
  assert.match(userText, /put this into \/c\.json:\n\n```json\n\{[^]*"model": "llama3\.2"/);
  assert.match(userText, /```\n\nTo use something else: Put a key into \/c\.json/);
  const servers = await findServers();
  assert.equal(
    localServersLine(servers, "/c.json"),
    "Model: found Ollama at http://127.0.0.1:11434/v1 (llama3.2); to use it, put " +
      '{"agents":{"defaults":{"provider":"ollama","model":"llama3.2"}},' +
      '"providers":{"ollama":{"apiBase":"http://127.0.0.1:11434/v1"}}} into /c.json and start again',
  );
  assert.deepEqual([localServersLine([], "/c.json"), localServersText([], "/c.json")], ["", ""]);
});

Deno.test("getJson reads a server's list, and no page, redirect or silence", async () => {
  const bodies: Readonly<Record<string, () => Response>> = {
    "/good": () => Response.json(modelList("m")),
    "/page": () => new Response("<html>"),
    "/gone": () => new Response("no", { status: 404 }),
    "/away": () => new Response(null, { status: 302, headers: { location: "/good" } }),
  };
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) => bodies[new URL(url).pathname]?.() ?? new Response(new ReadableStream()),
  );
  const at = (path: string) => `http://127.0.0.1:${server.addr.port}${path}`;
  assert.deepEqual(await getJson(at("/good")), modelList("m"));
  for (const path of ["/page", "/gone", "/away", "/silence"]) {
    await assert.rejects(getJson(at(path)), path);
  }
});
