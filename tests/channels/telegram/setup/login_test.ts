import assert from "node:assert/strict";
import { setup } from "../../../../channels/telegram/setup/mod.ts";
import { TelegramPlatform } from "../../../simulators/telegram_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { checkStates, Desk } from "../../../support/setup_desk.ts";

/** A person at a terminal, and a bot. */
function openDesk(): Desk<TelegramPlatform> {
  const clock = new ManualClock();
  const platform = TelegramPlatform.start({ clock });
  const section = { apiRoot: platform.url };
  return new Desk({ setup, clock, platform, section, given: { token: platform.token } });
}

Deno.test("Telegram login checks the token and saves what is new", async () => {
  await using desk = openDesk();
  const report = await desk.login();
  assert.equal(report.isReady, true);
  assert.deepEqual(checkStates(report), ["ok bot", "ok group privacy", "ok reading messages"]);
  assert.equal(report.checks[0]?.detail, "Troupe (@troupe_bot)");
  assert.deepEqual(desk.saved, [{ enabled: true, token: desk.platform.token }]);
});

Deno.test("Telegram login changes nothing that is there and right", async () => {
  await using desk = openDesk();
  desk.section = { ...desk.section, enabled: true, token: desk.platform.token };
  await desk.login({ given: {} });
  assert.deepEqual(desk.saved, [{}]);
});

Deno.test("Telegram login saves nothing when the token is wrong", async () => {
  await using desk = openDesk();
  await assert.rejects(desk.login({ given: { token: "4242:wrong" } }), { code: "setup_refused" });
  assert.deepEqual(desk.saved, []);
});

Deno.test.each<{ readonly given: Record<string, string> }>([{ given: {} }, {
  given: { token: "nonsense" },
}])("Telegram login asks nobody who is not there, case %#", async ({ given }) => {
  await using desk = openDesk();
  await assert.rejects(desk.login({ given }), { code: "setup_incomplete" });
});

Deno.test("Telegram login says that it cannot reach the platform", async () => {
  await using desk = openDesk();
  desk.platform.goOffline();
  await assert.rejects(desk.login(), { code: "setup_unreachable" });
});

Deno.test("Telegram login says how the bot hears all of a group", async () => {
  await using desk = openDesk();
  desk.section = { ...desk.section, groupPolicy: "open" };
  const report = await desk.login();
  const check = report.checks.find(({ name }) => name === "group privacy");
  assert.equal(check?.state, "missing");
  assert.match(check?.remedy ?? "", /\/setprivacy/);
  assert.equal(report.isReady, true);
});

Deno.test("Telegram login walks through, waits for the first message, and lets its sender in", async () => {
  await using desk = openDesk();
  desk.platform.addPerson(77, { firstName: "Carol" });
  desk.answers.push(desk.platform.token, "y");
  const login = desk.login({ given: {}, isInteractive: true });
  await desk.platform.waitFor(() => desk.platform.open > 0 && desk.said.length > 3);
  desk.platform.userSays({ from: 77, text: "hello" });
  const report = await login;
  assert.equal(checkStates(report).at(-1), "ok first message");
  assert.deepEqual(desk.saved, [
    { enabled: true, token: desk.platform.token },
    { allowFrom: ["77"] },
  ]);
  assert.match(desk.said.join("\n"), /\/newbot/);
  assert.equal(desk.platform.unconfirmed, 1);
});

Deno.test("Telegram login does not wait where a webhook takes the messages", async () => {
  await using desk = openDesk();
  desk.platform.setWebhook("https://example.com");
  const report = await desk.login({ isInteractive: true });
  assert.deepEqual(checkStates(report), ["ok bot", "ok group privacy", "unknown reading messages"]);
  assert.match(report.checks.at(-1)?.detail ?? "", /webhook/);
});

Deno.test("Telegram login that only looks opens no way for messages", async () => {
  await using desk = openDesk();
  const report = await desk.login({ isLooking: true });
  const names = report.checks.map(({ name }) => name);
  assert.ok(names.length > 0 && !names.includes("reading messages"), names.join());
});
