import assert from "node:assert/strict";
import { join } from "node:path";
import { systemClock } from "../../../../actors/kernel/adapters/system_clock.ts";
import { NetBoundary } from "../../../../actors/tools/net/boundary.ts";
import { CommandProxy } from "../../../../actors/tools/shell/adapters/command_proxy.ts";
import { readProxyRequest } from "../../../../actors/tools/shell/proxy_request.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

/** Names as the proxy sees them; anything else has no address. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "open.example": ["127.0.0.1"],
  "private.example": ["10.0.0.7"],
  "mixed.example": ["93.184.216.34", "192.168.1.1"],
  "metadata.example": ["169.254.169.254"],
  "mapped.example": ["::ffff:10.0.0.1"],
};

interface Bench extends AsyncDisposable {
  readonly port: number;
  readonly lookUps: readonly string[];
  /** Heads and bodies as the server got them. */
  readonly received: readonly string[];
  /** Sends text, gives all that comes back. */
  ask(text: string): Promise<string>;
}

/** A proxy for which 127.0.0.1 counts as allowed, with a server of raw connections there. */
async function proxyBench({ allowedRanges = ["127.0.0.0/8"], allowedHosts = [] }: {
  readonly allowedRanges?: readonly string[];
  readonly allowedHosts?: readonly string[];
} = {}): Promise<Bench> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const received: string[] = [];
  const lookUps: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = serve(listener, received);
  opening.defer(async () => {
    listener.close();
    await serving;
  });
  const path = join(folder.path, "proxy.sock");
  opening.use(CommandProxy.listen(path, {
    clock: systemClock,
    boundary: new NetBoundary({ allowedRanges, allowedHosts }),
    lookUp: (host) => {
      lookUps.push(host);
      return Promise.resolve(ADDRESSES[host] ?? (/^[\d.]+$/.test(host) ? [host] : []));
    },
  }));
  const owned = opening.move();
  return {
    port: listener.addr.port,
    lookUps,
    received,
    async ask(text) {
      const connection = await Deno.connect({ transport: "unix", path });
      await connection.write(new TextEncoder().encode(text));
      return await new Response(connection.readable).text();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function serve(listener: Deno.TcpListener, received: string[]): Promise<void> {
  for await (const connection of listener) {
    const text = await new Response(connection.readable.pipeThrough(new TransformStream()))
      .text().catch(() => "");
    received.push(text);
  }
}

async function answering(): Promise<
  { readonly port: number; readonly hosts: string[] } & AsyncDisposable
> {
  const hosts: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    hosts.push(request.headers.get("host") ?? "");
    return new Response(`hello from ${new URL(request.url).pathname}`);
  });
  await Promise.resolve();
  return { port: server.addr.port, hosts, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("The proxy carries a plain request to the address that it has checked", async () => {
  await using bench = await proxyBench();
  await using server = await answering();
  const answer = await bench.ask(
    `GET http://open.example:${server.port}/page?q=1 HTTP/1.1\r\nHost: elsewhere.example\r\n` +
      "Proxy-Authorization: Basic eA==\r\nAccept: */*\r\n\r\n",
  );
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*hello from \/page$/);
  assert.deepEqual(server.hosts, [`open.example:${server.port}`]);
  assert.deepEqual(bench.lookUps, ["open.example"]);
});

Deno.test("The proxy opens a tunnel, and passes on what came right behind", async () => {
  await using bench = await proxyBench();
  await using server = await answering();
  const answer = await bench.ask(
    `CONNECT open.example:${server.port} HTTP/1.1\r\n\r\n` +
      "GET /inside HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  );
  assert.match(answer, /^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK/);
  assert.match(answer, /hello from \/inside$/);
});

const REFUSED = [
  "private.example:443",
  "mixed.example:443",
  "metadata.example:80",
  "mapped.example:443",
  "169.254.169.254:80",
  "10.0.0.1:443",
  "192.168.1.1:80",
  "100.64.0.1:443",
  "[::1]:443",
  "[::ffff:10.0.0.1]:443",
  "[64:ff9b::a00:1]:443",
  "[fd00::1]:443",
  "0.0.0.0:80",
  "nowhere.example:443",
];

Deno.test.each(REFUSED.map((target) => ({ target })))(
  "The proxy refuses $target in both forms",
  async ({ target }) => {
    await using bench = await proxyBench();
    const tunnel = await bench.ask(`CONNECT ${target} HTTP/1.1\r\n\r\n`);
    assert.match(tunnel, /^HTTP\/1\.1 403 /);
    assert.match(tunnel, /policy/);
    assert.match(await bench.ask(`GET http://${target}/ HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 403 /);
  },
);

Deno.test.each([
  ...["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost", "127.0.0.1."].map((host) => ({
    host,
  })),
])("The proxy does not take $host for another host than this machine", async ({ host }) => {
  await using bench = await proxyBench({ allowedRanges: [] });
  const answer = await bench.ask(`CONNECT ${host}:${bench.port} HTTP/1.1\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.deepEqual(bench.received, []);
});

Deno.test("The proxy keeps to the allowed hosts", async () => {
  await using bench = await proxyBench({ allowedHosts: ["other.example"] });
  const answer = await bench.ask(`CONNECT open.example:${bench.port} HTTP/1.1\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.match(answer, /allowedHosts/);
});

Deno.test.each([
  { head: "", why: "nothing" },
  { head: "nonsense", why: "no request" },
  { head: "GET /relative HTTP/1.1", why: "no host" },
  { head: "GET ftp://open.example/ HTTP/1.1", why: "another scheme" },
  { head: "GET https://open.example/ HTTP/1.1", why: "https without a tunnel" },
  { head: "GET http://user:pass@open.example/ HTTP/1.1", why: "a password" },
  { head: "CONNECT open.example HTTP/1.1", why: "no port" },
  { head: "CONNECT open.example:25 HTTP/1.1", why: "mail" },
  { head: "CONNECT open.example:22 HTTP/1.1", why: "a shell" },
  { head: "CONNECT open.example:0 HTTP/1.1", why: "port 0" },
  { head: "GET http://open.example/ HTTP/1.1\r\n folded", why: "a folded line" },
  { head: "GET http://open.example/ HTTP/1.1\r\nA: b\nHost: c", why: "a bare line end" },
  { head: "GET http://open.example/ HTTP/1.1 x", why: "too many words" },
  { head: "GET http://open.example/ HTTP/2", why: "another version" },
])("The proxy cannot read $why", ({ head }) => {
  assert.equal(readProxyRequest(head).type, "invalid");
});

Deno.test("The proxy closes what it carries when it ends", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "proxy.sock");
  const proxy = CommandProxy.listen(path, {
    clock: systemClock,
    boundary: new NetBoundary({ allowedRanges: [], allowedHosts: [] }),
  });
  const connection = await Deno.connect({ transport: "unix", path });
  await connection.write(new TextEncoder().encode("CONNECT half"));
  await proxy[Symbol.asyncDispose]();
  assert.equal(await connection.read(new Uint8Array(8)).catch(() => null), null);
  connection.close();
});
