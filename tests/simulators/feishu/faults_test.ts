/**
 * Planted faults, tokens and endpoint answers as the official SDK meets them.
 * @module
 */

import assert from "node:assert/strict";
import { EventDispatcher, LoggerLevel, WSClient } from "@larksuiteoapi/node-sdk";
import { ManualClock } from "../../support/manual_clock.ts";
import { FeishuPlatform } from "../feishu_server.ts";
import { quietLogger, refusalOf, sdkClient, sendText } from "./sdk.ts";

async function withBob(clock?: ManualClock): Promise<FeishuPlatform> {
  const platform = await FeishuPlatform.start({ ...(clock !== undefined && { clock }) });
  platform.addPerson("ou_bob");
  return platform;
}

function textsFor(platform: FeishuPlatform): string[] {
  return platform.chat("ou_bob").messages.map(({ text }) => text);
}

Deno.test("A planted HTTP status strikes as often as told, without effect", async () => {
  await using platform = await withBob();
  const client = sdkClient(platform);
  const fault = { kind: "status" as const, status: 503, body: "<html>" };
  const planted = platform.faults.plant("im.message.create", fault, { times: 2 });
  for (const _ of [1, 2]) {
    await assert.rejects(sendText(client, "ou_bob", "x"), { status: 503 });
  }
  await sendText(client, "ou_bob", "third");
  assert.equal(planted.strikes, 2);
  assert.deepEqual(textsFor(platform), ["third"]);
});

Deno.test("A planted code with HTTP 200 returns from the SDK like an answer", async () => {
  await using platform = await withBob();
  platform.faults.plant("im.message.create", { kind: "code", code: 230020, status: 200 });
  const answer = await sendText(sdkClient(platform), "ou_bob", "x");
  assert.equal(answer.code, 230020);
  assert.deepEqual(textsFor(platform), []);
});

Deno.test("A planted code with HTTP 400 is thrown by the SDK", async () => {
  await using platform = await withBob();
  platform.faults.plant("im.message.create", { kind: "code", code: 230049 });
  const sending = sendText(sdkClient(platform), "ou_bob", "x");
  assert.equal(await refusalOf(sending), "400/230049");
});

Deno.test("A planted fault can be meant for some requests only, and be removed", async () => {
  await using platform = await withBob();
  const client = sdkClient(platform);
  const planted = platform.faults.plant("*", { kind: "status", status: 500 }, {
    times: Infinity,
    when: (_, body) => body.includes("unlucky"),
  });
  await sendText(client, "ou_bob", "lucky");
  await assert.rejects(sendText(client, "ou_bob", "unlucky"), { status: 500 });
  planted.remove();
  await sendText(client, "ou_bob", "unlucky");
  assert.deepEqual(textsFor(platform), ["lucky", "unlucky"]);
});

Deno.test.each(["before", "after"] as const)(
  "A planted gate holds a request %s its effect",
  async (at) => {
    await using platform = await withBob();
    const gate = Promise.withResolvers<void>();
    platform.faults.plant("im.message.create", { kind: "wait", gate: gate.promise, at });
    const sending = sendText(sdkClient(platform), "ou_bob", "x");
    await platform.waitFor(() => platform.calls("im.message.create").length > 0);
    if (at === "after") await platform.waitFor(() => textsFor(platform).length > 0);
    assert.deepEqual(textsFor(platform), at === "after" ? ["x"] : []);
    assert.equal(platform.calls("im.message.create")[0]?.status, undefined);
    gate.resolve();
    await sending;
    assert.deepEqual(textsFor(platform), ["x"]);
  },
);

Deno.test("A gate that never opens does not keep the platform from ending", async () => {
  const platform = await withBob();
  const gate = new Promise<void>(() => {});
  platform.faults.plant("im.message.create", { kind: "wait", gate });
  const sending = sendText(sdkClient(platform), "ou_bob", "x").catch(() => "lost");
  await platform.waitFor(() => platform.calls("im.message.create").length > 0);
  await platform[Symbol.asyncDispose]();
  assert.equal(await sending, "lost");
  assert.deepEqual(textsFor(platform), []);
});

Deno.test.each(
  [
    { kind: "reset", texts: [], code: "ECONNRESET" },
    { kind: "lost_answer", texts: ["x"], code: "ECONNRESET" },
    { kind: "half_answer", texts: ["x"], code: "ERR_BAD_RESPONSE" },
  ] as const,
)("A planted $kind breaks the connection with the effect $texts", async (
  { kind, texts, code },
) => {
  await using platform = await withBob();
  const client = sdkClient(platform);
  platform.faults.plant("im.message.create", { kind });
  await assert.rejects(sendText(client, "ou_bob", "x", { uuid: "u" }), { code });
  assert.deepEqual(textsFor(platform), texts);
  await sendText(client, "ou_bob", "x", { uuid: "u" });
  assert.deepEqual(textsFor(platform), ["x"]);
});

