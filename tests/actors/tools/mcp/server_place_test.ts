import assert from "node:assert/strict";
import { placeText, serverKind } from "../../../../actors/tools/mcp/server_place.ts";
import { loadSettings } from "../../config/_load.ts";

async function placeOf(entry: Record<string, unknown>): Promise<string> {
  const { config } = await loadSettings({ tools: { mcpServers: { s: entry } } });
  const { s } = config.tools.mcpServers;
  assert.ok(s !== undefined);
  return placeText(serverKind(s));
}

Deno.test.each<[Record<string, unknown>, string]>([
  [{ command: "npx", args: ["--token", "geheim"] }, "stdio, npx"],
  [{ command: "npx", url: "https://a.example/sse" }, "stdio, npx"],
  [{ url: "https://a.example/sse" }, "sse, a.example:443"],
  [{ url: "https://a.example/sse/" }, "sse, a.example:443"],
  [{ url: "https://a.example/sse?key=geheim" }, "sse, a.example:443"],
  [{ url: "http://a.example:8080/mcp" }, "streamableHttp, a.example:8080"],
  [{ url: "http://a.example/sse", type: "streamableHttp" }, "streamableHttp, a.example:80"],
  [{ url: "https://a.example/x", type: "sse" }, "sse, a.example:443"],
  [{}, "off: it has neither a command nor a url"],
  [{ type: "stdio", url: "https://a.example" }, "off: it has no command"],
  [{ type: "sse" }, "off: it has no url"],
  [{ url: "file:///etc/passwd" }, "off: its url is no http or https address"],
  [{ url: "no address" }, "off: its url is no http or https address"],
  [
    { url: "https://me:geheim@a.example/" },
    "off: its url carries a user name or password: put them into headers",
  ],
])("The server of %o is %s", async (entry, expected) => {
  assert.equal(await placeOf(entry), expected);
});
