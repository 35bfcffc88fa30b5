import assert from "node:assert/strict";
import { UPGRADE } from "../../simulators/slack_server.ts";
import { LONG_STEP_MS } from "../../support/channel_bench.ts";
import { ALICE_CHAT, Harness, TEAM } from "./harness.ts";

const OPEN = "apps.connections.open";

Deno.test.each([
  ["token", { botToken: "xoxb-wrong" }, /"channels\.slack\.botToken": the token is wrong/],
  ["app token", { appToken: "xapp-wrong" }, /"channels\.slack\.appToken": the token is wrong/],
  ["kind of token", { appToken: "xoxb-1-bot" }, /does not begin with xapp-/],
])("Slack ends with a reason when the %s is wrong", async (_what, section, message) => {
  await using harness = await Harness.start(section);
  await assert.rejects(harness.ended, { code: "slack_credentials", recovery: "give_up", message });
  assert.equal(harness.gateway.states.at(-1)?.state, "failed");
});

Deno.test("Slack connects when the platform is busy at first", async () => {
  await using harness = await Harness.start();
  harness.platform.faults.plant("auth.test", { kind: "status", status: 503 });
  harness.platform.faults.plant("apps.connections.open", {
    kind: "refusal",
    error: "internal_error",
  });
  await harness.isReady();
  assert.equal(harness.platform.callsOf("auth.test").length, 2);
  assert.equal(harness.platform.callsOf("apps.connections.open").length, 2);
});

Deno.test("Slack opens a new socket before it leaves one that Slack is about to end", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  await harness.letPass(1_000);
  platform.sockets.say({ type: "disconnect", reason: "refresh_requested" });
  await harness.passUntil(
    () => gateway.states.length === 3 && platform.sockets.open === 1,
    "a new socket",
  );
  assert.deepEqual(gateway.states.map(({ state }) => state), ["connecting", "ready", "ready"]);
  platform.says({ text: "hello" });
  assert.deepEqual(await harness.texts(1), ["hello"]);
});

Deno.test("Slack ends when Socket Mode is switched off", async () => {
  await using harness = await Harness.ready();
  harness.platform.sockets.say({ type: "disconnect", reason: "link_disabled" });
  await assert.rejects(harness.ended, { code: "slack_credentials", message: /switched off/ });
});

Deno.test("Slack notices a socket on which nothing moves any more", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.freeze();
  await harness.passUntil(
    () => gateway.states.some(({ state }) => state === "reconnecting"),
    "the loss of the connection",
    LONG_STEP_MS,
  );
  await harness.passUntil(() => gateway.states.at(-1)?.state === "ready", "a new socket");
  const [lost] = gateway.states.filter(({ state }) => state === "reconnecting");
  assert.match(lost?.detail ?? "", /^nothing was heard any more/);
});

Deno.test("Slack keeps a quiet socket", async () => {
  await using harness = await Harness.ready();
  await harness.letPass(75_000, LONG_STEP_MS);
  assert.equal(harness.platform.callsOf("apps.connections.open").length, 1);
});

Deno.test("Slack waits longer after each failure, and says so", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const refusal = { kind: "refusal", error: "internal_error" } as const;
  platform.faults.plant("apps.connections.open", refusal, 3);
  platform.sockets.closeAll();
  await harness.passUntil(
    () => gateway.states.filter(({ state }) => state === "ready").length === 2,
    "a new socket",
  );
  const times = platform.callsOf("apps.connections.open").map(({ atMs }) => atMs).slice(1);
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  assert.ok(
    waits.every((wait, index) => index === 0 || wait > (waits[index - 1] ?? 0)),
    `${waits}`,
  );
  assert.match(
    gateway.states.findLast(({ state }) => state === "reconnecting")?.detail ?? "",
    /attempt 4 in \d+ s$/,
  );
});

