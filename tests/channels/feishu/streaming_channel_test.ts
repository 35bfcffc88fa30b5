import assert from "node:assert/strict";
import type { Call } from "../../simulators/feishu/rest_server.ts";
import { Harness, LogRecorder } from "./harness.ts";

const KEY = "turn-1:0";
const CARD_ROUTES = ["cardkit.cardElement.content", "cardkit.card.settings"] as const;

function sequencesOf(calls: readonly Call[]): readonly number[] {
  return calls.map(({ body }) =>
    typeof body === "object" && body !== null && "sequence" in body ? Number(body.sequence) : NaN
  );
}

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
}

Deno.test("Feishu lets an answer grow in one card and closes it", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  for (const text of ["Once", "Once upon", "Once upon a time"]) {
    await harness.deliverInTime({ key: KEY, phase: "growing", text });
    const [card] = platform.chat("ou_alice").fromBot;
    assert.equal(card?.text, text);
    assert.equal(card?.card?.isStreaming, true);
  }
  const ids = await harness.deliverInTime({ key: KEY, text: "Once upon a time.\n\nThe end." });
  const shown = platform.chat("ou_alice").fromBot;
  assert.deepEqual(shown.map(({ messageId }) => messageId), ids);
  assert.equal(shown.length, 1);
  assert.equal(shown[0]?.text, "Once upon a time.\n\nThe end.");
  assert.equal(shown[0]?.card?.isStreaming, false);
  assert.equal(shown[0]?.card?.summary, "Once upon a time.");
  assert.ok(isRising(sequencesOf(platform.calls(...CARD_ROUTES))));
});

Deno.test("Feishu updates a card at most twice a second", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  let text = "";
  for (let piece = 0; piece < 12; piece++) {
    text += `word${piece} `;
    await harness.deliverInTime({ key: KEY, phase: "growing", text });
  }
  await harness.deliverInTime({ key: KEY, text });
  const times = platform.calls("cardkit.card.create", "cardkit.cardElement.content")
    .map(({ atMs }) => atMs);
  assert.ok(times.length >= 12);
  for (const [index, time] of times.slice(1).entries()) {
    assert.ok(time - (times[index] ?? 0) >= 500, `${times.map((at) => at - (times[0] ?? 0))}`);
  }
});

Deno.test("Feishu shows what runs below the text, and folds it when it is done", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const now = () => platform.chat("ou_alice").fromBot.map(({ text }) => text);
  const activity = 'read_file("a, b"), exec("ls")';
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "Let me look.", activity });
  assert.deepEqual(now(), ['Let me look.\n🔧 read_file("a, b")\n🔧 exec("ls")']);
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "Let me look.\n\nWell" });
  const folded = '🧰 2\n🔧 read_file("a, b")\n🔧 exec("ls")';
  assert.deepEqual(now(), [`Let me look.\n\nWell\n${folded}`]);
  await harness.deliverInTime({ key: KEY, text: "Let me look.\n\nWell done." });
  assert.deepEqual(now(), [`Let me look.\n\nWell done.\n${folded}`]);
  const json = JSON.stringify(platform.chat("ou_alice").fromBot[0]?.card?.json);
  assert.match(json, /"collapsible_panel","element_id":"steps","expanded":false/);
});

Deno.test("Feishu folds what ran also in a card that another Worker left open", async () => {
  await using harness = await Harness.ready();
  const running = { key: KEY, phase: "growing", text: "Look", activity: "exec(1)" } as const;
  await harness.deliverInTime(running);
  await harness.restart();
  await harness.deliverInTime({ key: KEY, text: "Look: done" });
  const shown = harness.platform.chat("ou_alice").fromBot.map(({ text }) => text);
  assert.deepEqual(shown, ["Look: done\n🧰 1\n🔧 exec(1)"]);
});

Deno.test("Feishu completes and closes a card that another Worker left open", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "Half an" });
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "Half an ans" });
  const before = Math.max(...sequencesOf(platform.calls(...CARD_ROUTES)));
  await harness.restart();
  const ids = await harness.deliverInTime({ key: KEY, text: "Half an answer made whole" });
  const shown = platform.chat("ou_alice").fromBot;
  assert.deepEqual(shown.map(({ text }) => text), ["Half an answer made whole"]);
  assert.deepEqual(shown.map(({ messageId }) => messageId), ids);
  assert.equal(shown[0]?.card?.isStreaming, false);
  const sequences = sequencesOf(platform.calls(...CARD_ROUTES));
  assert.ok(isRising(sequences), `${sequences}`);
  assert.ok((sequences.at(-1) ?? 0) > 1_000 && before < 1_000);
});

Deno.test("Feishu shows one card when the Worker dies before it knows the message's id", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.faults.plant("im.message.create", { kind: "lost_answer" });
  await assert.rejects(
    harness.deliver({ key: KEY, phase: "growing", text: "Half" }),
    { code: "delivery_transient" },
  );
  assert.ok(gateway.memory.has(KEY));
  await harness.restart();
  await harness.deliverInTime({ key: KEY, text: "Half and half" });
  const shown = platform.chat("ou_alice").fromBot;
  assert.deepEqual(shown.map(({ text }) => text), ["Half and half"]);
});

Deno.test("Feishu stores a card before it shows it", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  gateway.onRemember = () => {
    throw new Error("the journal is full");
  };
  await assert.rejects(
    harness.deliver({ key: KEY, phase: "growing", text: "Half" }),
    { code: "delivery_transient" },
  );
  assert.deepEqual(platform.chat("ou_alice").fromBot, []);
});

