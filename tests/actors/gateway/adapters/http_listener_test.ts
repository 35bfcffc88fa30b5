import assert from "node:assert/strict";
import { HttpListener } from "../../../../actors/gateway/adapters/http_listener.ts";
import { until } from "../../../support/until.ts";

type Answer = (request: Request) => Promise<Response>;

const LIMITS = {
  ...{ headMs: 150, requestMs: 400, idleMs: 150 },
  ...{ unreadMs: 150, lookMs: 30, connectionsMax: 3 },
};

function listen(answer: Answer, limits = {}): Promise<HttpListener> {
  const place = { host: "127.0.0.1", port: 0, section: "api", path: "/v1" } as const;
  return HttpListener.open(place, answer, { ...LIMITS, ...limits });
}

/** A client that writes what it likes, and hears all that comes. */
class RawClient implements AsyncDisposable {
  readonly #socket: Deno.TcpConn;
  readonly #reading: Promise<void>;
  heard = "";
  hasEnded = false;

  constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
    this.#reading = this.#read().catch(() => {}).finally(() => this.hasEnded = true);
  }

  static async connect({ url }: HttpListener): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    return new RawClient(await Deno.connect({ hostname, port: Number(port) }));
  }

  async write(text: string): Promise<void> {
    await this.#socket.write(new TextEncoder().encode(text));
  }

  async #read(): Promise<void> {
    const stream = this.#socket.readable.pipeThrough(new TextDecoderStream());
    for await (const text of stream) this.heard += text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#socket.close();
    } catch {
      // it ended by itself
    }
    await this.#reading;
  }
}

const hello: Answer = (request) => Promise.resolve(new Response(new URL(request.url).pathname));

Deno.test.each([
  ["says nothing", ""],
  ["never ends the head of its request", "GET /v1 HTTP/1.1\r\nhost: a\r\nx-slow: "],
  [
    "never sends the body that it announced",
    "POST /v1 HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n1",
  ],
])("A listener ends a connection that %s", async (_what, text) => {
  await using listener = await listen(async (request) => new Response(await request.text()));
  await using client = await RawClient.connect(listener);
  await client.write(text);
  await until(() => client.hasEnded, { what: "the end of the connection" });
  assert.doesNotMatch(client.heard, /^HTTP\/1\.1 200/);
});

Deno.test("A listener ends a connection that rests, and no answer that takes longer", async () => {
  const late = Promise.withResolvers<Response>();
  await using listener = await listen(() => late.promise);
  await using client = await RawClient.connect(listener);
  await client.write("GET /v1 HTTP/1.1\r\nhost: a\r\n\r\n");
  await using slower = await RawClient.connect(listener);
  await slower.write("POST /v1 HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n1");
  await until(() => slower.hasEnded, { what: "the end of the time for a request" });
  assert.equal(client.hasEnded, false);
  late.resolve(new Response("at last"));
  await until(() => client.heard.includes("at last"));
  await until(() => client.hasEnded, { what: "the end of the connection" });
});

Deno.test("A listener takes no more connections than it may, and others once there is room", async () => {
  await using listener = await listen(hello, { headMs: 60_000, requestMs: 60_000 });
  await using clients = new AsyncDisposableStack();
  const all: RawClient[] = [];
  for (let n = 0; n < LIMITS.connectionsMax + 1; n++) {
    all.push(clients.use(await RawClient.connect(listener)));
  }
  const [first, , , last] = all;
  await until(() => last?.hasEnded === true, { what: "the end of one too many" });
  assert.equal(all.filter(({ hasEnded }) => hasEnded).length, 1);
  await first?.[Symbol.asyncDispose]();
  await until(async () => {
    const text = await fetch(listener.url).then((response) => response.text(), () => "");
    return text === "/v1";
  });
});

Deno.test("A listener answers what comes at once on one connection, in order", async () => {
  await using listener = await listen(hello);
  await using client = await RawClient.connect(listener);
  await client.write(
    ["/a", "/b", "//c"].map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join(""),
  );
  await until(() => client.heard.includes("//c"));
  assert.deepEqual(client.heard.match(/^\/.*$/gm), ["/a", "/b", "//c"]);
});

Deno.test("A listener answers before it has the whole body, and reads no more of it", async () => {
  await using listener = await listen(async (request) => {
    const reader = request.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    return new Response("too large", { status: 413 });
  });
  await using client = await RawClient.connect(listener);
  await client.write("POST /v1 HTTP/1.1\r\nhost: a\r\ncontent-length: 99999\r\n\r\nbeginning");
  await until(() => client.hasEnded, { what: "the end of the connection" });
  assert.match(client.heard, /^HTTP\/1\.1 413 [^]*connection: close[^]*too large/i);
});

Deno.test("A listener tells whoever answers that the client went", async () => {
  const gone = Promise.withResolvers<string>();
  const cancelled = Promise.withResolvers<string>();
  await using listener = await listen((request) => {
    request.signal.addEventListener("abort", () => gone.resolve("went"));
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("begun")),
      cancel: () => cancelled.resolve("cancelled"),
    });
    return Promise.resolve(new Response(body));
  });
  await using client = await RawClient.connect(listener);
  await client.write("GET /v1 HTTP/1.1\r\nhost: a\r\n\r\n");
  await until(() => client.heard.includes("begun"));
  await client[Symbol.asyncDispose]();
  assert.deepEqual(await Promise.all([gone.promise, cancelled.promise]), ["went", "cancelled"]);
});

Deno.test.each([
  ["no request at all", "how are you\r\n\r\n", /^HTTP\/1\.1 400/],
  ["an address that is none", "GET http://[ HTTP/1.1\r\nhost: a\r\n\r\n", /^HTTP\/1\.1 400/],
  ["a head without an end", `GET / HTTP/1.1\r\nx: ${"y".repeat(99_999)}`, /^HTTP\/1\.1 431/],
])("A listener refuses %s", async (_what, text, said) => {
  await using listener = await listen(hello);
  await using client = await RawClient.connect(listener);
  await client.write(text);
  await until(() => client.heard !== "" || client.hasEnded);
  assert.match(client.heard, said);
});

Deno.test("A listener says that it could not answer where that broke", async () => {
  await using listener = await listen(() => Promise.reject(new Error("secret")));
  const response = await fetch(listener.url);
  assert.equal(response.status, 500);
  assert.equal(await response.text(), "Something went wrong inside");
});

Deno.test("A listener ends at once although clients keep their connections", async () => {
  const listener = await listen(hello, { idleMs: 60_000 });
  for (let n = 0; n < 2; n++) await (await fetch(listener.url)).body?.cancel();
  await using kept = await RawClient.connect(listener);
  await kept.write("GET /v1 HTTP/1.1\r\nhost: a\r\n\r\n");
  await until(() => kept.heard.includes("/v1"));
  const startedAtMs = performance.now();
  await listener[Symbol.asyncDispose]();
  assert.ok(performance.now() - startedAtMs < 1_500, "nobody is waited for");
  await until(() => kept.hasEnded);
});

Deno.test("A listener lets a client go that takes nothing of its answer", async () => {
  const cancelled = Promise.withResolvers<string>();
  await using listener = await listen(() => {
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)),
      cancel: () => cancelled.resolve("cancelled"),
    });
    return Promise.resolve(new Response(body));
  });
  const { hostname, port } = new URL(listener.url);
  using socket = await Deno.connect({ hostname, port: Number(port) });
  await socket.write(new TextEncoder().encode("GET /v1 HTTP/1.1\r\nhost: a\r\n\r\n"));
  assert.equal(await cancelled.promise, "cancelled");
});
