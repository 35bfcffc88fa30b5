import assert from "node:assert/strict";
import { setup } from "../../../../channels/feishu/setup/mod.ts";
import { FeishuPlatform, type FeishuPlatformOptions } from "../../../simulators/feishu_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { checkStates, Desk } from "../../../support/setup_desk.ts";
import { until } from "../../../support/until.ts";

const SELF_SCOPES = ["application:application:self_manage", "admin:app.info:readonly"] as const;

const COMMANDS = [
  { name: "new", argument: null, description: "Start a new session" },
  { name: "model", argument: "name", description: "Change the model" },
];

/** A person at a terminal, and a new platform. */
async function openDesk(options: FeishuPlatformOptions = {}): Promise<Desk<FeishuPlatform>> {
  const platform = await FeishuPlatform.start(options);
  const clock = new ManualClock();
  return new Desk({ setup, clock, platform, section: {}, given: givenFor(platform) });
}

/** Values given with the command. */
function givenFor(
  { app: { appId, appSecret }, url: domain }: FeishuPlatform,
  changes: Record<string, string> = {},
): Record<string, string> {
  return { appId, appSecret, domain, ...changes };
}

Deno.test("Feishu login checks everything and saves what is new", async () => {
  await using desk = await openDesk();
  const report = await desk.login();
  assert.equal(report.isReady, true);
  assert.deepEqual(checkStates(report), [
    "ok bot",
    "ok permission im:message:send_as_bot",
    "ok permission im:message.p2p_msg:readonly",
    "ok permission im:message:readonly",
    "ok permission im:message.group_at_msg:readonly",
    "ok permission im:resource",
    "ok permission cardkit:card:write",
    "ok permission im:message.reactions:write_only",
    "ok permission im:chat.members:read",
    "ok long connection",
    "ok event im.message.receive_v1",
  ]);
  const { app: { appId, appSecret, botOpenId }, url } = desk.platform;
  assert.deepEqual(desk.saved, [{ enabled: true, appId, appSecret, domain: url }]);
  assert.equal(report.checks[0]?.detail, `Troupe (${botOpenId})`);
  await until(() => desk.platform.openConnections.length === 0, { what: "a closed connection" });
});

Deno.test("Feishu login says how a menu of commands is made, and tells the commands", async () => {
  await using desk = await openDesk();
  await desk.login({ commands: COMMANDS });
  const guide = desk.said.slice(-4).join("\n");
  assert.match(guide, /menu of commands/);
  assert.match(guide, new RegExp(`/app/${desk.platform.app.appId}/bot`));
  assert.match(guide, /^ +\/new \/model$/m);
});

Deno.test("Feishu login changes nothing that is there and right", async () => {
  await using desk = await openDesk();
  desk.section = { enabled: true, ...givenFor(desk.platform), allowFrom: ["ou_me"] };
  await desk.login({ given: {} });
  assert.deepEqual(desk.saved, [{}]);
});

Deno.test("Feishu login saves nothing when the secret is wrong, and says where to look", async () => {
  await using desk = await openDesk();
  const given = givenFor(desk.platform, { appSecret: "wrong" });
  await assert.rejects(desk.login({ given }), {
    code: "setup_refused",
    message: `Cannot sign in as "${given["appId"]}": the App ID or the App Secret is wrong ` +
      `(code 10014); compare both with https://open.feishu.cn/app/${given["appId"]}/baseinfo`,
  });
  assert.deepEqual(desk.saved, []);
});

Deno.test("Feishu login saves nothing when the platform is out of reach", async () => {
  await using desk = await openDesk();
  desk.platform.goOffline();
  await assert.rejects(desk.login(), { code: "setup_unreachable" });
  assert.deepEqual(desk.saved, []);
});

Deno.test.each([
  { given: { appId: "", appSecret: "" }, says: /--app-id and --app-secret, or use --scan/ },
  { given: { appId: "cli_x" }, says: /cli_ followed by 16 hex digits/ },
  { given: { domain: "dingtalk" }, says: /channels\.feishu\.domain: must be "feishu", "lark"/ },
])("Feishu login ends when $given is given", async ({ given, says }) => {
  await using desk = await openDesk();
  const all = { ...givenFor(desk.platform), ...given };
  await assert.rejects(desk.login({ given: all }), (error: Error) => says.test(error.message));
  assert.deepEqual(desk.saved, []);
});

