import assert from "node:assert/strict";
import { type McpHttpOptions, McpHttpServer } from "../../../simulators/mcp_http_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { mcpBench } from "../../../support/mcp_bench.ts";

const owned = new AsyncDisposableStack();

function start(options: McpHttpOptions = {}): McpHttpServer {
  return owned.use(new McpHttpServer(options));
}

function at(server: McpHttpServer, path = "/mcp") {
  return { url: `${server.origin}${path}` };
}

const [plain, older, broken] = [start(), start(), start({ lie: "bad_gzip" })];
const key = ["x-key", "geheim"] as const;
const closed = start({ header: key });
// Time stands still, so that nobody is tried again beside the tests.
const bench = owned.use(
  await mcpBench({
    plain: at(plain),
    older: at(older, "/sse"),
    broken: at(broken),
    known: { ...at(closed), headers: { "X-Key": "${KEY}" } },
    unknown: at(closed),
    html: at(start({ lie: "html" })),
    error: at(start({ lie: "server_error" })),
    away: at(plain, "/away"),
    nobody: { url: "http://127.0.0.1:1/mcp" },
  }, {
    clock: new ManualClock(),
    env: { KEY: key[1] },
    tools: { web: { proxy: "http://127.0.0.1:1" } }, // nobody is there, and nobody is asked
  }),
);
const health = await bench.mcp.report();

Deno.test.afterAll(async () => await owned.disposeAsync());

Deno.test.each(["plain", "older", "known"])(
  "The server %s is reached directly, and its tools work",
  async (name) => {
    assert.match(await bench.say(`mcp_${name}_echo`, { text: "hi" }), /\necho: hi\n/);
    assert.equal(health[name]?.state, "ready");
  },
);

Deno.test.each([
  ["unknown", /status 403: .*no$/],
  ["html", /content type: text\/html/],
  ["error", /status 500/],
  ["away", /Redirect blocked/],
  ["nobody", /ECONNREFUSED/],
])("Of %s it is said what is wrong", (name, expected) => {
  assert.match(health[name]?.detail ?? "", expected);
  assert.equal(health[name]?.tools, 0);
});

// A stream that ends may have taken an answer with it: only what reads is asked again.
Deno.test.each([["plain", "echo", plain], ["older", "look", older]] as const)(
  "The server %s that forgot its sessions is connected to anew, and its %s does what it was asked",
  async (name, tool, server) => {
    server.forget();
    assert.match(await bench.say(`mcp_${name}_${tool}`, { text: "again" }), /\necho: again\n/);
    const { [name]: now } = await bench.mcp.report();
    assert.deepEqual([now?.state, now?.losses], ["ready", 1]);
  },
);

Deno.test("A call whose answer cannot be read may have been carried out, and is not repeated", async () => {
  const before = broken.requests.length;
  const text = await bench.say("mcp_broken_echo", { text: "pay" });
  assert.match(text, /^Error: .*cannot? .*answer.*it is not known whether the call took effect/is);
  const calls = broken.requests.slice(before).filter((request) => request === "POST /mcp");
  assert.equal(calls.length, 1);
});