Deno.test("A kept connection that breaks makes the runtime send a request twice", async () => {
  await using platform = await FeishuPlatform.start({ keepsConnections: true });
  platform.addPerson("ou_bob");
  const client = sdkClient(platform);
  await sendText(client, "ou_bob", "first");
  platform.faults.plant("im.message.create", { kind: "lost_answer" });
  await sendText(client, "ou_bob", "second", { uuid: "u" });
  assert.equal(platform.calls("im.message.create").length, 3);
  assert.deepEqual(textsFor(platform), ["first", "second"]);
});

Deno.test("A planted silence lasts until the client gives up", async () => {
  await using platform = await withBob();
  platform.faults.plant("bot.info", { kind: "silence" });
  const request = fetch(`${platform.url}/open-apis/bot/v3/info`, {
    signal: AbortSignal.timeout(50),
  });
  await assert.rejects(request, { name: "TimeoutError" });
  assert.equal(platform.calls("bot.info").length, 1);
});

Deno.test("FeishuPlatform gives one token until its last half hour, and keeps the old one", async () => {
  const clock = new ManualClock();
  await using platform = await withBob(clock);
  const token = async () => {
    const answer = await fetch(
      `${platform.url}/open-apis/auth/v3/tenant_access_token/internal`,
      {
        method: "POST",
        body: JSON.stringify({
          app_id: platform.app.appId,
          app_secret: platform.app.appSecret,
        }),
      },
    );
    return await answer.json();
  };
  const botWith = async ({ tenant_access_token }: { tenant_access_token: string }) => {
    const headers = { authorization: `Bearer ${tenant_access_token}` };
    const answer = await fetch(`${platform.url}/open-apis/bot/v3/info`, { headers });
    return (await answer.json()).code;
  };
  const first = await token();
  assert.partialDeepStrictEqual(first, { code: 0, expire: 7200 });
  await clock.advance(90 * 60_000);
  const second = await token();
  assert.equal(second.tenant_access_token, first.tenant_access_token);
  await clock.advance(1);
  const third = await token();
  assert.notEqual(third.tenant_access_token, first.tenant_access_token);
  assert.deepEqual([await botWith(first), await botWith(third)], [0, 0]);
  await clock.advance(30 * 60_000);
  assert.deepEqual([await botWith(first), await botWith(third)], [99991663, 0]);
});

Deno.test("FeishuPlatform refuses a wrong secret and a revoked or missing token", async () => {
  await using platform = await withBob();
  const client = sdkClient(platform);
  await sendText(client, "ou_bob", "x");
  platform.revokeTokens();
  assert.equal(await refusalOf(sendText(client, "ou_bob", "x")), "400/99991663");
  const bare = await fetch(`${platform.url}/open-apis/bot/v3/info`);
  assert.partialDeepStrictEqual(await bare.json(), { code: 99991661 });
  const other = sdkClient(platform, { appId: "cli_ffffffffffffffff", appSecret: "wrong" });
  await assert.rejects(sendText(other, "ou_bob", "x"), /tenant_access_token, code: 10003/);
});

Deno.test("FeishuPlatform answers JSON that is none, and paths that are none", async () => {
  await using platform = await withBob();
  const client = sdkClient(platform);
  await client.request({ method: "GET", url: "/open-apis/bot/v3/info" });
  const unknown = await fetch(`${platform.url}/open-apis/im/v9/nothing`);
  assert.equal(unknown.status, 404);
  await unknown.body?.cancel();
  const broken = await fetch(`${platform.url}/callback/ws/endpoint`, {
    method: "POST",
    body: "{",
  });
  assert.partialDeepStrictEqual(await broken.json(), { code: 9499 });
  assert.equal(platform.calls("unknown").length, 1);
});

Deno.test.each([1, 403, 514, 1000040350])("The SDK gives up at endpoint code %s", async (code) => {
  await using platform = await FeishuPlatform.start();
  platform.faults.plant("ws.endpoint", { kind: "code", code, status: 200, data: {} });
  const client = new WSClient({
    ...platform.app,
    domain: platform.url,
    logger: quietLogger,
    loggerLevel: LoggerLevel.fatal,
  });
  await client.start({ eventDispatcher: new EventDispatcher({ logger: quietLogger }) });
  try {
    const state = () => client.getConnectionStatus().state;
    await platform.waitFor(() => state() === "failed", { what: "the end of the client" });
    assert.equal(state(), "failed");
  } finally {
    client.close({ force: true });
  }
});

Deno.test("FeishuPlatform answers a wrong secret at the endpoint without data", async () => {
  await using platform = await FeishuPlatform.start();
  const answer = await fetch(`${platform.url}/callback/ws/endpoint`, {
    method: "POST",
    body: JSON.stringify({ AppID: platform.app.appId, AppSecret: "wrong" }),
  });
  const body = await answer.json();
  assert.equal(answer.status, 200);
  assert.equal(body.code, 514);
  assert.equal("data" in body, false);
});
