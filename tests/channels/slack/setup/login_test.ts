import assert from "node:assert/strict";
import type { SetupReport } from "../../../../channels/setup.ts";
import { setup } from "../../../../channels/slack/setup/mod.ts";
import { SlackPlatform } from "../../../simulators/slack_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { Desk } from "../../../support/setup_desk.ts";
import { until } from "../../../support/until.ts";

const COMMANDS = [
  { name: "new", argument: null, description: "Start a new session" },
  { name: "model", argument: "name", description: "Change the model" },
];

/** A person at a terminal, and a new workspace. */
function openDesk(): Desk<SlackPlatform> {
  const clock = new ManualClock();
  const platform = SlackPlatform.start(clock);
  const { botToken, appToken, apiUrl } = platform;
  const given = { botToken, appToken };
  return new Desk({ setup, clock, platform, section: { apiUrl }, given, commands: COMMANDS });
}

function missing({ checks }: SetupReport): string[] {
  return checks.filter(({ state }) => state !== "ok").map(({ name }) => name);
}

Deno.test("Slack login checks everything and saves what is new", async () => {
  await using desk = openDesk();
  desk.section = { ...desk.section, botToken: desk.platform.botToken };
  const report = await desk.login();
  assert.equal(report.isReady, true);
  assert.deepEqual(report.checks[0]?.detail, "troupe (UBOT01) in Team");
  assert.deepEqual(missing(report), ["scope mpim:history", "scope mpim:read"]);
  assert.equal(report.checks.at(-1)?.name, "socket");
  assert.deepEqual(desk.saved, [{ enabled: true, appToken: desk.platform.appToken }]);
  await until(() => desk.platform.open === 0, { what: "a closed socket" });
});

Deno.test("Slack login is not ready without a scope that is needed", async () => {
  await using desk = openDesk();
  desk.platform.missingScopes.add("im:history");
  const report = await desk.login();
  assert.equal(report.isReady, false);
  assert.ok(missing(report).includes("scope im:history"));
});

Deno.test.each(["botToken", "appToken"])(
  "Slack login saves nothing with a wrong %s",
  async (key) => {
    await using desk = openDesk();
    const { botToken, appToken } = desk.platform;
    const given = { botToken, appToken, [key]: key === "botToken" ? "xoxb-wrong" : "xapp-wrong" };
    await assert.rejects(desk.login({ given }), {
      code: "setup_refused",
      message: new RegExp(`"${key}": the token is wrong`),
    });
    assert.deepEqual(desk.saved, []);
  },
);

Deno.test("Slack login says what to give when it may not ask", async () => {
  await using desk = openDesk();
  await assert.rejects(desk.login({ given: {} }), {
    code: "setup_incomplete",
    message: /--bot-token and --app-token/,
  });
});

Deno.test("Slack login says that Slack is out of reach", async () => {
  await using desk = openDesk();
  desk.platform.goOffline();
  await assert.rejects(desk.login(), { code: "setup_unreachable" });
});

Deno.test("Slack login guides through making the app, and lets in who writes first", async () => {
  await using desk = openDesk();
  const { platform } = desk;
  desk.answers.push(platform.botToken, platform.appToken, "y");
  const logging = desk.login({ given: {}, isInteractive: true });
  await until(() => desk.asked.at(-1) === "", { what: "a wait for the first message" });
  const { told: [delivery] } = platform.says({ text: "hello" });
  const report = await logging;
  assert.equal(report.checks.at(-1)?.detail, "a message of UALICE came");
  assert.deepEqual(desk.saved.at(-1), { allowFrom: ["UALICE"] });
  assert.equal(delivery?.isAcknowledged, false, "the gateway shall have it");
  const address = desk.said.find((text) => text.includes("manifest_json")) ?? "";
  const manifest = new URL(address).searchParams.get("manifest_json") ?? "";
  assert.match(manifest, /"socket_mode_enabled":true/);
  assert.match(manifest, /"interactivity":\{"is_enabled":true\}/);
  assert.match(manifest, /"usage_hint":"new \| model <name>"/);
});

Deno.test("Slack login that only looks opens no way for messages", async () => {
  await using desk = openDesk();
  const report = await desk.login({ isLooking: true });
  assert.equal(report.isReady, true);
  assert.ok(!report.checks.some(({ name }) => name === "socket"));
  assert.equal(desk.platform.open, 0);
});
