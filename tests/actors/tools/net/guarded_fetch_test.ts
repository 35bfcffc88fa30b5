import assert from "node:assert/strict";
import { guardedFetch } from "../../../../actors/tools/net/guarded_fetch.ts";
import { until } from "../../../support/until.ts";
import {
  LOOPBACK,
  rawServer,
  say,
  testNet,
  untilGone,
  webServer,
} from "../../../support/web_server.ts";

Deno.test("A fetch within the boundary sends and brings what fetch does", async () => {
  await using server = webServer(async (request) =>
    request.method === "DELETE"
      ? new Response(null, { status: 204 })
      : Response.json({ got: await request.text(), type: request.headers.get("content-type") })
  );
  const fetch = guardedFetch(testNet(LOOPBACK));
  const answer = await fetch(new URL(`${server.origin}/mcp`), {
    method: "post",
    headers: { "Content-Type": "application/json" },
    body: '{"a":1}',
  });
  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.deepEqual(await answer.json(), { got: '{"a":1}', type: "application/json" });
  assert.equal((await fetch(server.origin, { method: "DELETE" })).status, 204);
  assert.deepEqual(server.requests, ["POST /mcp", "DELETE /"]);
});

Deno.test("A stream arrives piece by piece, and ends with the caller's patience", async () => {
  let isGone = false;
  await using server = rawServer(async (connection) => {
    await say(connection, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
    await untilGone(connection);
    isGone = true;
  });
  const caller = new AbortController();
  const { body } = await guardedFetch(testNet(LOOPBACK))(server.origin, { signal: caller.signal });
  assert.ok(body !== null);
  const reader = body.getReader();
  const { value } = await reader.read();
  assert.equal(new TextDecoder().decode(value), "data: 1\n\n");
  const next = assert.rejects(reader.read(), { message: "enough" });
  caller.abort(new TypeError("enough"));
  await next;
  await until(() => isGone);
});

Deno.test("A stream that its reader cancels is ended at the server", async () => {
  let isGone = false;
  await using server = rawServer(async (connection) => {
    await say(connection, "HTTP/1.1 200 OK\r\n\r\nbeginning");
    await untilGone(connection);
    isGone = true;
  });
  const { body } = await guardedFetch(testNet(LOOPBACK))(server.origin);
  assert.ok(body !== null);
  assert.equal(isGone, false);
  await body.cancel();
  await until(() => isGone);
});

Deno.test("A fetch is refused where the boundary refuses, unless the owner names the origin", async () => {
  await using server = webServer(() => new Response("tools"));
  const net = testNet();
  await assert.rejects(guardedFetch(net)(server.origin), { code: "host_refused" });
  const allowed = await guardedFetch(net, { ownerOrigin: server.origin })(`${server.origin}/mcp`);
  assert.equal(await allowed.text(), "tools");
  await assert.rejects(
    guardedFetch(net)("http://x.example/", { body: new Blob(), method: "POST" }),
    {
      name: "TypeError",
    },
  );
});
