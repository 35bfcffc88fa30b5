import assert from "node:assert/strict";
import { McpHttpServer } from "../../../simulators/mcp_http_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { mcpBench } from "../../../support/mcp_bench.ts";
import { until } from "../../../support/until.ts";

Deno.test.each(["/mcp", "/sse"])(
  "A server at %s is used, with headers and secrets",
  async (path) => {
    await using server = new McpHttpServer({ header: ["x-key", "geheim"] });
    const entry = { url: `${server.origin}${path}`, headers: { "X-Key": "${WIKI_TOKEN}" } };
    await using bench = await mcpBench({ wiki: entry }, { env: { WIKI_TOKEN: "geheim" } });
    assert.deepEqual(bench.names, ["mcp_wiki_echo", "mcp_wiki_look"]);
    assert.match(await bench.say("mcp_wiki_echo", { text: "hi" }), /echo: hi/);
  },
);

Deno.test("Answers that come as a stream are read to their end", async () => {
  await using server = new McpHttpServer({ lie: "changes" });
  await using bench = await mcpBench({ s: { url: `${server.origin}/mcp` } });
  assert.match(await bench.say("mcp_s_echo"), /changed/);
  await until(() => bench.names.some((name) => name.startsWith("mcp_s_new_")));
});

Deno.test("A session that the server forgot is begun anew, and the call with it", async () => {
  await using server = new McpHttpServer();
  await using bench = await mcpBench({ s: { url: `${server.origin}/mcp` } });
  server.forget();
  assert.match(await bench.say("mcp_s_echo", { text: "again" }), /echo: again/);
});

Deno.test("A stream that breaks off is opened anew", async () => {
  await using server = new McpHttpServer();
  await using bench = await mcpBench({ s: { url: `${server.origin}/sse` } });
  server.forget();
  await until(async () => (await bench.mcp.report())["s"]?.losses === 1);
  assert.match(await bench.say("mcp_s_echo", { text: "again" }), /echo: again/);
});

Deno.test("A server that is gone is told of, and found again when it is back", async () => {
  const server = new McpHttpServer();
  const { port, origin } = server;
  await using bench = await mcpBench({ s: { url: `${origin}/mcp` } });
  await server[Symbol.asyncDispose]();
  assert.match(await bench.say("mcp_s_echo"), /^Error: .*is not there: Cannot reach/s);
  await using _again = new McpHttpServer({ port });
  assert.match(await bench.say("mcp_s_echo", { text: "back" }), /echo: back/);
});

Deno.test.each(
  [
    ["server_error", "/mcp", /it answers with status 500/],
    ["html", "/mcp", /Unexpected content type: text\/html/],
    ["none", "/nowhere", /there is no such address/],
    ["none", "/away", /Unfollowed|redirect|not public/i],
    ["die_connect", "/mcp", /./],
  ] as const,
)("Of a server with %s at %s it is said what is wrong", async (lie, path, expected) => {
  await using server = new McpHttpServer({ lie });
  const clock = new ManualClock();
  await using bench = await mcpBench({ s: { url: `${server.origin}${path}` } }, { clock });
  const { s: health } = await bench.mcp.report();
  assert.equal(health?.state, "waiting");
  assert.match(health?.detail ?? "", expected);
});

Deno.test("An answer of 10 MB is taken and bounded; one beyond all bounds is not", async () => {
  const clock = new ManualClock();
  await using huge = new McpHttpServer({ lie: "huge" });
  await using tooHuge = new McpHttpServer({ lie: "too_huge" });
  const servers = { a: { url: `${huge.origin}/mcp` }, b: { url: `${tooHuge.origin}/mcp` } };
  await using bench = await mcpBench(servers, { clock });
  const text = await bench.say("mcp_a_echo");
  assert.ok(text.length > 1_999_000 && text.length < 2_001_000);
  assert.match(await bench.say("mcp_b_echo"), /^Error: .*more than 16 MB/s);
});

Deno.test("A server elsewhere is reached within the network boundary", async () => {
  await using server = new McpHttpServer();
  const clock = new ManualClock();
  // The address that the owner wrote may be private, and nothing that it leads to.
  await using bench = await mcpBench({
    own: { url: `${server.origin}/mcp` },
    away: { url: `${server.origin}/away` },
  }, { clock });
  const { own, away } = await bench.mcp.report();
  assert.deepEqual([own?.state, away?.state], ["ready", "waiting"]);
});

Deno.test("A server that wants a sign-in is told of, and is not asked to register anybody", async () => {
  await using server = new McpHttpServer({ wantsSignIn: true });
  const clock = new ManualClock();
  await using bench = await mcpBench({
    a: { url: `${server.origin}/mcp` },
    b: { url: `${server.origin}/sse` },
  }, { clock });
  const { a, b } = await bench.mcp.report();
  assert.deepEqual([a?.state, b?.state], ["needs_sign_in", "needs_sign_in"]);
  assert.ok(!server.requests.some((request) => request.includes("register")));
});
