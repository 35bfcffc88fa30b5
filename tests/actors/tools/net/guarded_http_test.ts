import assert from "node:assert/strict";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { ToolResponse } from "../../../../actors/tools/tool.ts";
import { BAD_REDIRECTS } from "../../../support/hostile_urls.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { startTlsServer } from "../../../support/tls_server.ts";
import { until } from "../../../support/until.ts";
import {
  LOOPBACK,
  rawServer,
  say,
  testNet,
  type TestNetOptions,
  untilGone,
  webServer,
} from "../../../support/web_server.ts";

const KEEP = { bytesMax: 10_000, timeoutMs: 10_000 };

function get(
  url: string,
  options: TestNetOptions = LOOPBACK,
  more: { readonly bytesMax?: number; readonly timeoutMs?: number } = {},
): Promise<ToolResponse> {
  return testNet(options).request({ url, ...KEEP, ...more }, new AbortController().signal);
}

function textOf({ body }: ToolResponse): string {
  return new TextDecoder().decode(body);
}

function redirect(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } });
}

Deno.test("A request brings status, headers and body, whatever the status", async () => {
  await using server = webServer(() =>
    new Response("gone", { status: 410, headers: { "X-Why": "moved" } })
  );
  const response = await get(`${server.origin}/a?b=c`);
  assert.deepEqual([response.status, textOf(response), response.isCut], [410, "gone", false]);
  assert.equal(response.headers["x-why"], "moved");
  assert.equal(response.url, `${server.origin}/a?b=c`);
  assert.deepEqual(server.requests, ["GET /a?b=c"]);
});

Deno.test("The name goes to the server, the connection to the address that was checked", async () => {
  const hosts: (string | null)[] = [];
  await using server = webServer((request) => {
    hosts.push(request.headers.get("host"));
    return new Response("hi");
  });
  const names = { "name.example": ["127.0.0.1"] };
  await get(`http://name.example.:${server.port}/`, { ...LOOPBACK, names });
  assert.deepEqual(hosts, [`name.example:${server.port}`]);
});

