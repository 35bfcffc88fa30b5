/**
 * The long connection as the official SDK meets it: fragments, acknowledgement, redelivery, ends.
 * @module
 */

import assert from "node:assert/strict";
import { ManualClock } from "../../support/manual_clock.ts";
import { FeishuPlatform } from "../feishu_server.ts";
import { sdkConnection } from "./sdk.ts";

/** Nothing is sent again unless the test says so. */
const MANUAL = { acknowledgeWithinMs: 3_000, delaysMs: [] };

/** A message with characters of one to four bytes. */
const MIXED_TEXT = "grüße 你好 👍 ".repeat(3);

Deno.test.each([
  { plan: "three pieces in order", fragments: { pieces: 3 } },
  { plan: "four pieces backwards", fragments: { pieces: 4, order: [3, 2, 1, 0] } },
  { plan: "a piece for every byte of the middle", fragments: { cuts: [400, 401, 402, 403, 404] } },
])("FeishuPlatform sends an event in $plan and the SDK joins it", async ({ fragments }) => {
  await using platform = await FeishuPlatform.start();
  const received: unknown[] = [];
  using _connection = await sdkConnection(platform, (event) => void received.push(event));
  const said = platform.userSays({ text: MIXED_TEXT }, { fragments });
  await said.acknowledged;
  const content = JSON.stringify({ text: MIXED_TEXT });
  assert.partialDeepStrictEqual(received, [{ message: { content } }]);
  assert.equal(said.event.attempts.length, 1);
});

Deno.test("FeishuPlatform sees what a handler returned", async () => {
  await using platform = await FeishuPlatform.start();
  using _connection = await sdkConnection(platform, () => ({ seen: "ünïcode" }));
  const { data, isLate } = await platform.userSays({ text: "hello" }).acknowledged;
  assert.deepEqual(data, { seen: "ünïcode" });
  assert.equal(isLate, false);
});

Deno.test("FeishuPlatform sends again, when told, what a handler refused", async () => {
  await using platform = await FeishuPlatform.start({ redelivery: MANUAL });
  const ids: unknown[] = [];
  using _connection = await sdkConnection(platform, (event) => {
    ids.push(event);
    if (ids.length === 1) throw new Error("the journal cannot write");
  });
  const { event, acknowledged } = platform.userSays({ text: "hello" });
  await platform.waitFor(() => event.attempts[0]?.acknowledgement?.code === 500);
  assert.equal(event.isAcknowledged, false);
  assert.equal(platform.redeliverUnacknowledged(), 1);
  await acknowledged;
  assert.deepEqual(event.attempts.map(({ acknowledgement }) => acknowledgement?.code), [500, 200]);
  assert.equal(platform.redeliverUnacknowledged(), 0);
});

Deno.test("FeishuPlatform keeps to its schedule when nobody is connected", async () => {
  const clock = new ManualClock();
  await using platform = await FeishuPlatform.start({ clock });
  const { event } = platform.userSays({ text: "hello" });
  const startMs = clock.now();
  await clock.advance(24 * 3_600_000);
  assert.deepEqual(event.attempts.map(({ atMs }) => atMs - startMs), [
    0,
    18_000,
    18_000 + 303_000,
    18_000 + 303_000 + 3_603_000,
    18_000 + 303_000 + 3_603_000 + 21_603_000,
  ]);
  assert.equal(event.attempts.every(({ connectionId }) => connectionId === undefined), true);
  assert.equal(clock.pending, 0);
});

Deno.test("FeishuPlatform sends an event again that was acknowledged too late", async () => {
  const clock = new ManualClock();
  await using platform = await FeishuPlatform.start({ clock });
  const handling = Promise.withResolvers<void>();
  using _connection = await sdkConnection(platform, () => handling.promise);
  const { event, acknowledged } = platform.userSays({ text: "hello" });
  await clock.advance(3_001);
  handling.resolve();
  assert.equal((await acknowledged).isLate, true);
  await clock.advance(15_000);
  await platform.waitFor(() => event.isAcknowledged);
  assert.equal(event.attempts.length, 2);
});

