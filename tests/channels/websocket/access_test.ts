import assert from "node:assert/strict";
import { Harness } from "./harness.ts";

const TOKEN = "the static token";
const SECRET = "the issue secret";
const ISSUING = { tokenIssuePath: "/auth", tokenIssueSecret: SECRET, websocketRequiresToken: true };

function bearer(secret: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { authorization: `Bearer ${secret}` } };
}

async function issue(harness: Harness, query: string = ""): Promise<string> {
  const response = await harness.request(`/auth${query}`, bearer(SECRET));
  const { token } = await response.json();
  assert.match(token, /^nbwt_[\w-]{43}$/);
  return token;
}

Deno.test("A static token lets in by query, header or sub-protocol, and nothing else does", async () => {
  await using harness = await Harness.ready({ section: { token: TOKEN } });
  assert.equal(await harness.status(), 401);
  assert.equal(await harness.status({ query: { token: "wrong" } }), 401);
  assert.equal(await harness.status({ protocols: ["troupe.v1", "token.wrong"] }), 401);
  assert.equal(await harness.status({ query: { token: TOKEN } }), 101);
  assert.equal(await harness.status(bearer(TOKEN)), 101);
});

Deno.test("A token beside the sub-protocol lets a browser in", async () => {
  await using harness = await Harness.ready({ section: { token: "abc" } });
  const peer = harness.peer({ protocols: ["troupe.v1", "token.abc"] });
  await peer.has("ready");
  assert.equal(peer.socket.protocol, "troupe.v1");
  assert.equal(await harness.status(bearer("abc")), 101);
});

Deno.test("Without any token to be had nobody gets in", async () => {
  await using harness = await Harness.ready({ section: { websocketRequiresToken: true } });
  assert.equal(await harness.status(), 401);
  assert.equal(await harness.status({ query: { token: "anything" } }), 401);
});

Deno.test("An issued token lets in once", async () => {
  await using harness = await Harness.ready({ section: ISSUING });
  assert.equal((await harness.request("/auth")).status, 401);
  assert.equal((await harness.request("/auth", bearer("wrong"))).status, 401);
  const answer = await harness.request("/auth/", { headers: { "x-nanobot-auth": SECRET } });
  assert.equal((await answer.json()).expires_in, 300);
  assert.equal(await harness.status(), 401);
  const token = await issue(harness);
  assert.equal(await harness.status({ query: { token } }), 101);
  assert.equal(await harness.status({ query: { token } }), 401);
});

Deno.test("An issued token lets in beside a static one, and not after its time", async () => {
  await using harness = await Harness.ready({
    section: { ...ISSUING, token: TOKEN, tokenTtlS: 30 },
  });
  assert.equal(await harness.status({ query: { token: await issue(harness) } }), 101);
  const late = await issue(harness);
  await harness.letPass(30_000, 5_000);
  assert.equal(await harness.status({ query: { token: late } }), 401);
});

Deno.test("A token for one client lets no other in", async () => {
  await using harness = await Harness.ready({ section: ISSUING });
  const token = await issue(harness, "?client_id=alice");
  assert.equal(await harness.status({ query: { token, client_id: "bob" } }), 401);
  assert.equal(await harness.status({ query: { token, client_id: "alice" } }), 101);
});

Deno.test.each<[string, Readonly<Record<string, string>>, number]>([
  ["no origin", {}, 101],
  ["the server's own page", { origin: "http://127.0.0.1:PORT" }, 101],
  ["another page on this machine", { origin: "http://127.0.0.1:1" }, 403],
  ["a foreign page", { origin: "https://evil.example" }, 403],
  ["a page without an origin", { origin: "null" }, 403],
  ["a page that is listed", { origin: "https://chat.example" }, 101],
  [
    "a page that leads its own name here",
    { origin: "http://evil.example:PORT", host: "evil.example:PORT" },
    403,
  ],
])("A handshake from %s is judged by its origin", async (_what, headers, status) => {
  await using harness = await Harness.ready({
    section: { allowOrigins: ["https://chat.example"] },
  });
  const told = Object.entries(headers)
    .map(([name, value]) => [name, value.replace("PORT", String(harness.port))]);
  assert.equal(await harness.status({ headers: Object.fromEntries(told) }), status);
});

Deno.test("A page that is listed may ask over HTTP, and others may not", async () => {
  await using harness = await Harness.ready({
    section: { allowOrigins: ["https://chat.example"] },
  });
  const ask = (origin: string) =>
    harness.request("/api/sessions", { method: "OPTIONS", headers: { origin } });
  const listed = await ask("https://chat.example");
  assert.equal(listed.status, 204);
  assert.equal(listed.headers.get("access-control-allow-origin"), "https://chat.example");
  const foreign = await ask("https://evil.example");
  assert.equal(foreign.status, 403);
  assert.equal(foreign.headers.get("access-control-allow-origin"), null);
});

Deno.test("Only clients that are listed get in, on the right path", async () => {
  await using harness = await Harness.ready({ section: { allowFrom: ["alice"], path: "/ws" } });
  const query = { client_id: "alice" };
  assert.equal(await harness.status({ path: "/ws", query }), 101);
  assert.equal(await harness.status({ path: "/ws/", query }), 101);
  assert.equal(await harness.status({ path: "/ws", query: { client_id: "mallory" } }), 403);
  assert.equal(await harness.status({ path: "/ws" }), 403);
  assert.equal(await harness.status({ path: "/other", query }), 404);
});

Deno.test("An empty list lets nobody in", async () => {
  await using harness = await Harness.ready({ section: { allowFrom: [] } });
  assert.equal(await harness.status({ query: { client_id: "alice" } }), 403);
});

Deno.test("No more sockets are open than may be", async () => {
  await using harness = await Harness.ready({ section: { maxConnections: 2 } });
  const first = await harness.member("one");
  await harness.member("two");
  assert.equal(await harness.status(), 503);
  first.socket.close();
  await harness.passUntil(() => first.closedWith !== null, "the end of a client");
  assert.equal(await harness.status(), 101);
});

Deno.test("A page of this machine gets a token for sockets and conversations", async () => {
  const sessions = {
    list: () => Promise.resolve([{ key: "websocket:c1", updatedAtMs: 0 }]),
    read: () => Promise.resolve(null),
    erase: () => Promise.resolve("missing" as const),
  };
  await using harness = await Harness.ready({
    section: { websocketRequiresToken: true },
    sessions,
  });
  const answer = await harness.request("/webui/bootstrap");
  const { token, ws_path: path, expires_in: ttl } = await answer.json();
  assert.deepEqual([path, ttl], ["/", 300]);
  assert.equal((await harness.request(`/api/sessions?token=${token}`)).status, 200);
  assert.equal(await harness.status({ query: { token } }), 101);
  assert.equal(await harness.status({ query: { token } }), 401);
  assert.equal((await harness.request("/api/sessions", bearer(token))).status, 200);
  await harness.letPass(300_000, 20_000);
  assert.equal((await harness.request("/api/sessions", bearer(token))).status, 401);
});

Deno.test.each(["forwarded", "x-forwarded-for", "x-real-ip", "via"])(
  "Whoever comes through a proxy (%s) is not of this machine",
  async (name) => {
    await using harness = await Harness.ready();
    const answer = await harness.request("/webui/bootstrap", {
      headers: { [name]: "for=1.2.3.4" },
    });
    assert.equal(answer.status, 403);
  },
);