Deno.test("Feishu login names each missing permission, and where to switch it on", async () => {
  await using desk = await openDesk({
    missingScopes: ["cardkit:card:write", "im:message", "im:message.p2p_msg:readonly"],
  });
  const report = await desk.login();
  assert.equal(report.isReady, false);
  const { appId } = desk.platform.app;
  const missing = report.checks.filter(({ state }) => state === "missing");
  assert.deepEqual(
    missing.map(({ name, isNeeded }) => [name, isNeeded]),
    [
      ["permission im:message.p2p_msg:readonly", true],
      ["permission cardkit:card:write", false],
    ],
  );
  assert.equal(missing[1]?.detail, "answers that grow; without it they come whole (optional)");
  assert.equal(
    missing[1]?.url,
    `https://open.feishu.cn/app/${appId}/auth?q=cardkit%3Acard%3Awrite&op_from=openapi&token_type=tenant`,
  );
});

Deno.test("Feishu login tries permissions out where the platform does not list them", async () => {
  await using desk = await openDesk({
    missingScopes: [
      "cardkit:card:write",
      "im:message",
      "im:message:send_as_bot",
      "im:resource",
      "im:resource:upload",
    ],
  });
  desk.platform.console.listsScopes = false;
  const report = await desk.login();
  assert.deepEqual(checkStates(report).filter((line) => line.includes("permission")), [
    "missing permission im:message:send_as_bot",
    "unknown permission im:message.p2p_msg:readonly",
    "ok permission im:message:readonly",
    "unknown permission im:message.group_at_msg:readonly",
    "missing permission im:resource",
    "missing permission cardkit:card:write",
    "ok permission im:message.reactions:write_only",
    "ok permission im:chat.members:read",
  ]);
  assert.deepEqual(desk.platform.chats, [], "trying has no effect");
});

Deno.test("Feishu login looks only for what the settings need", async () => {
  await using desk = await openDesk();
  desk.section = { streaming: false, groupPolicy: "open", reactEmoji: null };
  const names = checkStates(await desk.login()).join("\n");
  assert.match(names, /im:message\.group_msg/);
  assert.doesNotMatch(names, /cardkit|reactions|group_at_msg/);
});

Deno.test("Feishu login says when the event is not subscribed, or cannot be looked at", async () => {
  await using desk = await openDesk();
  desk.platform.console.subscribedEvents.clear();
  const missing = (await desk.login()).checks.at(-1);
  assert.equal(missing?.state, "missing");
  assert.match(missing?.remedy ?? "", /persistent connection.*im\.message\.receive_v1.*publish/);
  for (const scope of SELF_SCOPES) desk.platform.permissions.missing.add(scope);
  assert.equal((await desk.login({ given: {} })).checks.at(-1)?.state, "unknown");
});

Deno.test("Feishu login finds an app without a bot, and one that may not connect", async () => {
  await using desk = await openDesk();
  const { faults } = desk.platform;
  faults.plant("bot.info", { kind: "code", code: 11205 });
  faults.plant("ws.endpoint", { kind: "code", code: 403, status: 200 });
  const report = await desk.login();
  assert.equal(report.isReady, false);
  const missing = report.checks.filter(({ state }) => state === "missing");
  assert.deepEqual(missing.map(({ name, detail }) => `${name}: ${detail}`), [
    "bot: the app has no bot (code 11205)",
    "long connection: refused (code 403: injected)",
  ]);
});

Deno.test("Feishu login walks a person through creating the app and their first message", async () => {
  await using desk = await openDesk();
  const { platform } = desk;
  const { appId, appSecret } = platform.app;
  desk.answers.push(appId, appSecret, "y");
  const given = { domain: platform.url };
  const logging = desk.login({ given, isInteractive: true });
  await until(() => desk.said.some((line) => line.includes("Write something to the bot")));
  platform.userSays({ text: "hello" });
  const report = await logging;
  assert.deepEqual(desk.asked, [
    "App ID (cli_…): ",
    "App Secret: ",
    "",
    "ou_alice may not write to the bot yet. Allow it? [Y/n] ",
  ]);
  assert.equal(report.checks.at(-1)?.detail, "a message of ou_alice came");
  assert.deepEqual(desk.section["allowFrom"], ["ou_alice"]);
  const guide = desk.said.join("\n");
  assert.match(guide, /1\. Open https:\/\/open\.feishu\.cn\/app[^]*Bot[^]*im:message:send_as_bot/);
  assert.equal(platform.events.at(-1)?.isAcknowledged, false, "the gateway shall have it");
});

