import assert from "node:assert/strict";
import { approvalRules } from "../../../actors/gateway/rights/approval_rules.ts";
import type { ApprovalPort } from "../../../actors/session/approval.ts";
import type { Inbound } from "../../../actors/journal/journal.ts";
import { coreSchema } from "../../../actors/config/schema.ts";

function rules(approval: object, owners: readonly string[] = []): ApprovalPort {
  const config = coreSchema.parse({ owners, tools: { approval } });
  const made = approvalRules({
    config,
    platforms: ["feishu"],
    secrets: ["hunter2hunter2"],
    surroundings: { folder: "/w", home: "/home/u" },
  });
  assert.ok(made !== undefined);
  return made;
}

function inbound(change: Partial<Inbound>): Inbound {
  return {
    seq: 1,
    channel: "feishu",
    platformId: "m",
    sessionKey: "feishu:oc",
    chatId: "oc",
    replyChannel: "feishu",
    senderId: "ou_1",
    content: "",
    media: [],
    context: {},
    wantsStream: false,
    acceptedAtMs: 0,
    state: "accepted",
    turnId: null,
    turnLine: null,
    endedAtMs: null,
    channelState: null,
    draft: null,
    ...change,
  };
}

const COMMANDS = rules({ commands: ["git push", "rm", "curl* -X*"] });

Deno.test.each([
  "git push",
  "git push origin main",
  "cd repo && git push",
  "git -C repo push",
  'git "pu"sh',
  "/usr/bin/git push",
  "env A=1 git push",
  "sudo rm -rf old",
  "sh -c 'rm x'",
  "echo $(rm x)",
  "ls; rm x",
  "x=rm; $x y",
  "git $WHAT",
  "curl -X POST example.org",
])("A named command is asked about: %s", async (command) => {
  assert.equal(await COMMANDS.mustAsk("exec", { command }), true);
});

Deno.test.each([
  "git status",
  "git pull",
  "echo rm",
  "ls -l",
  "cat push",
  "echo 'git push'",
  "grep -r rm .",
  "curl example.org",
  "deno test && deno lint",
])("Another command is not asked about: %s", async (command) => {
  assert.equal(await COMMANDS.mustAsk("exec", { command }), false);
});

Deno.test("Tools are named whole or with a star, and run alone where they may be asked about", async () => {
  const made = rules({ tools: ["write_file", "mcp_*"] });
  const asked = (name: string) => made.mustAsk(name, {});
  const names = ["write_file", "mcp_git_push", "read_file", "xmcp_"];
  assert.deepEqual(await Promise.all(names.map(asked)), [true, true, false, false]);
  assert.ok(made.mayAsk("mcp_a") && !made.mayAsk("exec") && COMMANDS.mayAsk("exec"));
});

Deno.test("Without names nothing is asked about", () => {
  const config = coreSchema.parse({});
  const surroundings = { folder: "/w", home: "/h" };
  assert.equal(approvalRules({ config, platforms: [], secrets: [], surroundings }), undefined);
});

Deno.test("Only owners decide, and without owners whoever began the turn", () => {
  const home = inbound({ senderId: "ou_1" });
  const owned = rules({ tools: ["x"] }, ["feishu:ou_9"]);
  assert.ok(owned.mayDecide(inbound({ senderId: "ou_9" }), home));
  assert.ok(!owned.mayDecide(inbound({ senderId: "ou_1" }), home));
  assert.ok(!owned.mayDecide(inbound({ senderId: "ou_9", channel: "telegram" }), home));
  const free = rules({ tools: ["x"] });
  assert.ok(free.mayDecide(inbound({ senderId: "ou_1" }), home));
  assert.ok(!free.mayDecide(inbound({ senderId: "ou_2" }), home));
});

Deno.test.each(
  [
    [{ channel: "feishu" }, true],
    [{ channel: "system", replyChannel: "feishu" }, false],
    [{ channel: "feishu", replyChannel: null }, false],
    [{ channel: "api", replyChannel: "api" }, false],
    [{ channel: "cli", replyChannel: "cli", context: { isAttended: false } }, false],
    [{ channel: "cli", replyChannel: "cli", context: { isAttended: true } }, true],
  ] as readonly (readonly [Partial<Inbound>, boolean])[],
)("What was said at %j can be asked about: %s", (change, canAsk) => {
  assert.equal(COMMANDS.canAsk(inbound(change)), canAsk);
});

Deno.test("A question shows no secret", () => {
  const shown = COMMANDS.shown({ command: "curl -u me:hunter2hunter2", token: "abc" });
  assert.deepEqual(shown, { command: "curl -u me:***", token: "***" });
});

Deno.test("What is typed into a running command is asked about wherever commands are", async () => {
  for (const made of [COMMANDS, rules({ tools: ["exec"] })]) {
    assert.ok(made.mayAsk("write_stdin"));
    assert.equal(await made.mustAsk("write_stdin", { session_id: "s", input: "git pu" }), true);
    assert.equal(await made.mustAsk("write_stdin", { session_id: "s" }), false);
  }
  const other = rules({ tools: ["read_file"] });
  assert.equal(await other.mustAsk("write_stdin", { input: "x" }), false);
});