Deno.test("Slack reads in channels, threads and direct chats what it missed, in order", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const { message } = platform.says({ channel: TEAM, text: "<@UBOT01> one" });
  platform.says({ text: "two" });
  await harness.texts(2);
  await harness.stop();
  platform.sockets.repeats = false;
  await harness.letPass(60_000);
  platform.says({ channel: TEAM, text: "<@UBOT01> three" });
  platform.says({ channel: TEAM, text: "four", threadTs: message.ts });
  platform.says({ channel: TEAM, text: "not for the bot" });
  platform.says({ text: "five" });
  platform.says({ user: "UBOB", text: "six" });
  await harness.restart();
  const texts = (await harness.texts(6)).map((text) => text.replace(/^.*: /, ""));
  assert.deepEqual(texts.toSorted(), ["five", "four", "one", "six", "three", "two"]);
  await harness.restart();
  await harness.letPass(2_000);
  assert.equal(harness.gateway.inbounds.length, 6);
});

Deno.test("Slack reads nothing of what was said before it ever ran", async () => {
  await using harness = await Harness.start();
  harness.platform.sockets.repeats = false;
  harness.platform.says({ text: "before" });
  await harness.isReady();
  await harness.letPass(2_000);
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("Slack comes back to a message that was refused, also in a later life", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.says({ text: "one" });
  await harness.texts(1);
  platform.sockets.repeats = false;
  gateway.answers.push("refused");
  platform.says({ text: "two" });
  await harness.passUntil(() => gateway.answers.length === 0, "a refusal");
  platform.says({ text: "three" });
  await harness.texts(2);
  await harness.restart();
  assert.deepEqual((await harness.texts(3)).toSorted(), ["one", "three", "two"]);
});

Deno.test("Slack comes back to a message that was refused when its socket is renewed", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.says({ text: "one" });
  await harness.texts(1);
  platform.sockets.repeats = false;
  gateway.answers.push("refused");
  platform.says({ text: "two" });
  await harness.passUntil(() => gateway.answers.length === 0, "a refusal");
  platform.sockets.say({ type: "disconnect", reason: "refresh_requested" });
  assert.deepEqual(await harness.texts(2), ["one", "two"]);
});

Deno.test("Slack says that a message comes late, and takes no late command", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.says({ text: "one" });
  await harness.texts(1);
  await harness.stop();
  platform.sockets.repeats = false;
  platform.says({ text: "/stop" });
  platform.says({ text: "two" });
  await harness.clock.advance(2 * 3_600_000);
  await harness.restart();
  const [, late = ""] = await harness.texts(2);
  assert.match(late, /^\[sent 2 h 0 min ago, delivered late\]\ntwo$/);
  assert.equal(harness.gateway.inbounds.length, 2);
});

Deno.test.each(
  [
    ["/troupe", "stop", "/stop"],
    ["/troupe", " /model  fast ", "/model  fast"],
    ["/troupe-stop", "", "/stop"],
    ["/troupe-dream-log", "abc", "/dream-log abc"],
    ["/status", "", "/status"],
    ["/troupe", "", "/help"],
  ] as const,
)("Slack takes the slash command %s %s", async (command, text, content) => {
  await using harness = await Harness.ready();
  const delivery = harness.platform.slash(command, text, { user: "UALICE", channel: ALICE_CHAT });
  assert.deepEqual(await harness.texts(1), [content]);
  await harness.passUntil(() => delivery.isAcknowledged, "an acknowledgement");
  assert.equal(delivery.answer, undefined);
});

Deno.test("Slack shows the answer to a slash command of a channel to its sender alone", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.slash("/troupe", "status", { user: "UALICE", channel: TEAM });
  await harness.texts(1);
  const context = gateway.inbounds[0]?.context ?? {};
  const answer = { key: "turn-1:0", chatId: TEAM, context, text: "All is well" };
  await harness.deliver({ ...answer, phase: "growing", text: "All" });
  await harness.deliver(answer);
  assert.deepEqual(platform.seen(TEAM).map(({ text, onlyFor }) => [text, onlyFor]), [
    ["All is well", "UALICE"],
  ]);
});

