import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalAddress, refusalOf } from "../../../../actors/tools/net/address_ranges.ts";
import { NetBoundary } from "../../../../actors/tools/net/boundary.ts";
import { NetError } from "../../../../actors/tools/net/net_error.ts";
import { HOSTILE_URLS } from "../../../support/hostile_urls.ts";
import { LOOPBACK, testNet, webServer } from "../../../support/web_server.ts";

const STRICT = new NetBoundary({ allowedRanges: [], allowedHosts: [] });

Deno.test.each(HOSTILE_URLS.map(([url, says]) => [url.slice(0, 80), url, says] as const))(
  "The boundary refuses %s before any look-up",
  (_name, url, says) => {
    assert.throws(() => STRICT.parse(url), (error) => {
      assert.ok(error instanceof NetError);
      assert.match(error.message, says);
      return true;
    });
  },
);

const HARMLESS: readonly (readonly [url: string, becomes: string])[] = [
  ["https://example.com", "https://example.com/"],
  ["http://example.com:8080/a?b=c#d", "http://example.com:8080/a?b=c#d"],
  ["https://EXAMPLE.com./", "https://example.com/"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["https://例子.测试/路径?问=1", "https://xn--fsqu00a.xn--0zwm56d/%E8%B7%AF%E5%BE%84?%E9%97%AE=1"],
  ["http://93.184.216.34/", "http://93.184.216.34/"],
  ["http://8.8.8.8/", "http://8.8.8.8/"],
  ["http://9.255.255.255/", "http://9.255.255.255/"],
  ["http://11.0.0.0/", "http://11.0.0.0/"],
  ["http://172.15.255.255/", "http://172.15.255.255/"],
  ["http://172.32.0.1/", "http://172.32.0.1/"],
  ["http://100.63.255.255/", "http://100.63.255.255/"],
  ["http://100.128.0.1/", "http://100.128.0.1/"],
  ["http://192.167.1.1/", "http://192.167.1.1/"],
  ["http://169.253.1.1/", "http://169.253.1.1/"],
  ["http://223.255.255.255/", "http://223.255.255.255/"],
  ["http://[2606:4700:4700::1111]/", "http://[2606:4700:4700::1111]/"],
  ["http://[2a00:1450:4001:81b::200e]/", "http://[2a00:1450:4001:81b::200e]/"],
  ["http://[::ffff:8.8.8.8]/", "http://8.8.8.8/"],
  ["http://[64:ff9b::808:808]/", "http://[64:ff9b::808:808]/"],
  ["http://localhost.example.com/", "http://localhost.example.com/"],
  ["https://127.0.0.1.nip.example/", "https://127.0.0.1.nip.example/"],
];

Deno.test.each(HARMLESS)("The boundary lets %s through", (url, becomes) => {
  assert.equal(STRICT.parse(url).href, becomes);
});

/** What names resolve to, and whether that may be connected to. */
const ANSWERS: readonly (readonly [answers: readonly string[], refusal: RegExp | null])[] = [
  [["93.184.216.34"], null],
  [["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"], null],
  [["127.0.0.1"], /loopback/],
  [["127.0.0.2"], /loopback/],
  [["10.0.0.1"], /private/],
  [["172.16.5.1"], /private/],
  [["192.168.1.1"], /private/],
  [["169.254.169.254"], /link-local/],
  [["0.0.0.0"], /unspecified/],
  [["::1"], /loopback/],
  [["::ffff:10.0.0.1"], /private/],
  [["64:ff9b::c0a8:101"], /private/],
  [["fe80::1%eth0"], /no usable address/],
  [["nonsense"], /no usable address/],
  [["93.184.216.34", "10.0.0.1"], /private/],
  [["93.184.216.34", "::1"], /loopback/],
  [[], /no address/],
];

Deno.test.each(ANSWERS)("A name that resolves to %j is judged by it", (answers, refusal) => {
  const check = () => STRICT.checkAddresses("name.example", answers);
  if (refusal === null) assert.equal(check().length, answers.length);
  else assert.throws(check, (error) => error instanceof NetError && refusal.test(error.message));
});

Deno.test("A range of the owner opens that range, in every notation, and nothing else", () => {
  const boundary = new NetBoundary({
    allowedRanges: ["100.64.0.0/10", "fd12::/16"],
    allowedHosts: [],
  });
  for (
    const host of ["100.100.1.1", "[::ffff:100.100.1.1]", "[64:ff9b::100.100.1.1]", "[fd12::7]"]
  ) {
    assert.equal(boundary.parse(`http://${host}/`).protocol, "http:");
  }
  for (const host of ["10.0.0.1", "127.0.0.1", "[fd13::7]", "100.128.0.1.", "[::1]"]) {
    if (host.startsWith("100.128")) continue; // public
    assert.throws(() => boundary.parse(`http://${host}/`), { code: "host_refused" });
  }
});

Deno.test("A mapped range and one with bits of the host set are read as meant", () => {
  const boundary = new NetBoundary({
    allowedRanges: ["10.1.2.3/8", "192.168.7.7"],
    allowedHosts: [],
  });
  assert.equal(boundary.parse("http://10.200.0.1/").hostname, "10.200.0.1");
  assert.equal(boundary.parse("http://192.168.7.7/").hostname, "192.168.7.7");
  assert.throws(() => boundary.parse("http://192.168.7.8/"), { code: "host_refused" });
});

Deno.test("An allow-list of hosts refuses all others, by name and by address", () => {
  const allowedHosts = ["Example.org", "*.bücher.example"];
  const boundary = new NetBoundary({ allowedRanges: [], allowedHosts });
  for (
    const host of ["example.org", "EXAMPLE.ORG.", "www.bücher.example", "a.b.xn--bcher-kva.example"]
  ) {
    assert.ok(boundary.parse(`https://${host}/`));
  }
  for (
    const host of [
      "www.example.org",
      "example.org.evil.test",
      "bücher.example",
      "8.8.8.8",
      "xbücher.example",
    ]
  ) {
    assert.throws(() => boundary.parse(`https://${host}/`), { code: "host_refused" });
  }
});

Deno.test("An origin of the owner's configuration is exempt, and only that origin", () => {
  const ownerOrigin = "http://10.0.0.7:8080";
  assert.equal(STRICT.parse("http://10.0.0.7:8080/search", { ownerOrigin }).port, "8080");
  for (
    const url of [
      "http://10.0.0.7/",
      "http://10.0.0.7:8081/",
      "https://10.0.0.7:8080/",
      "http://10.0.0.8:8080/",
    ]
  ) {
    assert.throws(() => STRICT.parse(url, { ownerOrigin }), { code: "host_refused" });
  }
});

Deno.test.each([
  "localhost",
  "a.localhost",
  "printer.local",
  "db.internal",
  "router.lan",
  "nas.home.arpa",
  "intranet",
  "single",
])("A name that a proxy would have to resolve is refused if it is private: %s", (host) => {
  assert.throws(() => STRICT.checkUnresolved(host), { code: "host_refused" });
});

Deno.test("Whatever way an IPv4 address is embedded, it is judged as itself", () => {
  fc.assert(fc.property(fc.nat(0xffffffff), (bits) => {
    const bytes = [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255];
    const ipv4 = bytes.join(".");
    const hex = `${((bytes[0] ?? 0) << 8 | (bytes[1] ?? 0)).toString(16)}:${
      ((bytes[2] ?? 0) << 8 | (bytes[3] ?? 0)).toString(16)
    }`;
    const plain = canonicalAddress(ipv4);
    assert.ok(plain !== null);
    const isRefused = refusalOf(plain) !== null;
    for (const text of [`::ffff:${ipv4}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::`]) {
      const address = canonicalAddress(text);
      assert.ok(address !== null, text);
      assert.equal(refusalOf(address) !== null, isRefused, text);
    }
    for (const host of [String(bits), `0x${bits.toString(16)}`, `0${bits.toString(8)}`]) {
      assert.equal(new URL(`http://${host}/`).hostname, ipv4);
      if (isRefused) assert.throws(() => STRICT.parse(`http://${host}/`), { code: "host_refused" });
    }
  }));
});

Deno.test("Whatever text is asked for, it is refused or an address of a public-looking host", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.webUrl(), fc.string().map((s) => `http://${s}`)),
      (text) => {
        try {
          const url = STRICT.parse(text);
          assert.match(url.protocol, /^https?:$/);
          assert.equal(url.username + url.password, "");
          const address = canonicalAddress(url.hostname.replace(/^\[|\]$/g, ""));
          assert.ok(address === null || refusalOf(address) === null);
          // Reading it again changes nothing: what was checked is what is asked for.
          assert.equal(STRICT.parse(url.href).href, url.href);
        } catch (error) {
          if (!(error instanceof NetError)) throw error;
        }
      },
    ),
  );
});

Deno.test("An address is public only without the ranges of the owner, and only if it resolves", async () => {
  const names = { "open.example": ["8.8.8.8"], "inside.example": ["127.0.0.1"] };
  const net = testNet({ ...LOOPBACK, names });
  const { signal } = new AbortController();
  assert.equal(await net.isPublic("https://open.example/", signal), true);
  for (
    const url of [
      "https://inside.example/",
      "https://gone.example/",
      "http://127.0.0.1/",
      "ftp://open.example/",
    ]
  ) {
    assert.equal(await net.isPublic(url, signal), false, url);
  }
});

Deno.test("No hostile address reaches a server, however the boundary is entered", async () => {
  await using server = webServer(() => new Response("inside"));
  const net = testNet({ names: { "name.example": ["127.0.0.1"] } });
  const { signal } = new AbortController();
  const forms = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "[::ffff:127.0.0.1]",
    "name.example",
    "name.example.",
  ];
  for (const host of forms) {
    const request = { url: `http://${host}:${server.port}/`, bytesMax: 100, timeoutMs: 5_000 };
    await assert.rejects(net.request(request, signal), { code: "host_refused" }, host);
  }
  assert.deepEqual(server.requests, []);
});
