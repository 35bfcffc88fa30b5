import assert from "node:assert/strict";
import { setup } from "../../../../channels/dingtalk/setup/mod.ts";
import { DingTalkPlatform } from "../../../simulators/dingtalk_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { checkStates, Desk } from "../../../support/setup_desk.ts";
import { until } from "../../../support/until.ts";

/** A person at a terminal, and an app with a robot. */
function openDesk(): Desk<DingTalkPlatform> {
  const clock = new ManualClock();
  const platform = DingTalkPlatform.start({ clock });
  platform.addPerson("alice01", "Alice");
  const section = { apiBase: platform.url, oapiBase: platform.url };
  const { clientId, clientSecret } = platform;
  return new Desk({ setup, clock, platform, section, given: { clientId, clientSecret } });
}

Deno.test("DingTalk login checks the app and its stream, and saves what is new", async () => {
  await using desk = openDesk();
  const report = await desk.login();
  assert.equal(report.isReady, true);
  assert.deepEqual(checkStates(report), ["ok app", "ok receiving messages"]);
  const { clientId, clientSecret } = desk.platform;
  assert.deepEqual(desk.saved, [{ enabled: true, clientId, clientSecret }]);
});

Deno.test("DingTalk login saves nothing when the secret is wrong", async () => {
  await using desk = openDesk();
  const given = { clientId: desk.platform.clientId, clientSecret: "wrong" };
  await assert.rejects(desk.login({ given }), { code: "setup_refused" });
  assert.deepEqual(desk.saved, []);
});

Deno.test("DingTalk login says that it cannot reach the platform", async () => {
  await using desk = openDesk();
  desk.platform.goOffline();
  await assert.rejects(desk.login(), { code: "setup_unreachable" });
});

Deno.test("DingTalk login asks nobody who is not there", async () => {
  await using desk = openDesk();
  await assert.rejects(desk.login({ given: {} }), { code: "setup_incomplete" });
});

Deno.test("DingTalk login says that no messages will come", async () => {
  await using desk = openDesk();
  desk.platform.faults.plant(/connections\/open/, {
    kind: "refusal",
    status: 400,
    code: "stream.not.enabled",
  });
  const report = await desk.login();
  assert.deepEqual(checkStates(report), ["ok app", "missing receiving messages"]);
  assert.equal(report.isReady, false);
  assert.match(report.checks[1]?.remedy ?? "", /Stream/);
});

Deno.test("DingTalk login walks through, waits for the first message, and lets its sender in", async () => {
  await using desk = openDesk();
  const { clientId, clientSecret, streams } = desk.platform;
  desk.answers.push(clientId, clientSecret);
  const logging = desk.login({ given: {}, isInteractive: true });
  await until(() => streams.open > 0 && desk.asked.length > 2, { what: "a stream" });
  desk.answers.push("y");
  const { bringing } = desk.platform.userSays({ text: "hello" });
  const report = await logging;
  assert.deepEqual(checkStates(report), [
    "ok app",
    "ok receiving messages",
    "ok first message",
  ]);
  assert.deepEqual(desk.section["allowFrom"], ["alice01"]);
  assert.equal(bringing?.isAnswered, false, "the gateway shall have the message");
});

Deno.test("DingTalk login that only looks opens no way for messages", async () => {
  await using desk = openDesk();
  const report = await desk.login({ isLooking: true });
  const names = report.checks.map(({ name }) => name);
  assert.ok(names.length > 0 && !names.includes("receiving messages"), names.join());
});
