import assert from "node:assert/strict";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { GatewayHome, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { webServer } from "../support/web_server.ts";

function resultsOf(model: ModelServer): string[] {
  return (model.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === "tool").map(({ content }) => String(content));
}

Deno.test("A conversation reads the web within its boundary", async () => {
  await using home = await GatewayHome.make();
  await using page = webServer(({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/away") {
      return new Response(null, { status: 302, headers: { location: "http://10.0.0.1/" } });
    }
    if (pathname === "/searx/search") {
      return Response.json({ results: [{ title: "Hives", url: "https://hives.example/" }] });
    }
    const headers = { "content-type": "text/html" };
    return new Response("<title>Bees</title><p>Warm and fed</p>", { headers });
  });
  await using model = await ModelServer.start([
    callTool("web_fetch", { url: `${page.origin}/bees` }),
    callTool("web_fetch", { url: `${page.origin}/away` }),
    callTool("web_fetch", { url: "http://169.254.169.254/latest/meta-data/" }),
    callTool("web_search", { query: "bees" }),
    say("Read."),
  ]);
  const search = { provider: "searxng", baseUrl: `${page.origin}/searx` };
  const tools = { ssrfWhitelist: ["127.0.0.1/32"], web: { search } };
  await writeConfig(home, { model, config: { tools } });
  const { stdout, stderr } = await runTroupe(["agent", "-m", "read"], home.path);
  assert.equal(stdout, "Read.\n", stderr);
  const [read = "", away = "", metadata = "", found = ""] = resultsOf(model);
  assert.match(read, /"untrusted":true.*# Bees\\n\\nWarm and fed/);
  assert.match(away, /^\{"error":"Redirect blocked.*private/);
  assert.match(metadata, /^\{"error":.*link-local/);
  assert.match(found, /^Results for: bees\n\n⟦Untrusted[^\n]*\n1\. Hives\n/);
  assert.equal(page.requests.filter((line) => line === "GET /bees").length, 1);
});

Deno.test("A gateway without the web has no tools for it", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("web_fetch", { url: "http://x/" }),
    say("No."),
  ]);
  await writeConfig(home, { model, config: { tools: { web: { enable: false } } } });
  const { stdout, stderr } = await runTroupe(["agent", "-m", "read"], home.path);
  assert.equal(stdout, "No.\n", stderr);
  assert.match(resultsOf(model)[0] ?? "", /there is no such tool/);
  const names = JSON.stringify(model.requests[0]?.body["tools"] ?? []);
  assert.doesNotMatch(names, /web_/);
  assert.match(names, /read_file/);
});