Deno.test("FeishuPlatform repeats an acknowledged event when told", async () => {
  await using platform = await FeishuPlatform.start();
  let count = 0;
  using _connection = await sdkConnection(platform, () => void count++);
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  platform.repeatEvent(said.eventId);
  await platform.waitFor(() => said.event.attempts[1]?.acknowledgement);
  assert.equal(count, 2);
});

Deno.test("FeishuPlatform gives each event to one of several connections", async () => {
  await using platform = await FeishuPlatform.start();
  const counts: [number, number] = [0, 0];
  using _one = await sdkConnection(platform, () => void counts[0]++);
  using _two = await sdkConnection(platform, () => void counts[1]++);
  await platform.waitFor(() => platform.openConnections.length === 2);
  const said = Array.from({ length: 40 }, (_, n) => platform.userSays({ text: `message ${n}` }));
  await Promise.all(said.map(({ acknowledged }) => acknowledged));
  const [first, second] = counts;
  assert.equal(first + second, 40);
  assert.ok(first > 0 && second > 0, `one connection got nothing: ${counts}`);
});

Deno.test("FeishuPlatform encrypts events when the console has a key", async () => {
  await using platform = await FeishuPlatform.start({ encryptKey: "secret" });
  const received: unknown[] = [];
  const receive = (event: unknown) => void received.push(event);
  using _connection = await sdkConnection(platform, receive, { encryptKey: "secret" });
  await platform.userSays({ text: "hello" }).acknowledged;
  assert.partialDeepStrictEqual(received, [{ message: { content: '{"text":"hello"}' } }]);
});

Deno.test("FeishuPlatform tells reactions only to an app that subscribed to them", async () => {
  const created = "im.message.reaction.created_v1";
  await using platform = await FeishuPlatform.start({ subscribedEvents: [created] });
  const said = platform.userSays({ text: "hello" });
  platform.userReacts(said.messageId, "OK");
  platform.userRecalls(said.messageId);
  const types = platform.events.map(({ eventType }) => eventType);
  assert.deepEqual(types, ["im.message.receive_v1", created]);
});

/** With pings every 200 ms, ten of them within 1.5 s mean that the interval became shorter. */
const SLOW_PINGS = { clientConfig: { PingInterval: 0.2 } };
const SOON = { timeoutMs: 1_500, what: "ten pings" };

Deno.test("FeishuPlatform's pong brings settings that the SDK takes over", async () => {
  await using platform = await FeishuPlatform.start(SLOW_PINGS);
  using _connection = await sdkConnection(platform, () => {});
  const connection = await platform.connected();
  platform.configureClients({ PingInterval: 0.01 });
  await platform.waitFor(() => connection.pings.length >= 10, SOON);
  assert.deepEqual(connection.badFrames, []);
});

Deno.test("FeishuPlatform's pong without PingInterval sets off the SDK's storm of pings", async () => {
  await using platform = await FeishuPlatform.start(SLOW_PINGS);
  platform.answerPings("partial");
  using _connection = await sdkConnection(platform, () => {});
  const connection = await platform.connected();
  await platform.waitFor(() => connection.pings.length >= 10, SOON);
  assert.equal(platform.connections.length, 1);
});

Deno.test.each(["empty", "none"] as const)(
  "FeishuPlatform's %s pong leaves the SDK's settings alone",
  async (mode) => {
    await using platform = await FeishuPlatform.start({ clientConfig: { PingInterval: 0.01 } });
    platform.answerPings(mode);
    using _connection = await sdkConnection(platform, () => {});
    const connection = await platform.connected();
    await platform.waitFor(() => connection.pings.length >= 3);
  },
);

Deno.test("FeishuPlatform's mute connection hears neither pings nor acknowledgements", async () => {
  await using platform = await FeishuPlatform.start({ redelivery: MANUAL });
  const handled = Promise.withResolvers<void>();
  using _client = await sdkConnection(platform, () => handled.resolve());
  const connection = await platform.connected();
  connection.mute();
  const { event } = platform.userSays({ text: "hello" });
  await handled.promise;
  await assert.rejects(platform.waitFor(() => event.isAcknowledged, { timeoutMs: 50 }));
  assert.equal(connection.isOpen, true);
});

