import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { Harness, LogRecorder } from "./harness.ts";

Deno.test("Feishu hands a direct message in and acknowledges it", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  assert.deepEqual(gateway.inbounds, [{
    platformId: said.messageId,
    chatId: "ou_alice",
    senderId: "ou_alice",
    content: "hello",
    media: [],
    context: { message_id: said.messageId, chat_type: "p2p" },
  }]);
});

Deno.test("Feishu knows the bot before it opens the long connection", async () => {
  await using harness = await Harness.ready();
  const order = harness.platform.calls("bot.info", "ws.endpoint").map(({ route }) => route);
  assert.deepEqual(order, ["bot.info", "ws.endpoint"]);
});

Deno.test("Feishu asks for the bot again when the first answer fails", async () => {
  await using harness = await Harness.start();
  const { platform, clock } = harness;
  platform.faults.plant("bot.info", { kind: "status", status: 503 });
  await until(() => platform.calls("bot.info").length === 1 && clock.pending > 0);
  while (platform.calls("bot.info").length < 2) await clock.advance(500);
  await harness.isReady();
  assert.equal(platform.calls("bot.info").length, 2);
});

Deno.test("Feishu acknowledges only after the hand-in is durable", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const gate = Promise.withResolvers<void>();
  gateway.gate = gate.promise;
  let isAcknowledged = false;
  const said = platform.userSays({ text: "hello" });
  const acknowledged = said.acknowledged.then(() => void (isAcknowledged = true));
  await harness.clock.advance(1_000);
  assert.equal(isAcknowledged, false);
  gate.resolve();
  await acknowledged;
});

Deno.test("Feishu lets the platform send again what the gateway refused", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway, clock } = harness;
  gateway.answers.push("refused");
  const said = platform.userSays({ text: "hello" });
  await until(() => gateway.answers.length === 0, { what: "the first hand-in" });
  await clock.advance(3_100);
  assert.deepEqual(gateway.inbounds, []);
  await clock.advance(15_000);
  await said.acknowledged;
  assert.deepEqual(gateway.inbounds.map(({ content }) => content), ["hello"]);
});

Deno.test("Feishu hands a repeated event in once", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  platform.repeatEvent(said.eventId);
  const last = platform.userSays({ text: "bye" });
  await last.acknowledged;
  assert.deepEqual(gateway.inbounds.map(({ content }) => content), ["hello", "bye"]);
});

Deno.test("Feishu hands messages in by the order of their arrival", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const texts = Array.from({ length: 50 }, (_, index) => `message ${index}`);
  const said = texts.map((text) => platform.userSays({ text }));
  await Promise.all(said.map(({ acknowledged }) => acknowledged));
  assert.deepEqual(gateway.inbounds.map(({ content }) => content), texts);
});

Deno.test("Feishu makes no call at all for a stranger", async () => {
  await using harness = await Harness.ready({
    section: { allowFrom: ["ou_owner"], reactEmoji: "THUMBSUP" },
  });
  const { platform, gateway } = harness;
  const before = platform.calls().length;
  const said = platform.userSays({ openId: "ou_stranger", text: "hello" });
  await said.acknowledged;
  await harness.clock.advance(1_000);
  assert.deepEqual(gateway.inbounds, []);
  assert.equal(platform.calls().length, before);
});

Deno.test("Feishu says once, not per message, that an empty allow-list denies all", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready({ section: { allowFrom: [] } });
  const { platform, gateway } = harness;
  for (const text of ["one", "two"]) await platform.userSays({ text }).acknowledged;
  assert.deepEqual(gateway.inbounds, []);
  assert.equal(recorder.warnings("allowFrom is empty").length, 1);
});

Deno.test("Feishu answers in a group only when it is mentioned", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const group = { chatId: "oc_team" };
  const told = [
    platform.userSays({ ...group, text: "just talking" }),
    platform.userSays({
      ...group,
      text: "@_user_1 hi",
      mentions: [{ openId: "ou_b", name: "Bo" }],
    }),
    platform.userSays({ ...group, text: "@_user_1 /stop", mentions: ["bot"] }),
    platform.userSays({ ...group, text: "@_all lunch" }),
  ];
  await Promise.all(told.map(({ acknowledged }) => acknowledged));
  await until(() => gateway.drafts.length === 0, { what: "completed messages" });
  assert.deepEqual(gateway.inbounds.map(({ content }) => content), [
    "/stop",
    "Alice (ou_alice): @all lunch",
  ]);
  assert.deepEqual(gateway.inbounds.map(({ chatId }) => chatId), ["oc_team", "oc_team"]);
});

Deno.test("Feishu hands every group message in under the open policy", async () => {
  await using harness = await Harness.ready({ section: { groupPolicy: "open" } });
  const { platform, gateway } = harness;
  await platform.userSays({ chatId: "oc_team", text: "just talking" }).acknowledged;
  await until(() => gateway.drafts.length === 0, { what: "a completed message" });
  assert.deepEqual(gateway.inbounds.map(({ content }) => content), [
    "Alice (ou_alice): just talking",
  ]);
});

Deno.test("Feishu reads an event that comes in fragments", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const text = "你好，世界".repeat(20);
  await platform.userSays({ text }, { fragments: { pieces: 3, order: [2, 0, 1] } }).acknowledged;
  assert.deepEqual(gateway.inbounds.map(({ content }) => content), [text]);
});
