import assert from "node:assert/strict";
import { ALICE, Harness } from "./harness.ts";
import { LogRecorder } from "../../support/log_recorder.ts";

Deno.test("Telegram puts the commands into the bot's menu", async () => {
  await using harness = await Harness.ready();
  await harness.passUntil(() => harness.platform.commands.length > 0, "a menu");
  assert.deepEqual(harness.platform.commands.map(({ command }) => command), [
    "new",
    "dream_log",
    "dream_restore",
  ]);
});

Deno.test("Telegram works although the menu is refused", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.start();
  harness.platform.faults.plant("setMyCommands", {
    kind: "refusal",
    code: 400,
    description: "Bad Request: BOT_COMMAND_INVALID",
  });
  await harness.isReady();
  harness.platform.userSays({ text: "hello" });
  await harness.texts(1);
  assert.equal(recorder.warnings("menu of commands").length, 1);
});

Deno.test.each([401, 404])(
  "Telegram ends with a clear line when getMe answers %d",
  async (code) => {
    await using harness = await Harness.start();
    harness.platform.faults.plant("getMe", { kind: "refusal", code, description: "no" });
    await assert.rejects(harness.ended, {
      code: "telegram_credentials",
      message:
        `Cannot sign in to Telegram: the token is wrong or was revoked (code ${code}); get it ` +
        "from @BotFather and put it into channels.telegram.token",
    });
    assert.equal(harness.gateway.states.at(-1)?.state, "failed");
  },
);

Deno.test("Telegram ends when the token is revoked while it runs", async () => {
  await using harness = await Harness.ready();
  harness.platform.faults.plant("getUpdates", { kind: "refusal", code: 401, description: "no" });
  harness.platform.userSays({ text: "wake up" });
  await harness.passUntil(() => harness.gateway.states.at(-1)?.state === "failed", "the end");
  await assert.rejects(harness.ended, { code: "telegram_credentials" });
});

Deno.test("Telegram takes a webhook away that keeps it from reading, and loses nothing", async () => {
  await using harness = await Harness.start();
  harness.platform.setWebhook("https://example.com/hook");
  harness.platform.userSays({ text: "hello" });
  assert.deepEqual(await harness.texts(1), ["hello"]);
  assert.ok(
    harness.platform.calls.some(({ method, fields }) =>
      method === "deleteWebhook" && fields["drop_pending_updates"] !== true
    ),
  );
});

Deno.test("Telegram says that another program reads, and waits longer and longer", async () => {
  await using harness = await Harness.ready();
  const conflict = {
    kind: "refusal",
    code: 409,
    description: "Conflict: terminated by other getUpdates request",
  } as const;
  const { platform, gateway } = harness;
  const from = platform.calls.length;
  platform.faults.plant("getUpdates", conflict, { times: 4 });
  platform.userSays({ text: "wake up" });
  const polled = () =>
    platform.calls.slice(from).filter(({ method }) => method === "getUpdates").length;
  await harness.passUntil(
    () => polled() > 4 && gateway.states.at(-1)?.state === "ready",
    "the end",
  );
  const polls = platform.calls.slice(from).filter(({ method }) => method === "getUpdates");
  const waits = polls.slice(1, 5).map(({ atMs }, index) => atMs - (polls[index]?.atMs ?? 0));
  assert.ok(waits.every((waitMs, index) => index === 0 || waitMs > (waits[index - 1] ?? 0)));
  const details = gateway.states.map(({ detail }) => detail);
  assert.ok(
    details.some((detail) => detail.startsWith("another program reads this bot's messages")),
  );
});

Deno.test("Telegram reads with one poll at a time, and asks for messages and presses alone", async () => {
  await using harness = await Harness.ready();
  for (let poll = 0; poll < 3; poll++) {
    await harness.passUntil(() => harness.platform.open > 0, "a poll");
    await harness.clock.advance(30_000);
  }
  const polls = harness.platform.calls.filter(({ method }) => method === "getUpdates");
  assert.deepEqual(polls.map(({ fields }) => fields["timeout"]).slice(0, 3), [0, 30, 30]);
  assert.deepEqual(polls[0]?.fields["allowed_updates"], ["message", "callback_query"]);
});

