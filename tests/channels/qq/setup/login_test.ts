import assert from "node:assert/strict";
import { setup } from "../../../../channels/qq/setup/mod.ts";
import { QqPlatform } from "../../../simulators/qq_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { checkStates, Desk } from "../../../support/setup_desk.ts";
import { until } from "../../../support/until.ts";

const ALICE = "E4F4AEA33253A2797FB897C50B81D7ED";

/** A person at a terminal, and a bot. */
function openDesk(): Desk<QqPlatform> {
  const clock = new ManualClock();
  const platform = new QqPlatform(clock);
  const section = { apiBase: platform.url, authBase: platform.url };
  const given = { appId: platform.appId, appSecret: platform.secret };
  return new Desk({ setup, clock, platform, section, given });
}

Deno.test("QQ login checks the bot, saves it, and connects", async () => {
  await using desk = openDesk();
  const report = await desk.login();
  assert.deepEqual(checkStates(report), ["ok credentials", "ok gateway"]);
  const { appId, secret } = desk.platform;
  assert.deepEqual(desk.saved, [{ enabled: true, appId, secret }]);
});

Deno.test("QQ login saves nothing when the secret is wrong", async () => {
  await using desk = openDesk();
  const given = { appId: desk.platform.appId, appSecret: "wrong" };
  await assert.rejects(desk.login({ given }), { code: "setup_refused" });
  assert.deepEqual(desk.saved, []);
});

Deno.test("QQ login asks nobody who is not there", async () => {
  await using desk = openDesk();
  await assert.rejects(desk.login({ given: {} }), { code: "setup_incomplete" });
});

Deno.test("QQ login says that it cannot reach the platform", async () => {
  await using desk = openDesk();
  desk.platform.goOffline();
  await assert.rejects(desk.login(), { code: "setup_unreachable" });
});

Deno.test("QQ login says that the bot may not hear of messages", async () => {
  await using desk = openDesk();
  desk.platform.intents = 1 << 30;
  const report = await desk.login();
  assert.equal(report.isReady, false);
  assert.deepEqual(checkStates(report), ["ok credentials", "missing gateway"]);
});

Deno.test("QQ login asks for both, waits for a first message, and lets its sender in", async () => {
  await using desk = openDesk();
  const { platform } = desk;
  desk.answers.push(platform.appId, platform.secret);
  const login = desk.login({ given: {}, isInteractive: true });
  await until(() => desk.said.some((text) => text.startsWith("Write something")));
  desk.answers.push("y");
  platform.userSays({ from: ALICE, text: "hello" });
  const report = await login;
  assert.deepEqual(checkStates(report), ["ok credentials", "ok gateway", "ok first message"]);
  assert.deepEqual(desk.section["allowFrom"], [ALICE]);
  assert.equal(desk.links.length, 1);
});

Deno.test("QQ login that only looks opens no way for messages", async () => {
  await using desk = openDesk();
  const report = await desk.login({ isLooking: true });
  const names = report.checks.map(({ name }) => name);
  assert.ok(names.length > 0 && !names.includes("gateway"), names.join());
});
