import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { mcpLoginCommand } from "../../../channels/cli/commands/mcp.ts";
import { McpHttpServer } from "../../simulators/mcp_http_server.ts";
import { lying } from "../../support/mcp_bench.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { until } from "../../support/until.ts";
import { type Home, run, Screen } from "./_provider_home.ts";

async function home(mcpServers: JsonObject): Promise<Home> {
  const folder = await temporaryFolder();
  const config = join(folder.path, "config.json");
  const text = JSON.stringify({ tools: { mcpServers } });
  await Deno.writeTextFile(config, text);
  return {
    ...{ folder: folder.path, config },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

Deno.test("mcp list shows the servers, without what may be secret in their entries", async () => {
  await using place = await home({
    files: { command: "npx", args: ["--token", "geheim"] },
    wiki: { url: "https://wiki.example.org/geheim/sse" },
    nothing: {},
  });
  const { code, out } = await run(place, "mcp", "list");
  assert.equal(code, 0);
  assert.equal(
    out,
    "files: stdio, npx: no gateway runs\n" +
      "wiki: sse, wiki.example.org:443: no gateway runs\n" +
      "nothing: off: it has neither a command nor a url\n",
  );
  await using none = await home({});
  assert.match((await run(none, "mcp", "list")).out, /^No server is configured/);
});

Deno.test("mcp test shows a server's tools, and in one line what is wrong with another", async () => {
  await using place = await home({
    good: lying("none"),
    bad: lying("garbage_only"),
    gone: { command: "no-such" },
  });
  const { code, out } = await run(place, "mcp", "test");
  assert.equal(code, 1);
  const lines = out.trimEnd().split("\n");
  assert.deepEqual(lines.slice(0, 3), [
    "good: 2 tools (lying none 1)",
    "  mcp_good_echo: Says it again",
    "  mcp_good_look: (nothing)",
  ]);
  assert.match(lines[3] ?? "", /^bad: it ended with code 4; it writes to stdout/);
  assert.deepEqual(lines.slice(4), ['gone: it cannot be started: there is no program "no-such"']);
  assert.equal((await run(place, "mcp", "test", "good")).code, 0);
  const unknown = await run(place, "mcp", "test", "other");
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /Cannot find the server "other": there are good, bad, gone/);
});

Deno.test("mcp login stores tokens of a browser, which are used and renewed from then on", async () => {
  await using server = new McpHttpServer({ wantsSignIn: true });
  await using place = await home({ wiki: { url: `${server.origin}/mcp` } });
  const before = await run(place, "mcp", "test");
  assert.equal(before.out, "wiki: it wants somebody to sign in (mcp login wiki)\n");
  const screen = new Screen();
  const signingIn = mcpLoginCommand("wiki", { config: place.config }, screen);
  await until(() => screen.out.includes("/authorize?"));
  const page = await fetch(/http:\S+/.exec(screen.out)?.[0] ?? "", { redirect: "manual" });
  await page.body?.cancel();
  await (await fetch(page.headers.get("location") ?? "")).body?.cancel();
  assert.equal(await signingIn, 0, screen.err);
  assert.match(screen.out, /Signed in to "wiki"\./);
  const path = join(place.folder, "state", "auth", "mcp_wiki.json");
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  assert.match((await run(place, "mcp", "test")).out, /^wiki: 2 tools/);
  server.tokens.clear(); // as if the token had run out
  assert.match((await run(place, "mcp", "test")).out, /^wiki: 2 tools/);
  assert.deepEqual([...server.tokens], ["token-2"]);
  server.tokens.clear();
  await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace("renew-2", "renew-0"));
  const expired = await run(place, "mcp", "test");
  assert.match(expired.out, /^wiki: .*sign.*\(mcp login wiki\)\n$/);
  assert.equal(server.requests.filter((request) => request.endsWith("/register")).length, 1);
});

Deno.test("mcp login says when there is nothing to sign in to", async () => {
  await using server = new McpHttpServer();
  await using place = await home({ open: { url: `${server.origin}/mcp` }, here: lying("none") });
  const { code, out } = await run(place, "mcp", "login", "open");
  assert.deepEqual([code, out], [0, '"open" needs no sign-in.\n']);
  assert.match((await run(place, "mcp", "login", "here")).err, /it is a program of this machine/);
});

Deno.test("Tokens go to the address that they were given for, and to no other", async () => {
  await using first = new McpHttpServer({ wantsSignIn: true });
  await using place = await home({ wiki: { url: `${first.origin}/mcp` } });
  const screen = new Screen();
  const signingIn = mcpLoginCommand("wiki", { config: place.config }, screen);
  await until(() => screen.out.includes("/authorize?"));
  const page = await fetch(/http:\S+/.exec(screen.out)?.[0] ?? "");
  await page.body?.cancel();
  assert.equal(await signingIn, 0);
  let seen: string | null = "nothing came";
  await using other = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      seen = request.headers.get("authorization");
      return new Response(null, { status: 401 });
    },
  );
  const url = `http://127.0.0.1:${other.addr.port}/mcp`;
  await Deno.writeTextFile(
    place.config,
    JSON.stringify({ tools: { mcpServers: { wiki: { url } } } }),
  );
  assert.match((await run(place, "mcp", "test")).out, /wants somebody to sign in/);
  assert.equal(seen, null);
});