Deno.test("Telegram shows typing while a message is worked on, and stops", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const typings = () => platform.calls.filter(({ method }) => method === "sendChatAction").length;
  const { messageId } = platform.userSays({ text: "hello" });
  await harness.passUntil(() => typings() === 3, "typing, again and again");
  const platformId = `4242:${ALICE}:${messageId}`;
  harness.channel.noteWaiting?.(platformId, true);
  await harness.letPass(9_000);
  assert.equal(typings(), 3);
  harness.channel.noteWaiting?.(platformId, false);
  await harness.passUntil(() => typings() === 4, "typing anew");
  await harness.deliver({
    key: "k",
    text: "Hi",
    settles: [{ platformId, outcome: "done", channelState: null }],
  });
  const last = typings();
  await harness.letPass(9_000);
  assert.equal(typings(), last);
});

Deno.test("Telegram reacts on receipt, while a message waits, and when it is done", async () => {
  await using harness = await Harness.ready({
    section: { reactEmoji: "👀", queuedEmoji: "🤔", doneEmoji: "👌" },
  });
  const { platform } = harness;
  const { messageId } = platform.userSays({ text: "hello" });
  const platformId = `4242:${ALICE}:${messageId}`;
  const shows = (emoji: string | null) =>
    harness.passUntil(() => platform.reaction(ALICE, messageId) === emoji, `${emoji}`);
  await shows("👀");
  harness.channel.noteWaiting?.(platformId, true);
  await shows("🤔");
  harness.channel.noteWaiting?.(platformId, false);
  await shows("👀");
  const settles = [{ platformId, outcome: "done", channelState: null } as const];
  await harness.deliver({ key: "k", text: "Hi", settles });
  assert.equal(platform.reaction(ALICE, messageId), "👌");
});

Deno.test("Telegram takes the reaction of an earlier Worker away, also when the answer fails", async () => {
  await using harness = await Harness.ready({ section: { reactEmoji: "👀", doneEmoji: "👌" } });
  const { platform } = harness;
  const { messageId } = platform.userSays({ text: "hello" });
  await harness.passUntil(() => platform.reaction(ALICE, messageId) === "👀", "a reaction");
  await harness.restart();
  const platformId = `4242:${ALICE}:${messageId}`;
  platform.faults.plant("sendMessage", {
    kind: "refusal",
    code: 400,
    description: "Bad Request: not enough rights to send text messages to the chat",
  });
  const settles = [{ platformId, outcome: "done", channelState: null } as const];
  await assert.rejects(harness.deliver({ key: "k", text: "Hi", settles }), {
    code: "delivery_permanent",
  });
  assert.equal(platform.reaction(ALICE, messageId), null);
});

Deno.test("Telegram tries an emoji that is not offered once", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready({ section: { reactEmoji: "🦖" } });
  const { platform } = harness;
  platform.userSays({ text: "one" });
  await harness.passUntil(() => recorder.warnings("no reaction").length === 1, "a warning");
  platform.userSays({ text: "two" });
  await harness.texts(2);
  await harness.letPass(500);
  assert.equal(platform.calls.filter(({ method }) => method === "setMessageReaction").length, 1);
});

Deno.test("Telegram says once, not per message, that an empty list denies all", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready({ section: { allowFrom: [] } });
  for (const text of ["one", "two"]) harness.platform.userSays({ text });
  await harness.passUntil(() => harness.platform.unconfirmed === 0, "a confirmation");
  assert.equal(recorder.warnings("allowFrom is empty").length, 1);
});

Deno.test.each(
  [
    ["with a proxy's page", { kind: "status", status: 502 }],
    ["with a page that is none of the Bot API's", { kind: "garbled_answer" }],
    ["in half", { kind: "half_answer" }],
    ["with a cut line", { kind: "lost_answer" }],
    ["with an error inside", { kind: "refusal", code: 500, description: "Internal Server Error" }],
    ["with a limit", {
      kind: "refusal",
      code: 429,
      description: "Too Many Requests: retry after 5",
      parameters: { retry_after: 5 },
    }],
  ] as const,
)("Telegram reads on, once, although polls are answered %s, and says so", async (_how, fault) => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.faults.plant("getUpdates", fault, { times: 3 });
  platform.userSays({ text: "one" });
  await harness.passUntil(
    () => gateway.states.filter(({ state }) => state === "ready").length === 2,
    "reading again",
  );
  platform.userSays({ text: "two" });
  assert.deepEqual(await harness.texts(2), ["one", "two"]);
  const lost = gateway.states.filter(({ state }) => state === "reconnecting");
  assert.match(lost.at(-1)?.detail ?? "", /^Cannot .+; attempt \d in \d+ s$/);
  assert.equal(gateway.inbounds.length, 2);
});
