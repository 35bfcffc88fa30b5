import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { FakeGateway, Harness, Life, LogRecorder, sectionFor } from "./harness.ts";
import { FeishuPlatform } from "../../simulators/feishu_server.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** The connection is down, and the wait before the next attempt runs. */
function isWaiting({ gateway, clock }: Harness): boolean {
  return gateway.states.at(-1)?.state === "reconnecting" && clock.nextDueMs !== undefined;
}

Deno.test("Feishu stops cleanly and says so", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway, life } = harness;
  await life.stop();
  await life.ended;
  assert.equal(gateway.states.at(-1)?.state, "stopped");
  await platform.waitFor(() => platform.openConnections.length === 0);
  assert.equal(harness.clock.pending, 0);
});

Deno.test("Feishu connects again after the socket was lost", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway, clock } = harness;
  platform.goOffline();
  await until(() => gateway.states.at(-1)?.state === "reconnecting");
  await clock.advance(3_000);
  platform.comeBack();
  while (gateway.states.at(-1)?.state !== "ready") await clock.advance(1_000);
  await platform.userSays({ text: "are you back?" }).acknowledged;
  assert.deepEqual(gateway.inbounds.map(({ content }) => content), ["are you back?"]);
});

Deno.test("Feishu waits longer and longer while the platform cannot be reached", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway, clock } = harness;
  platform.faults.plant("ws.endpoint", { kind: "status", status: 502 }, { times: 4 });
  const waits: number[] = [];
  platform.openConnections[0]?.cut();
  for (let attempt = 0; attempt < 4; attempt++) {
    await until(() => isWaiting(harness), { what: "a wait" });
    const waitMs = (clock.nextDueMs ?? 0) - clock.now();
    waits.push(waitMs);
    await clock.advance(waitMs);
    await until(() => platform.calls("ws.endpoint").length === attempt + 2);
    await until(() => platform.calls("ws.endpoint").at(-1)?.status !== undefined);
  }
  const rounded = waits.map((waitMs) => waitMs / 1_000);
  for (const [index, expected] of [1, 2, 4, 8].entries()) {
    assert.ok(Math.abs((rounded[index] ?? 0) - expected) <= expected * 0.2, `${rounded}`);
  }
  assert.notEqual(gateway.states.at(-1)?.state, "failed");
});

Deno.test("Feishu tries a busy platform again after 2, 5, 10 and then every 30 seconds", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  platform.faults.plant("ws.endpoint", { kind: "code", code: 1, status: 200 }, { times: 5 });
  platform.openConnections[0]?.cut();
  await until(() => isWaiting(harness));
  await clock.advance((clock.nextDueMs ?? 0) - clock.now());
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 4; attempt++) {
    await until(() => platform.calls("ws.endpoint").length === attempt + 1);
    await until(() => clock.nextDueMs !== undefined);
    const waitMs = (clock.nextDueMs ?? 0) - clock.now();
    waits.push(waitMs);
    await clock.advance(waitMs);
  }
  assert.deepEqual(waits, [5_000, 10_000, 30_000, 30_000]);
});

Deno.test("Feishu ends with a clear line when the secret is wrong", async () => {
  await using platform = await FeishuPlatform.start();
  const gateway = new FakeGateway();
  const section = sectionFor(platform, { appSecret: "not-the-secret" });
  const life = new Life(section, gateway, new ManualClock());
  await assert.rejects(life.ended, {
    code: "feishu_credentials",
    message: `Cannot sign in to Feishu as "${section.appId}": ` +
      "the App ID or the App Secret is wrong (code 10014)",
  });
  assert.equal(gateway.states.at(-1)?.state, "failed");
});

Deno.test("Feishu ends with a clear line when the bot is not enabled", async () => {
  await using harness = await Harness.start();
  harness.platform.faults.plant("ws.endpoint", { kind: "code", code: 403, status: 200 });
  await assert.rejects(harness.life.ended, { code: "feishu_credentials" });
});

Deno.test("Feishu refuses an App ID that cannot be one", async () => {
  await using platform = await FeishuPlatform.start();
  const section = sectionFor(platform, { appId: "cli_nonsense" });
  const life = new Life(section, new FakeGateway(), new ManualClock());
  await assert.rejects(life.ended, /cli_ followed by 16 hex digits/);
  assert.deepEqual(platform.calls(), []);
});