Deno.test("FeishuPlatform sees a clean end when the client closes", async () => {
  await using platform = await FeishuPlatform.start();
  using client = await sdkConnection(platform, () => {});
  const connection = await platform.connected();
  await client.close();
  assert.deepEqual(await connection.ended, { kind: "clean", code: 1005, by: "client" });
});

Deno.test("FeishuPlatform sees an abrupt end when the client vanishes", async () => {
  await using platform = await FeishuPlatform.start();
  using client = await sdkConnection(platform, () => {});
  const connection = await platform.connected();
  client.close({ force: true });
  assert.partialDeepStrictEqual(await connection.ended, { kind: "abrupt", by: "client" });
});

Deno.test.each([
  { how: "closes", end: "clean" as const },
  { how: "cuts", end: "abrupt" as const },
])("FeishuPlatform $how a connection and the SDK comes back", async ({ how, end }) => {
  const clientConfig = { ReconnectNonce: 0, ReconnectInterval: 0.01 };
  await using platform = await FeishuPlatform.start({ clientConfig });
  using _client = await sdkConnection(platform, () => {});
  const first = await platform.connected();
  if (how === "closes") first.close(1001);
  else first.cut();
  assert.partialDeepStrictEqual(await first.ended, { kind: end, by: "platform" });
  const second = await platform.connected();
  assert.notEqual(second.id, first.id);
  await platform.userSays({ text: "again" }).acknowledged;
});

Deno.test("FeishuPlatform holds back a frozen connection's event until it thaws", async () => {
  await using platform = await FeishuPlatform.start({ redelivery: MANUAL });
  let count = 0;
  using _client = await sdkConnection(platform, () => void count++);
  const connection = await platform.connected();
  connection.freeze();
  const said = platform.userSays({ text: "hello" });
  await assert.rejects(platform.waitFor(() => count > 0, { timeoutMs: 100 }));
  assert.equal(connection.isOpen, true);
  connection.thaw();
  await said.acknowledged;
});

Deno.test("FeishuPlatform is away while offline, and back after", async () => {
  const clientConfig = { ReconnectNonce: 0, ReconnectInterval: 0.01 };
  await using platform = await FeishuPlatform.start({ clientConfig });
  using _client = await sdkConnection(platform, () => {});
  const connection = await platform.connected();
  platform.goOffline();
  await connection.ended;
  await assert.rejects(fetch(platform.url));
  assert.equal(platform.openConnections.length, 0);
  platform.comeBack();
  await platform.connected();
});

Deno.test("FeishuPlatform admits each address once", async () => {
  await using platform = await FeishuPlatform.start();
  using _client = await sdkConnection(platform, () => {});
  const { AppID, AppSecret } = { AppID: platform.app.appId, AppSecret: platform.app.appSecret };
  const answer = await fetch(`${platform.url}/callback/ws/endpoint`, {
    method: "POST",
    body: JSON.stringify({ AppID, AppSecret }),
  });
  const { data: { URL: address } } = await answer.json();
  assert.match(address, /^ws:\/\/127\.0\.0\.1:\d+\/ws\/v2\?fpid=.*&device_id=.*&service_id=\d+&/);
  const first = new WebSocket(address);
  await new Promise((resolve) => first.onopen = resolve);
  const second = await fetch(address.replace("ws:", "http:"), {
    headers: { upgrade: "websocket" },
  });
  assert.equal(second.status, 403);
  assert.equal(second.headers.get("handshake-status"), "403");
  await second.body?.cancel();
  first.close();
  await new Promise((resolve) => first.onclose = resolve);
});

Deno.test("FeishuPlatform lets fifty connections in, and no more", async () => {
  await using platform = await FeishuPlatform.start();
  const { appId, appSecret } = platform.app;
  const endpoint = async () => {
    const answer = await fetch(`${platform.url}/callback/ws/endpoint`, {
      method: "POST",
      body: JSON.stringify({ AppID: appId, AppSecret: appSecret }),
    });
    return await answer.json();
  };
  const sockets: WebSocket[] = [];
  for (let n = 0; n < 50; n++) sockets.push(new WebSocket((await endpoint()).data.URL));
  await platform.waitFor(() => platform.openConnections.length === 50);
  assert.equal((await endpoint()).code, 1000040350);
  for (const socket of sockets) socket.close();
  await platform.waitFor(() => platform.openConnections.length === 0);
});
