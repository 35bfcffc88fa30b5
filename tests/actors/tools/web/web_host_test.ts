import assert from "node:assert/strict";
import { loadConfig } from "../../../../actors/config/load_config.ts";
import { webSettings } from "../../../../actors/gateway/tool_wiring.ts";
import { systemClock } from "../../../../actors/kernel/adapters/system_clock.ts";
import { asJson, type JsonObject } from "../../../../actors/kernel/json.ts";
import { hostStarter } from "../../../../actors/tools/host/adapters/host_starter.ts";
import { hostedTool } from "../../../../actors/tools/host/hosted_tool.ts";
import type { StartHost } from "../../../../actors/tools/host/host_link.ts";
import { ToolHosts } from "../../../../actors/tools/host/tool_hosts.ts";
import type { ToolResult } from "../../../../actors/tools/tool.ts";
import type { WebSettings } from "../../../../actors/tools/web/web_settings.ts";
import { webTools } from "../../../../actors/tools/web/web_tools.ts";
import { until } from "../../../support/until.ts";
import { testNet, webServer } from "../../../support/web_server.ts";
import { contextWith } from "./web_context.ts";

async function settingsOf(
  tools: JsonObject,
  env: Readonly<Record<string, string>> = {},
): Promise<WebSettings> {
  return webSettings(
    await loadConfig({
      source: {
        readTextFile: () => Promise.resolve(JSON.stringify({ tools })),
        env: { TROUPE_HOME: "/nowhere", ...env },
        homeDir: "/nowhere",
        cwd: "/nowhere",
      },
      manifests: [],
    }),
  );
}

/** Calls a web tool in a host of its own, as the gateway does. */
async function callHosted(
  settings: WebSettings,
  name: string,
  args: JsonObject,
): Promise<ToolResult> {
  let running = 0;
  const { start } = hostStarter();
  const startCounted: StartHost = (setup, listener) => {
    running += 1;
    return start(setup, {
      line: (text) => listener.line(text),
      ended: (reason) => {
        running -= 1;
        listener.ended(reason);
      },
    });
  };
  const result = await callIn(startCounted, settings, { name, args });
  await until(() => running === 0, { what: "the end of the host" });
  return result;
}

async function callIn(
  start: StartHost,
  settings: WebSettings,
  { name, args }: { readonly name: string; readonly args: JsonObject },
): Promise<ToolResult> {
  await using hosts = new ToolHosts({
    start,
    clock: systemClock,
    setupOf: () => ({
      kind: "web",
      rights: { read: false, write: false, net: true, memoryBytesMax: 700_000_000 },
      workspace: "/nowhere",
      rules: {
        workspace: "/nowhere",
        homeFolder: "/nowhere",
        isRestricted: true,
        readableRoots: [],
        protectedPaths: [],
      },
      settings: asJson({ ...settings }),
    }),
  });
  const tool = webTools(settings).find((candidate) => candidate.name === name);
  assert.ok(tool !== undefined);
  return await hostedTool(tool, hosts).call(args, contextWith(testNet()));
}

Deno.test("The web tools take keys from the configuration, and else from the environment", async () => {
  const env = {
    BRAVE_API_KEY: "env-brave",
    KAGI_API_KEY: "env-kagi",
    SEARXNG_BASE_URL: "http://s/",
  };
  const search = async (section: JsonObject) =>
    (await settingsOf({ web: { search: section } }, env)).search;
  assert.equal((await search({ provider: "brave" })).apiKey, "env-brave");
  assert.equal((await search({ provider: "" })).apiKey, "env-brave");
  assert.equal((await search({ provider: "kagi", apiKey: "own" })).apiKey, "own");
  assert.equal((await search({ provider: "tavily" })).apiKey, "");
  assert.equal((await search({ provider: "searxng" })).baseUrl, "http://s/");
  assert.equal((await search({ provider: "duckduckgo", timeout: 7 })).timeoutMs, 7_000);
});

Deno.test("The remote reader is asked by those alone who switch it on", async () => {
  assert.equal((await settingsOf({}, { JINA_API_KEY: "k" })).remoteReader, null);
  const web = { fetch: { useJinaReader: true } };
  assert.deepEqual((await settingsOf({ web }, { JINA_API_KEY: "k" })).remoteReader, {
    apiKey: "k",
  });
});

Deno.test("A hosted web_fetch reads a page without a right to any file", async () => {
  await using server = webServer(() =>
    new Response(`<title>Bees</title><p>${"Warm and fed. ".repeat(40)}</p>`, {
      headers: { "content-type": "text/html" },
    })
  );
  const settings = await settingsOf({ ssrfWhitelist: ["127.0.0.0/8"] });
  const { content, isError } = await callHosted(settings, "web_fetch", { url: server.origin });
  assert.ok(typeof content === "string" && !isError, String(content));
  assert.match(content, /# Bees\\n\\nWarm and fed/);
});

Deno.test("A hosted web_fetch reaches nothing private, directly or by a redirect", async () => {
  await using inside = webServer(() => new Response("secret"));
  const strict = await settingsOf({});
  for (const url of [inside.origin, `http://localhost:${inside.port}/`, "http://[::1]:1/"]) {
    const { content, isError } = await callHosted(strict, "web_fetch", { url });
    assert.ok(isError && typeof content === "string");
    assert.match(content, /not public/);
  }
  assert.deepEqual(inside.requests, []);
});

Deno.test("A hosted web_search reaches the owner's own SearXNG", async () => {
  await using server = webServer(() =>
    Response.json({ results: [{ title: "Bees", url: "https://b.example/", content: "warm" }] })
  );
  const settings = await settingsOf({
    web: { search: { provider: "searxng", baseUrl: server.origin } },
  });
  const { content, isError } = await callHosted(settings, "web_search", { query: "bees" });
  assert.ok(!isError, String(content));
  assert.match(String(content), /1\. Bees\n {3}https:\/\/b\.example\/\n {3}warm/);
});
