import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { until } from "../../support/until.ts";
import { CHAT, Harness } from "./harness.ts";

/** A line to the server over which a test writes what it likes. */
class Line implements Disposable {
  readonly #socket: Socket;
  received = "";
  isClosed = false;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (data) => void (this.received += String(data)));
    this.#socket.on("close", () => void (this.isClosed = true));
    this.#socket.on("error", () => {});
  }

  write(data: string | Uint8Array): void {
    this.#socket.write(data);
  }

  /** Reads nothing more, as one that hangs. */
  hang(): void {
    this.#socket.pause();
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

const UPGRADE = [
  "GET /?client_id=slow HTTP/1.1",
  "Host: 127.0.0.1",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
].join("\r\n") + "\r\n\r\n";

/** A text frame of a client's. */
function masked(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return Uint8Array.of(0x81, 0x80 | bytes.length, 0, 0, 0, 0, ...bytes);
}

Deno.test("A frame above the limit ends its connection before it is read", async () => {
  await using harness = await Harness.ready({ section: { maxMessageBytes: 1_024 } });
  const peer = await harness.member("alice");
  peer.send(`"${"x".repeat(2_000)}"`);
  await until(() => peer.closedWith !== null);
  assert.equal(peer.closedWith, 1009);
  using line = new Line(harness.port);
  line.write(UPGRADE);
  await until(() => line.received.includes("ready"));
  line.write(Uint8Array.of(0x81, 0xff, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0)); // 4 GB to come
  await until(() => line.isClosed);
  const other = await harness.member("bob");
  other.send("still here");
  assert.deepEqual(await harness.texts(1), ["still here"]);
});

Deno.test.each<[string, string | Uint8Array]>([
  ["binary garbage", Uint8Array.from({ length: 4_096 }, (_, index) => (index * 37) % 256)],
  ["half a head and a long line", `GET / HTTP/1.1\r\nX: ${"x".repeat(40_000)}`],
  ["no HTTP", "\x16\x03\x01\x00\xa5\x01\x00\x00"],
])("%s is cut off, and nobody else notices", async (_what, bytes) => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  using line = new Line(harness.port);
  line.write(bytes);
  await until(() => line.isClosed);
  peer.send("still here");
  assert.deepEqual(await harness.texts(1), ["still here"]);
});

Deno.test("Frames that are none end their connection", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  using line = new Line(harness.port);
  line.write(UPGRADE);
  await until(() => line.received.includes("ready"));
  line.write(Uint8Array.from({ length: 256 }, () => 0xff));
  await until(() => line.isClosed);
  peer.send("still here");
  assert.deepEqual(await harness.texts(1), ["still here"]);
});

Deno.test("A hundred frames of nonsense in a row end their connection", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  for (let index = 0; index < 100; index++) peer.send({ type: "dance" });
  await until(() => peer.closedWith !== null);
  assert.equal(peer.closedWith, 1008);
});

Deno.test("A flood waits for the gateway, and not in memory", async () => {
  await using harness = await Harness.ready();
  const gate = Promise.withResolvers<void>();
  harness.gateway.gate = gate.promise;
  const peer = await harness.member("alice");
  const flood = "x".repeat(100_000);
  for (let index = 0; index < 120; index++) peer.send(flood);
  await harness.letPass(1_000);
  assert.ok(peer.socket.bufferedAmount > 5_000_000, "the client has to keep it");
  gate.resolve();
  await harness.passUntil(() => harness.gateway.inbounds.length === 120, "the end of the flood");
});

Deno.test("A client that does not answer is closed, and one that does is not", async () => {
  await using harness = await Harness.ready();
  const peer = await harness.member("alice");
  using line = new Line(harness.port);
  line.write(UPGRADE);
  await until(() => line.received.includes("ready"));
  await harness.letPass(60_000, 500); // a line knows no pong
  await until(() => line.isClosed);
  assert.equal(peer.closedWith, null);
});

Deno.test("A reader that hangs is closed, and gets the end when it comes back", async () => {
  await using harness = await Harness.ready();
  using line = new Line(harness.port);
  line.write(UPGRADE);
  await until(() => line.received.includes("ready"));
  line.write(masked(JSON.stringify({ type: "attach", chat_id: CHAT })));
  await until(() => line.received.includes("attached"));
  line.hang();
  const text = "y".repeat(200_000);
  for (let index = 0; index < 40; index++) await harness.deliver({ key: `k${index}`, text });
  await harness.letPass(60_000, 500);
  await harness.deliver({ key: "last", text: "the end" });
  const again = await harness.member("slow", 40);
  assert.equal((await again.has("message")).text, "the end");
});

Deno.test("Sixty clients come at once, and all are served or told", async () => {
  await using harness = await Harness.ready({ section: { maxConnections: 50 } });
  const peers = Array.from({ length: 60 }, () => harness.peer());
  const isIn = (peer: (typeof peers)[number]) => peer.of("ready").length > 0;
  await until(() => peers.every((peer) => isIn(peer) || peer.closedWith !== null), {
    timeoutMs: 10_000,
  });
  assert.equal(peers.filter(isIn).length, 50);
});