Deno.test("A name that changes its answer after the check is not asked again", async () => {
  await using server = webServer(() => new Response("public"));
  await using inside = webServer(() => new Response("secret"));
  let lookUps = 0;
  const response = await get(`http://rebind.example:${server.port}/`, {
    allowedRanges: ["127.0.0.1"],
    lookUp: () => Promise.resolve(lookUps++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"]),
  });
  assert.equal(textOf(response), "public");
  assert.equal(lookUps, 1);
  assert.deepEqual(inside.requests, []);
});

Deno.test("A name that changes its answer between two hops is refused at the second", async () => {
  let lookUps = 0;
  await using server = webServer(() => redirect("/again"));
  const request = get(`http://rebind.example:${server.port}/`, {
    allowedRanges: ["127.0.0.1"],
    lookUp: () => Promise.resolve(lookUps++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"]),
  });
  await assert.rejects(request, { code: "host_refused" });
  assert.deepEqual(server.requests, ["GET /"]);
});

Deno.test("A host with several addresses is reached by whichever answers", async () => {
  await using server = webServer(() => new Response("hi"));
  const names = { "two.example": ["127.0.0.9", "127.0.0.1"] };
  const response = await get(`http://two.example:${server.port}/`, { ...LOOPBACK, names });
  assert.equal(textOf(response), "hi");
});

Deno.test.each(BAD_REDIRECTS)("A redirect to %s makes no second connection", async (to, says) => {
  await using inside = webServer(() => new Response("secret"));
  await using open = webServer(() => redirect(to.replace("PORT", String(inside.port))));
  const names = { "open.example": ["127.0.0.1"], "inside.example": ["127.0.0.2"] };
  const request = get(`http://open.example:${open.port}/`, { allowedRanges: ["127.0.0.1"], names });
  await assert.rejects(request, (error) => error instanceof Error && says.test(error.message));
  assert.deepEqual(open.requests, ["GET /"]);
  assert.deepEqual(inside.requests, []);
});

Deno.test("Five redirects are followed, a sixth is not, and a circle ends at once", async () => {
  await using server = webServer((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/round") return redirect("/and");
    if (pathname === "/and") return redirect("/round");
    const left = Number(pathname.slice(1));
    return left === 0 ? new Response("there") : redirect(`/${left - 1}`);
  });
  assert.equal((await get(`${server.origin}/5`)).url, `${server.origin}/0`);
  await assert.rejects(get(`${server.origin}/6`), { code: "redirect_refused" });
  await assert.rejects(get(`${server.origin}/round`), { code: "redirect_refused" });
  assert.equal(server.requests.filter((line) => /round|and/.test(line)).length, 2);
});

Deno.test("What a request carries stays with its origin, and goes on within it", async () => {
  const seen: Record<string, string>[] = [];
  const record = (request: Request) => {
    seen.push(Object.fromEntries(request.headers));
    return new Response("ok");
  };
  await using other = webServer(record);
  await using server = webServer((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/away") return redirect(`${other.origin}/`);
    return pathname === "/within" ? redirect("/end") : record(request);
  });
  const headers = {
    Authorization: "Bearer secret",
    Cookie: "sid=1",
    "X-Subscription-Token": "key",
    "User-Agent": "tester",
  };
  const net = testNet(LOOPBACK);
  const { signal } = new AbortController();
  for (const path of ["/away", "/within"]) {
    await net.request({ url: `${server.origin}${path}`, headers, ...KEEP }, signal);
  }
  const [away, within] = seen;
  assert.equal(away?.["user-agent"], "tester");
  for (const name of ["authorization", "cookie", "x-subscription-token"]) {
    assert.equal(away?.[name], undefined, name);
    assert.ok(within?.[name], name);
  }
});

Deno.test("A body is not taken to another origin, and becomes a GET where the standard says", async () => {
  const bodies: string[] = [];
  await using other = webServer(async (request) => new Response(await request.text()));
  await using server = webServer(async (request) => {
    const { pathname } = new URL(request.url);
    bodies.push(`${request.method} ${pathname} ${await request.text()}`);
    if (pathname === "/307") return redirect("/end", 307);
    if (pathname === "/303") return redirect("/end", 303);
    return pathname === "/away" ? redirect(other.origin, 308) : new Response("ok");
  });
  const net = testNet(LOOPBACK);
  const post = (path: string) =>
    net.request(
      { url: `${server.origin}${path}`, method: "POST", body: "query=秘密", ...KEEP },
      new AbortController().signal,
    );
  await post("/307");
  await post("/303");
  await assert.rejects(post("/away"), { code: "redirect_refused" });
  assert.deepEqual(bodies, [
    "POST /307 query=秘密",
    "POST /end query=秘密",
    "POST /303 query=秘密",
    "GET /end ",
    "POST /away query=秘密",
  ]);
  assert.deepEqual(other.requests, []);
});

Deno.test("An endless body is cut at the limit and its connection ended", async () => {
  let hasEnded = false;
  await using server = rawServer(async (connection) => {
    await say(connection, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
    try {
      while (true) await say(connection, "x".repeat(10_000));
    } finally {
      hasEnded = true;
    }
  });
  const response = await get(server.origin, LOOPBACK, { bytesMax: 50_001 });
  assert.deepEqual([response.body.length, response.isCut], [50_001, true]);
  await until(() => hasEnded);
});

Deno.test.each(["gzip", "br"])("A %s bomb is unpacked up to the limit only", async (encoding) => {
  const zeros = new Uint8Array(200 * 1024 * 1024);
  const bomb = encoding === "gzip"
    ? gzipSync(zeros)
    : brotliCompressSync(zeros, { params: { 1: 1 } });
  await using server = webServer(() =>
    new Response(new Uint8Array(bomb), { headers: { "content-encoding": encoding } })
  );
  const before = Deno.memoryUsage().rss;
  const response = await get(server.origin, LOOPBACK, { bytesMax: 1_000_000 });
  assert.deepEqual([response.body.length, response.isCut], [1_000_000, true]);
  assert.ok(Deno.memoryUsage().rss - before < 100 * 1024 * 1024, "the rest was not unpacked");
});

Deno.test("A packed answer is unpacked; one that is broken, doubled or unknown is refused", async () => {
  const packed = new Uint8Array(gzipSync("你好".repeat(1_000)));
  await using server = webServer((request) => {
    const encoding = decodeURIComponent(new URL(request.url).pathname.slice(1));
    const body = encoding === "broken" ? packed.slice(0, 10).fill(7, 2) : packed;
    const name = encoding === "broken" ? "gzip" : encoding;
    return new Response(body, { headers: { "content-encoding": name } });
  });
  assert.equal(textOf(await get(`${server.origin}/gzip`)).length, 2_000);
  for (const encoding of ["broken", "gzip, gzip", "zstd", "rot13"]) {
    const request = get(`${server.origin}/${encodeURIComponent(encoding)}`);
    await assert.rejects(request, { code: "response_invalid" }, encoding);
  }
});

Deno.test("Headers without an end are refused", async () => {
  await using server = rawServer(async (connection) => {
    await say(connection, "HTTP/1.1 200 OK\r\n");
    for (let n = 0; n < 100_000; n++) await say(connection, `X-${n}: ${"a".repeat(1_000)}\r\n`);
  });
  await assert.rejects(get(server.origin), { code: "response_invalid" });
});

Deno.test.each([
  ["nothing at all", ""],
  ["half a head", "HTTP/1.1 200 OK\r\nContent-"],
  ["something else", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"],
  ["half a body", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"],
  ["a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello"],
  ["a switch of protocols", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
])("A server that says %s costs one request", async (_name, answer) => {
  await using server = rawServer((connection) => say(connection, answer));
  await assert.rejects(get(server.origin), (error) => {
    assert.ok(error instanceof Error && "code" in error);
    assert.ok(["request_failed", "response_invalid"].includes(String(error.code)), String(error));
    return true;
  });
});

Deno.test.each([
  ["never answers", ""],
  ["sends its head by the letter", "HTTP/1.1 2"],
  ["sends its body by the letter", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc"],
])("A server that %s is left when the time is over", async (_name, start) => {
  const clock = new ManualClock();
  let isWaiting = false;
  let isGone = false;
  await using server = rawServer(async (connection) => {
    await say(connection, start);
    isWaiting = true;
    await untilGone(connection);
    isGone = true;
  });
  const request = get(server.origin, { ...LOOPBACK, clock }, { timeoutMs: 30_000 });
  const refused = assert.rejects(request, { code: "request_timed_out" });
  await until(() => isWaiting);
  await clock.advance(30_000);
  await refused;
  await until(() => isGone);
  assert.equal(clock.pending, 0);
});

Deno.test("A look-up that hangs ends with the time, and with the caller's patience", async () => {
  const clock = new ManualClock();
  const lookUp = () => new Promise<never>(() => {});
  const late = get("http://slow.example/", { lookUp, clock }, { timeoutMs: 5_000 });
  const refused = assert.rejects(late, { code: "request_timed_out" });
  await clock.advance(5_000);
  await refused;
  const caller = new AbortController();
  const request = { url: "http://slow.example/", ...KEEP };
  const aborted = testNet({ lookUp, clock }).request(request, caller.signal);
  const reason = new TypeError("stopped");
  const thrown = assert.rejects(aborted, reason);
  caller.abort(reason);
  await thrown;
  assert.equal(clock.pending, 0);
});

Deno.test("A certificate that nobody trusts is refused", async () => {
  await using server = await startTlsServer();
  const names = { "localhost": ["127.0.0.1"] };
  const request = get(`https://localhost:${server.port}/`, { ...LOOPBACK, names });
  await assert.rejects(request, { code: "request_failed" });
});

Deno.test("The owner's origin may be private; where it redirects to may not", async () => {
  await using inside = webServer(() => new Response("secret"));
  await using server = webServer((request) =>
    new URL(request.url).pathname === "/away" ? redirect(inside.origin) : new Response("found")
  );
  const net = testNet();
  const ask = (path: string) =>
    net.request(
      { url: `${server.origin}${path}`, ownerOrigin: server.origin, ...KEEP },
      new AbortController().signal,
    );
  assert.equal(textOf(await ask("/search")), "found");
  await assert.rejects(ask("/away"), { code: "redirect_refused" });
  assert.deepEqual(inside.requests, []);
});