Deno.test("Feishu switches streaming on again when the platform ended it", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "A long" });
  await clock.advance(601_000);
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "A long wait" });
  const [card] = platform.chat("ou_alice").fromBot;
  assert.equal(card?.text, "A long wait");
  assert.equal(card?.card?.isStreaming, true);
  assert.ok(isRising(sequencesOf(platform.calls(...CARD_ROUTES))));
});

Deno.test("Feishu takes a higher number when the platform says that one was used", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "One" });
  platform.faults.plant("cardkit.cardElement.content", { kind: "code", code: 300317 });
  await harness.deliverInTime({ key: KEY, text: "One two" });
  const [card] = platform.chat("ou_alice").fromBot;
  assert.equal(card?.text, "One two");
  assert.equal(card?.card?.isStreaming, false);
});

Deno.test("Feishu continues a long answer in a further card", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const paragraphs = Array.from({ length: 60 }, (_, index) => `${index}: ${"word ".repeat(200)}`);
  const whole = paragraphs.map((paragraph) => paragraph.trim()).join("\n\n");
  await harness.deliverInTime({ key: KEY, phase: "growing", text: whole.slice(0, 20_000) });
  await harness.deliverInTime({ key: KEY, phase: "growing", text: whole.slice(0, 40_000) });
  const ids = await harness.deliverInTime({ key: KEY, text: whole });
  const shown = platform.chat("ou_alice").fromBot;
  assert.deepEqual(shown.map(({ messageId }) => messageId), ids);
  assert.ok(shown.length > 1);
  assert.equal(shown.map(({ text }) => text).join("\n\n"), whole);
  assert.ok(shown.every(({ card }) => card?.isStreaming === false));
});

Deno.test("Feishu sends an answer whole when cards are not allowed, and says so once", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready();
  const { platform } = harness;
  const forbidden = { kind: "code", code: 99991672, message: "Access denied" } as const;
  platform.faults.plant("cardkit.card.create", forbidden, { times: Infinity });
  for (const key of ["turn-1:0", "turn-2:0"]) {
    await harness.deliver({ key, phase: "growing", text: "Hel" });
    await harness.deliver({ key, phase: "growing", text: "Hello" });
    await harness.deliver({ key, text: `Hello from ${key}` });
  }
  const shown = platform.chat("ou_alice").fromBot.map(({ text }) => text);
  assert.deepEqual(shown, ["Hello from turn-1:0", "Hello from turn-2:0"]);
  assert.equal(platform.calls("cardkit.card.create").length, 1);
  assert.equal(recorder.warnings("cardkit:card:write").length, 1);
});

Deno.test("Feishu takes half a card back when the platform refuses its end", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "Half" });
  const refused = { kind: "code", code: 200860, message: "card too large" } as const;
  platform.faults.plant("cardkit.cardElement.content", refused, { times: Infinity });
  const ids = await harness.deliverInTime({ key: KEY, text: "Half and half" });
  const shown = platform.chat("ou_alice").fromBot;
  assert.deepEqual(shown.map(({ text }) => text), ["Half and half"]);
  assert.deepEqual(shown.map(({ messageId }) => messageId), ids);
});

Deno.test("Feishu takes a card back when there is no answer to show", async () => {
  await using harness = await Harness.ready();
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "", activity: "message(…)" });
  assert.equal(harness.platform.chat("ou_alice").fromBot.length, 1);
  assert.deepEqual(await harness.deliverInTime({ key: KEY, text: " " }), []);
  assert.deepEqual(harness.platform.chat("ou_alice").fromBot, []);
});

Deno.test("Feishu keeps the card of a topic in the topic", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const root = platform.userSays({ chatId: "oc_team", text: "@_user_1 a", mentions: ["bot"] });
  const said = platform.userSays({
    chatId: "oc_team",
    text: "@_user_1 b",
    mentions: ["bot"],
    replyTo: root.messageId,
    inTopic: true,
  });
  await said.acknowledged;
  const context = harness.gateway.inbounds.at(-1)?.context ?? {};
  const topic = { key: KEY, chatId: "oc_team", context };
  await harness.deliverInTime({ ...topic, phase: "growing", text: "In" });
  await harness.deliverInTime({ ...topic, text: "In the topic" });
  const [card] = platform.chat("oc_team").fromBot;
  assert.equal(card?.threadId, platform.message(said.messageId).threadId);
  assert.notEqual(card?.threadId, undefined);
});

Deno.test("Feishu keeps all parts of an answer, and its files, in the topic", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await using harness = await Harness.ready({ section: { streaming: false } });
    const { platform } = harness;
    const root = platform.userSays({ chatId: "oc_team", text: "@_user_1 a", mentions: ["bot"] });
    const said = platform.userSays({
      chatId: "oc_team",
      text: "@_user_1 b",
      mentions: ["bot"],
      replyTo: root.messageId,
      inTopic: true,
    });
    await said.acknowledged;
    await Deno.writeTextFile(`${folder}/a.txt`, "a");
    await harness.deliverInTime({
      key: KEY,
      chatId: "oc_team",
      context: harness.gateway.inbounds.at(-1)?.context ?? {},
      media: [`${folder}/a.txt`],
      text: "# Title\n\n" + "A paragraph.\n\n".repeat(3_000),
    });
    const shown = platform.chat("oc_team").fromBot;
    assert.ok(shown.length > 2, `${shown.length} messages`);
    const topic = platform.message(said.messageId).threadId;
    assert.notEqual(topic, undefined);
    for (const { threadId } of shown) assert.equal(threadId, topic);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