Deno.test("Feishu login lets a person skip the first message", async () => {
  await using desk = await openDesk();
  const logging = desk.login({
    isInteractive: true,
    ask: () => Promise.resolve(""),
  });
  assert.equal((await logging).isReady, true);
});

Deno.test("Feishu login waits five minutes for the first message", async () => {
  await using desk = await openDesk();
  desk.platform.console.subscribedEvents.clear();
  const logging = desk.login({ isInteractive: true });
  await until(() => desk.asked.includes(""));
  await desk.clock.advance(5 * 60_000);
  assert.equal((await logging).checks.at(-1)?.detail, "no message came");
});

Deno.test("Feishu login creates the app by a scanned code, and lets its owner in", async () => {
  await using desk = await openDesk();
  const { platform, clock } = desk;
  platform.console.slowDowns = 1;
  const given = { domain: platform.url };
  const logging = desk.login({ given, isScanning: true });
  await until(() => clock.pending > 0);
  assert.deepEqual(desk.links, [
    "https://open.feishu.cn/page/launcher?user_code=ABCD-EFGH",
  ]);
  const polls = () => platform.calls("accounts.registration").length - 2;
  await clock.advance(5_000);
  await until(() => polls() === 1 && clock.pending > 0);
  await clock.advance(9_000);
  assert.equal(polls(), 1, "it slows down when it is told to");
  platform.console.scanning = { state: "confirmed", openId: "ou_owner", brand: "feishu" };
  await clock.advance(1_000);
  const report = await logging;
  assert.equal(report.isReady, true);
  assert.equal(desk.section["appId"], platform.app.appId);
  assert.deepEqual(desk.section["allowFrom"], ["ou_owner"]);
});

Deno.test.each(["denied", "expired"] as const)(
  "Feishu login ends when a code is %s",
  async (state) => {
    await using desk = await openDesk();
    desk.platform.console.scanning = { state };
    const logging = desk.login({ given: { domain: desk.platform.url }, isScanning: true });
    logging.catch(() => {});
    await until(() => desk.clock.pending > 0);
    await desk.clock.advance(5_000);
    await assert.rejects(logging, { code: "setup_refused" });
    assert.deepEqual(desk.saved, []);
  },
);

Deno.test("Feishu login ends when nobody scans in time", async () => {
  await using desk = await openDesk();
  const logging = desk.login({ given: { domain: desk.platform.url }, isScanning: true });
  let isOver = false;
  logging.catch(() => void (isOver = true));
  await until(async () => {
    await desk.clock.advance(5_000);
    return isOver;
  }, { timeoutMs: 20_000 });
  await assert.rejects(logging, /the time is over/);
});

Deno.test("Feishu login forgets who may write when the app is another one", async () => {
  await using desk = await openDesk();
  const old = { appId: "cli_0000000000000000", appSecret: "old", allowFrom: ["ou_of_the_old_app"] };
  desk.section = { enabled: true, ...old };
  await desk.login();
  assert.deepEqual(desk.section["allowFrom"], []);
  desk.section = { ...desk.section, allowFrom: ["ou_me"], appSecret: "rotated away" };
  await desk.login();
  assert.deepEqual(desk.section["allowFrom"], ["ou_me"]);
});

Deno.test("Feishu login asks for the secret of another app, and keeps that of the known one", async () => {
  await using desk = await openDesk();
  desk.section = { appId: "cli_0000000000000000", appSecret: "old", domain: desk.platform.url };
  await assert.rejects(desk.login({ given: { appId: desk.platform.app.appId } }), {
    code: "setup_incomplete",
  });
});

Deno.test("Feishu login that only looks opens no way for messages", async () => {
  await using desk = await openDesk();
  const report = await desk.login({ isLooking: true });
  const names = report.checks.map(({ name }) => name);
  assert.ok(names.length > 0 && !names.includes("long connection"), names.join());
});
