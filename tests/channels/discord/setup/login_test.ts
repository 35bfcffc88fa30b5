import assert from "node:assert/strict";
import { setup } from "../../../../channels/discord/setup/mod.ts";
import { DiscordPlatform } from "../../../simulators/discord_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { checkStates, Desk } from "../../../support/setup_desk.ts";

/** A person at a terminal, and a bot. */
function openDesk(): Desk<DiscordPlatform> {
  const clock = new ManualClock();
  const platform = new DiscordPlatform(clock);
  const section = { apiBase: platform.apiBase };
  return new Desk({ setup, clock, platform, section, given: { token: platform.token } });
}

Deno.test("Discord login checks the token, what the bot may do, and the gateway", async () => {
  await using desk = openDesk();
  const report = await desk.login();
  assert.equal(report.isReady, true);
  assert.deepEqual(checkStates(report), [
    "ok bot",
    "ok message content",
    "ok servers",
    "ok gateway",
  ]);
  assert.deepEqual(desk.saved, [{ enabled: true, token: desk.platform.token }]);
});

Deno.test("Discord login says which intent is missing, and where to switch it on", async () => {
  await using desk = openDesk();
  desk.platform.account.applicationFlags = 0;
  desk.platform.intentsAllowed = 0;
  desk.platform.account.guilds = [];
  const report = await desk.login();
  assert.equal(report.isReady, false);
  assert.deepEqual(checkStates(report), [
    "ok bot",
    "missing message content",
    "missing servers",
    "missing gateway",
  ]);
  const { applicationId } = desk.platform;
  assert.match(report.checks[1]?.url ?? "", new RegExp(`${applicationId}/bot$`));
  assert.match(report.checks[2]?.url ?? "", new RegExp(`client_id=${applicationId}`));
});

Deno.test("Discord login offers access to the owner, and waits for a first message", async () => {
  await using desk = openDesk();
  const owner = desk.platform.addPerson("alice");
  desk.answers.push("y");
  const logging = desk.login({ isInteractive: true });
  await desk.platform.waitFor(() => desk.said.some((text) => text.startsWith("Write something")));
  desk.platform.userSays({ author: owner, channel: desk.platform.direct(owner), text: "hi" });
  const report = await logging;
  assert.equal(checkStates(report).at(-1), "ok first message");
  assert.deepEqual(desk.saved.at(-1), { allowFrom: [owner.id] });
});

Deno.test("Discord login saves nothing when the token is wrong", async () => {
  await using desk = openDesk();
  const token = desk.platform.token.replace(/.$/, "A");
  await assert.rejects(desk.login({ given: { token } }), { code: "setup_refused" });
  assert.deepEqual(desk.saved, []);
});

Deno.test.each<{ readonly given: Record<string, string> }>([{ given: {} }, {
  given: { token: "nonsense" },
}])("Discord login asks nobody who is not there, case %#", async ({ given }) => {
  await using desk = openDesk();
  await assert.rejects(desk.login({ given }), { code: "setup_incomplete" });
});

Deno.test("Discord login says that it cannot reach the platform", async () => {
  await using desk = openDesk();
  desk.platform.goOffline();
  await assert.rejects(desk.login(), { code: "setup_unreachable" });
});

Deno.test("Discord login that only looks opens no way for messages", async () => {
  await using desk = openDesk();
  const report = await desk.login({ isLooking: true });
  const names = report.checks.map(({ name }) => name);
  assert.ok(names.length > 0 && !names.includes("gateway"), names.join());
});