Deno.test("Slack tells a stranger who calls a slash command how to be let in", async () => {
  await using harness = await Harness.ready({ allowFrom: ["UALICE"] });
  const delivery = harness.platform.slash("/troupe", "stop", { user: "UBOB", channel: TEAM });
  await harness.passUntil(() => delivery.isAcknowledged, "an acknowledgement");
  assert.match(JSON.stringify(delivery.answer), /"ephemeral".*UBOB to channels\.slack\.allowFrom/);
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("Slack asks to try a slash command again that the gateway could not take", async () => {
  await using harness = await Harness.ready();
  harness.gateway.answers.push("refused");
  const delivery = harness.platform.slash("/troupe", "stop", { user: "UALICE", channel: TEAM });
  await harness.passUntil(() => delivery.isAcknowledged, "an acknowledgement");
  assert.match(JSON.stringify(delivery.answer), /try again/);
});

Deno.test("Slack acknowledges what it has no use for", async () => {
  await using harness = await Harness.ready();
  const delivery = harness.platform.sockets.deliver("interactive", { type: "block_actions" });
  await harness.passUntil(() => delivery.isAcknowledged, "an acknowledgement");
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test.each(
  [
    ["the handshake is answered with 503", UPGRADE, { kind: "status", status: 503 }, /503/],
    ["a call is answered with a page", OPEN, { kind: "garbled_answer" }, /no JSON/],
    ["a call is answered in half", OPEN, { kind: "half_answer" }, /connection failed/],
    ["a call is reset", OPEN, { kind: "reset" }, /connection failed/],
    ["Slack fails inside", OPEN, { kind: "refusal", error: "fatal_error" }, /fatal_error/],
  ] as const,
)("Slack connects again although %s, and says so", async (_what, method, fault, says) => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.faults.plant(method, fault, 2);
  platform.sockets.closeAll(1011);
  await harness.passUntil(() => readies(harness) === 2, "a new socket");
  const details = gateway.states.filter(({ state }) => state === "reconnecting")
    .map(({ detail }) => detail);
  assert.match(details[0] ?? "", /^the connection was closed \(1011\); attempt 1 in \d+ s$/);
  assert.match(details.at(-1) ?? "", says);
  platform.says({ text: "there?" });
  assert.deepEqual(await harness.texts(1), ["there?"]);
});

Deno.test("Slack says that other programs use its app token, and waits for them", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.sockets.greeting = { type: "disconnect", reason: "too_many_websockets" };
  platform.sockets.closeAll();
  const crowded = () => gateway.states.filter(({ detail }) => /too many sockets/.test(detail));
  await harness.passUntil(() => crowded().length === 2, "two refusals");
  assert.match(crowded()[1]?.detail ?? "", /other programs use its app token; attempt 3 in \d+ s/);
  platform.sockets.greeting = undefined;
  await harness.passUntil(() => readies(harness) === 2, "a new socket");
});

Deno.test("Slack is not asked for sockets in a storm when it ends each at once", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const storm = async (): Promise<void> => {
    const ready = readies(harness);
    await harness.letPass(100);
    platform.sockets.say({ type: "disconnect", reason: "refresh_requested" });
    await harness.passUntil(() => readies(harness) > ready, "another socket");
  };
  for (let renewals = 0; renewals < 6; renewals++) await storm();
  const opened = platform.callsOf("apps.connections.open");
  const waits = opened.slice(1).map(({ atMs }, index) => atMs - (opened[index]?.atMs ?? 0));
  assert.ok(waits.slice(0, 3).every((waitMs) => waitMs < 1_000), `${waits}`);
  assert.ok(waits.slice(-2).every((waitMs) => waitMs > 1_000), `${waits}`);
});

Deno.test("Slack takes no harm from frames that are none", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  for (const text of ["", "{", "[]", '{"type":7}', '{"envelope_id":{}}', "null"]) {
    platform.sockets.babble(text);
  }
  platform.says({ text: "there?" });
  assert.deepEqual(await harness.texts(1), ["there?"]);
  assert.equal(platform.callsOf("apps.connections.open").length, 1);
});

/** How often the channel was connected. */
function readies({ gateway }: Harness): number {
  return gateway.states.filter(({ state }) => state === "ready").length;
}
