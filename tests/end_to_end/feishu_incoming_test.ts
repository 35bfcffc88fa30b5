import assert from "node:assert/strict";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

/** The smallest picture there is. */
const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);
const SOUND = new TextEncoder().encode("OggS sound");

/** A transcription service. */
class Ears implements AsyncDisposable {
  readonly keys: (string | null)[] = [];
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (r) => {
      this.keys.push(r.headers.get("authorization"));
      await r.arrayBuffer();
      return Response.json({ text: "what I said" });
    },
  );

  get base(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

Deno.test("The gateway shows the model pictures, and what was said, in the order of the chat", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using ears = new Ears();
  await using model = await ModelServer.start(() => say("noted"));
  await using gateway = await GatewayProcess.start(home, {
    model,
    feishu: platform,
    config: {
      providers: {
        custom: { apiKey: "sk-test-0123456789abcdef", apiBase: model.baseUrl },
        groq: { apiKey: "gsk-ears", apiBase: ears.base },
      },
    },
  });
  await platform.connected({ timeoutMs: 30_000 });
  const picture = platform.storeFile({ name: "dot.png", bytes: PNG, type: "image" });
  const sound = platform.storeFile({ name: "note.opus", bytes: SOUND, type: "opus" });
  const slow = Promise.withResolvers<void>();
  platform.faults.plant("im.messageResource.get", { kind: "wait", gate: slow.promise }, {
    when: (path) => path.includes(sound),
  });

  await platform.userSays({ msgType: "image", content: { image_key: picture } }).acknowledged;
  await until(() => model.requests.length === 1, { what: "the picture's turn" });
  const [shown] =
    JSON.stringify(model.requests[0]?.body.messages.at(-1)).match(/data:image\/png/) ??
      [];
  assert.equal(shown, "data:image/png");
  await until(() => platform.chat("ou_alice").fromBot.at(-1)?.card?.isStreaming === false);

  await platform.userSays({ msgType: "audio", content: { file_key: sound, duration: 900 } })
    .acknowledged;
  await platform.userSays({ text: "and what I wrote" }).acknowledged;
  slow.resolve();
  await until(async () => (await home.transcript("feishu_ou_alice")).length >= 5, {
    what: "all answers",
  });
  const users = (await home.transcript("feishu_ou_alice")).filter((l) => l.startsWith("user"));
  assert.match(users[1] ?? "", /^user: \[transcription: what I said\]/);
  assert.equal(users[2], "user: and what I wrote");
  assert.deepEqual(ears.keys, ["Bearer gsk-ears"]);
  assert.equal(await gateway.stop(), 0);
  assert.doesNotMatch(gateway.output, /gsk-ears/);
});

Deno.test("A message whose file was not there when the gateway died is answered at the next start", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start(() => say("read"));
  const key = platform.storeFile({ name: "report.txt", bytes: SOUND });
  const never = Promise.withResolvers<void>();
  platform.faults.plant("im.messageResource.get", { kind: "wait", gate: never.promise });
  {
    await using gateway = await GatewayProcess.start(home, { model, feishu: platform });
    await platform.connected({ timeoutMs: 30_000 });
    const content = { file_key: key, file_name: "report.txt" };
    await platform.userSays({ msgType: "file", content }).acknowledged;
    await platform.userSays({ text: "summarise it" }).acknowledged;
    await until(() => platform.calls("im.messageResource.get").length === 1);
    assert.equal(model.requests.length, 0, "nothing is answered before it is complete");
    await gateway.kill();
  }
  await using gateway = await GatewayProcess.start(home, { model, feishu: platform });
  await until(async () => (await home.transcript("feishu_ou_alice")).length >= 4, {
    what: "both answers",
    timeoutMs: 30_000,
  });
  const users = (await home.transcript("feishu_ou_alice")).filter((l) => l.startsWith("user"));
  assert.match(users[0] ?? "", /^user: \[file: om_\w+-report\.txt\]/);
  assert.equal(users[1], "user: summarise it");
  assert.equal(await gateway.stop(), 0);
  never.resolve();
});

Deno.test("A message that is taken back while it waits is never answered", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start({
    subscribedEvents: ["im.message.recalled_v1"],
  });
  await using model = await ModelServer.start([
    { steps: [{ type: "text", text: "first" }, { type: "pause", until: "more" }] },
    say("third"),
  ]);
  await using gateway = await GatewayProcess.start(home, { model, feishu: platform });
  await platform.connected({ timeoutMs: 30_000 });
  await platform.userSays({ text: "one" }).acknowledged;
  await until(() => model.requests.length === 1);
  const second = platform.userSays({ text: "two" });
  await second.acknowledged;
  await platform.userSays({ text: "three", chatId: "oc_team", mentions: ["bot"] }).acknowledged;
  platform.userRecalls(second.messageId);
  await until(() => platform.events.at(-1)?.isAcknowledged === true, { what: "the recall" });
  model.release("more");
  await until(() => platform.chat("oc_team").fromBot[0]?.card?.isStreaming === false);
  await until(() => platform.chat("ou_alice").fromBot[0]?.card?.isStreaming === false);
  const users = (await home.transcript("feishu_ou_alice")).filter((l) => l.startsWith("user"));
  assert.deepEqual(users, ["user: one"]);
  assert.equal(await gateway.stop(), 0);
});

Deno.test("Two bots of one section answer side by side, and one that fails leaves the other alone", async () => {
  await using home = await GatewayHome.make();
  await using one = await FeishuPlatform.start();
  await using two = await FeishuPlatform.start();
  await using model = await ModelServer.start((request) => say(`heard: ${lastUserText(request)}`));
  const botAt = ({ app: { appId, appSecret }, url: domain }: FeishuPlatform) => ({
    appId,
    appSecret,
    domain,
  });
  const instances = [
    { id: "work", ...botAt(two) },
    { id: "broken", appId: "cli_00000000000000ff", appSecret: "x", domain: two.url },
    { id: "again", ...botAt(two) },
  ];
  await using gateway = await GatewayProcess.start(home, {
    model,
    feishu: one,
    feishuSection: { instances },
  });
  assert.match(gateway.output, /^Channels: feishu, feishu\.work, feishu\.broken$/m);
  await one.connected({ timeoutMs: 30_000 });
  await two.connected({ timeoutMs: 30_000 });
  for (const [platform, text] of [[one, "to one"], [two, "to two"]] as const) {
    await platform.userSays({ text }).acknowledged;
    await until(() => platform.chat("ou_alice").fromBot[0]?.card?.isStreaming === false);
    assert.ok(platform.chat("ou_alice").fromBot[0]?.text.endsWith(text));
  }
  assert.equal((await home.transcript("feishu.work_ou_alice"))[0], "user: to two");
  const health = JSON.stringify((await gateway.health())["channels"]);
  assert.match(health, /"feishu\.broken":\{"state":"failed"/);
  assert.match(health, /"feishu\.work":\{"state":"ready"/);
  assert.equal(await gateway.stop(), 0);
});