Deno.test("Feishu gets a new token when the platform refuses the old one", async () => {
  await using harness = await Harness.ready();
  harness.platform.revokeTokens();
  await harness.deliver({ key: "t1:0", text: "hello" });
  assert.equal(harness.platform.chat("ou_alice").fromBot.at(-1)?.text, "hello");
});

Deno.test("Feishu takes a new token before the old one ends, and one for all who need it", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  const tokens = () => platform.calls("auth.tenantAccessToken").length;
  await harness.deliver({ key: "t0:0", text: "hello" });
  assert.equal(tokens(), 1);
  await clock.advance(110 * 60_000);
  await harness.deliver({ key: "t1:0", text: "hello" });
  assert.equal(tokens(), 1, "a token of two hours serves for an hour and fifty minutes");
  await clock.advance(7 * 60_000 + 1_000);
  const people = Array.from({ length: 30 }, (_, index) => `ou_${index}`);
  for (const person of people) platform.addPerson(person);
  await Promise.all(
    people.map((chatId, index) =>
      harness.deliverInTime({ key: `t2:${index}`, chatId, text: "hello" })
    ),
  );
  assert.equal(tokens(), 2, "three minutes before its end all get one new token");
  for (const person of people) assert.equal(platform.chat(person).fromBot.length, 1);
  const refused = platform.calls("im.message.create").filter(({ status }) => status !== 200);
  assert.deepEqual(refused, [], "no call went out with a token that had ended");
});

Deno.test("Feishu gets one new token for all calls that were refused with the old one", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.revokeTokens();
  const people = Array.from({ length: 10 }, (_, index) => `ou_${index}`);
  for (const person of people) platform.addPerson(person);
  await Promise.all(
    people.map((chatId, index) =>
      harness.deliverInTime({ key: `t1:${index}`, chatId, text: "hello" })
    ),
  );
  assert.equal(platform.calls("auth.tenantAccessToken").length, 2);
});

Deno.test("Feishu waits for nobody else when the token cannot be had", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.revokeTokens();
  platform.faults.plant("auth.tenantAccessToken", { kind: "status", status: 502 }, { times: 2 });
  const first = harness.deliver({ key: "t1:0", text: "one" });
  const second = harness.deliver({ key: "t2:0", text: "two" });
  await assert.rejects(first);
  await assert.rejects(second);
  await harness.deliver({ key: "t3:0", text: "three" });
  assert.equal(platform.chat("ou_alice").fromBot.at(-1)?.text, "three");
});

Deno.test("Feishu keeps its ping interval when the platform names none", async () => {
  const intervalMs = 40;
  const clientConfig = { PingInterval: intervalMs / 1_000 };
  await using platform = await FeishuPlatform.start({ clientConfig });
  platform.answerPings("partial");
  const life = new Life(sectionFor(platform), new FakeGateway(), new ManualClock());
  const { pings } = await platform.connected();
  await until(() => pings.length >= 6, { what: "six pings" });
  const tookMs = (pings[5] ?? 0) - (pings[1] ?? 0);
  assert.ok(tookMs >= 2 * intervalMs, `four intervals took ${tookMs} ms`);
  await life.stop();
});

Deno.test("Feishu logs no secret, whatever fails", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  const said = platform.userSays({ text: "a private word" });
  await said.acknowledged;
  platform.faults.plant("ws.endpoint", { kind: "status", status: 500 });
  platform.faults.plant("im.message.create", { kind: "code", code: 230002 });
  await assert.rejects(harness.deliver({ key: "t1:0", text: "a private answer" }));
  platform.openConnections[0]?.cut();
  await until(() => isWaiting(harness));
  await clock.advance(2_000);
  await until(() => clock.nextDueMs !== undefined);
  const wrong = sectionFor(platform, { appSecret: "another-secret" });
  const life = new Life(wrong, new FakeGateway(), clock);
  await assert.rejects(life.ended);
  const { records } = recorder;
  const logged = JSON.stringify(records.map(({ message, properties }) => [message, properties]));
  assert.ok(logged.includes("SDK"), "the SDK's own words are recorded");
  const secrets = [platform.app.appSecret, "another-secret", "ticket=", "Bearer ", "private"];
  for (const secret of secrets) assert.ok(!logged.includes(secret), `${secret} in ${logged}`);
});
