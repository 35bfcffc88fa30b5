import assert from "node:assert/strict";
import { openNetwork } from "../../../channels/discord/adapters/network.ts";

/** An HTTP proxy that answers by itself. */
async function throughProxy(
  credentials: { readonly proxyUsername: string | null; readonly proxyPassword: string | null },
): Promise<{ readonly url: string; readonly authorization: string | null }> {
  let seen = { url: "", authorization: null as string | null };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    seen = { url: request.url, authorization: request.headers.get("proxy-authorization") };
    return Response.json({ ok: true }, { headers: { connection: "close" } });
  });
  const over = new AbortController();
  const link = openNetwork({
    token: "t",
    apiBase: "http://discord.invalid/api",
    proxy: `http://127.0.0.1:${server.addr.port}`,
    ...credentials,
    signal: over.signal,
  });
  const answer = await link.request({ method: "GET", path: "/users/@me" }, over.signal);
  assert.deepEqual(answer.body, { ok: true });
  over.abort();
  await server.shutdown();
  return seen;
}

Deno.test("Discord goes through its proxy, with a name and a password when both are there", async () => {
  const { url, authorization } = await throughProxy({ proxyUsername: "ada", proxyPassword: "s" });
  assert.match(url, /\/api\/v10\/users\/@me$/);
  assert.equal(authorization, `Basic ${btoa("ada:s")}`);
});

Deno.test.each([
  { proxyUsername: "ada", proxyPassword: null },
  { proxyUsername: null, proxyPassword: "s" },
])("Discord's proxy is told neither name nor password alone, case %#", async (credentials) => {
  assert.equal((await throughProxy(credentials)).authorization, null);
});
