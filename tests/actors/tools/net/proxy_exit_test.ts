import assert from "node:assert/strict";
import { ProxyExit } from "../../../../actors/tools/net/adapters/proxy_exit.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { startTlsServer } from "../../../support/tls_server.ts";
import { until } from "../../../support/until.ts";
import { rawServer, say, testNet, untilGone } from "../../../support/web_server.ts";

const ASK = { bytesMax: 1_000, timeoutMs: 10_000 };
const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";

async function get(url: string, proxy: string): Promise<string> {
  const net = testNet({ exit: new ProxyExit(proxy) });
  const response = await net.request({ url, ...ASK }, new AbortController().signal);
  return new TextDecoder().decode(response.body);
}

/** A SOCKS5 proxy that answers for every target itself, and tells which it was asked for. */
function socksProxy(targets: string[]): AsyncDisposable & { readonly port: number } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async (connection: Deno.Conn) => {
    const buffer = new Uint8Array(1_024);
    await connection.read(buffer);
    await say(connection, new Uint8Array([5, 0]));
    await connection.read(buffer);
    const nameEnd = 5 + (buffer[4] ?? 0);
    const name = new TextDecoder().decode(buffer.subarray(5, nameEnd));
    const port = ((buffer[nameEnd] ?? 0) << 8) + (buffer[nameEnd + 1] ?? 0);
    targets.push(buffer[3] === 3 ? `${name}:${port}` : `an address of type ${buffer[3]}`);
    await say(connection, new Uint8Array([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    await connection.read(buffer);
    await say(connection, ANSWER);
    connection.close();
  };
  const serving = (async () => {
    for await (const connection of listener) await serve(connection);
  })();
  return {
    port: listener.addr.port,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

Deno.test("An HTTP proxy gets the whole address, and looks the name up itself", async () => {
  await using proxy = rawServer((connection) => say(connection, ANSWER));
  assert.equal(
    await get("http://name.example:8080/a?b", `http://127.0.0.1:${proxy.port}`),
    "hello",
  );
  assert.match(proxy.requests[0] ?? "", /^GET http:\/\/name\.example:8080\/a\?b HTTP\/1\.1\r\n/);
});

Deno.test("An HTTP proxy is asked for a tunnel to https hosts, by name, with its credentials", async () => {
  await using server = await startTlsServer();
  await using proxy = rawServer(async (connection) => {
    await say(connection, "HTTP/1.1 200 Connection established\r\n\r\n");
    const upstream = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    await Promise.allSettled([
      connection.readable.pipeTo(upstream.writable),
      upstream.readable.pipeTo(connection.writable),
    ]);
  });
  // The certificate is trusted by nobody: that it is refused proves the tunnel, and the check.
  await assert.rejects(get("https://name.example/", `http://ada:pw@127.0.0.1:${proxy.port}`), {
    code: "request_failed",
    message: /certificate/,
  });
  const [head = ""] = proxy.requests;
  assert.match(head, /^CONNECT name\.example:443 HTTP\/1\.1\r\n/);
  assert.match(head, /proxy-authorization: Basic YWRhOnB3/i);
});

Deno.test({
  name: "A SOCKS5 proxy resolves the name, also where the scheme leaves it open",
  sanitizeOps: false,
  sanitizeResources: false, // the library forgets a timer, which holds nothing up and ends after 10 s
  fn: async () => {
    const targets: string[] = [];
    await using proxy = socksProxy(targets);
    for (const scheme of ["socks5", "socks5h"]) {
      assert.equal(
        await get("http://name.example/", `${scheme}://127.0.0.1:${proxy.port}`),
        "hello",
      );
    }
    assert.deepEqual(targets, ["name.example:80", "name.example:80"]);
  },
});

Deno.test.each([
  "http://127.0.0.1/",
  "http://[::ffff:10.0.0.1]/",
  "http://169.254.169.254/",
  "http://localhost/",
  "http://db.internal/",
  "https://intranet/",
])("A proxy is never asked for %s", async (url) => {
  await using proxy = rawServer((connection) => say(connection, ANSWER));
  await assert.rejects(get(url, `http://127.0.0.1:${proxy.port}`), { code: "host_refused" });
  assert.deepEqual(proxy.requests, []);
});

Deno.test("A redirect that a proxy brings is checked like any other", async () => {
  await using proxy = rawServer((connection) =>
    say(connection, "HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n")
  );
  await assert.rejects(get("http://name.example/", `http://127.0.0.1:${proxy.port}`), {
    code: "redirect_refused",
  });
  assert.equal(proxy.requests.length, 1);
});

Deno.test.each(["http", "https"])(
  "A proxy that says nothing to %s is left in time",
  async (scheme) => {
    const clock = new ManualClock();
    let [isWaiting, isGone] = [false, false];
    await using proxy = silentProxy(() => isWaiting = true, () => isGone = true);
    const net = testNet({ exit: new ProxyExit(`http://127.0.0.1:${proxy.port}`), clock });
    const { signal } = new AbortController();
    const request = net.request({ url: `${scheme}://name.example/`, ...ASK }, signal);
    const refused = assert.rejects(request, { code: "request_timed_out" });
    await until(() => isWaiting);
    await clock.advance(10_000);
    await refused;
    await until(() => isGone);
  },
);

/** Takes what it is told, and does not answer. */
function silentProxy(
  onStart: () => void,
  onEnd: () => void,
): AsyncDisposable & { readonly port: number } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of listener) {
      onStart();
      await untilGone(connection);
      connection.close();
      onEnd();
    }
  })();
  return {
    port: listener.addr.port,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

Deno.test("A proxy that is not there is named as a failed connection", async () => {
  const free = rawServer(() => Promise.resolve());
  await free[Symbol.asyncDispose]();
  await assert.rejects(get("http://name.example/", `http://127.0.0.1:${free.port}`), {
    code: "request_failed",
  });
});
