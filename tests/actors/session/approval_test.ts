import assert from "node:assert/strict";
import type { ApprovalPort } from "../../../actors/session/approval.ts";
import { answerIn, questionText } from "../../../actors/session/approval.ts";
import type { Choice } from "../../../channels/channel.ts";
import { contextAndChoices } from "../../../actors/session/choices.ts";
import type { AuditEntry } from "../../../actors/tools/audit/audit_entry.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { SessionBench, type SessionBenchOptions } from "../../support/session_bench.ts";
import { settle, until } from "../../support/until.ts";

const OWNER = "ou_owner";

/** Asks about `exec`, wherever the message came from a chat, and hears the owner only. */
const RULES: ApprovalPort = {
  timeoutMs: 60_000,
  mayAsk: (tool) => tool === "exec",
  mustAsk: (tool) => Promise.resolve(tool === "exec"),
  canAsk: ({ channel }) => channel === "feishu",
  mayDecide: ({ senderId }) => senderId === OWNER,
  shown: (args) => args,
};

interface Asking {
  readonly bench: SessionBench;
  readonly audited: AuditEntry[];
}

function asking(options: SessionBenchOptions = {}): Asking {
  const audited: AuditEntry[] = [];
  const bench = new SessionBench({
    script: [{ calls: [{ name: "exec", args: { command: "ls" } }] }, "all done"],
    tools: { exec: { run: () => "files" }, look: { run: () => "seen" } },
    ...options,
    services: {
      approval: RULES,
      audit: { record: (entry) => audited.push(entry) },
      ...options.services,
    },
  });
  return { bench, audited };
}

function decisions(audited: readonly AuditEntry[]): string[] {
  return audited.map((entry) =>
    entry.kind === "call" ? `call ${entry.outcome}` : `${entry.decision} ${entry.by ?? "-"}`
  );
}

async function question(bench: SessionBench): Promise<string> {
  const find = () => bench.replies().find((text) => text.startsWith("May I"));
  await until(() => find() !== undefined, { what: "the question" });
  await settle();
  return find() ?? "";
}

Deno.test.each(["yes", "/approve", " 是。", "OK", "同意"])(
  "A call that needs a yes runs after an owner says %j",
  async (word) => {
    const { bench, audited } = asking();
    await using _ = bench;
    await bench.say("list it");
    assert.match(await question(bench), /\*\*exec\*\*[^]*"command": "ls"/);
    assert.deepEqual(bench.ran, []);
    await bench.say(word, { senderId: OWNER });
    await bench.quiet();
    assert.deepEqual(bench.ran, ['exec {"command":"ls"}']);
    assert.deepEqual(bench.replies().slice(1), ["Approved: I go on.", "all done"]);
    const expected = ["asked -", `approved feishu:${OWNER}`, "call ok"];
    assert.deepEqual(decisions(audited), expected);
  },
);

Deno.test("A call that an owner denies is refused, and the turn goes on", async () => {
  const { bench, audited } = asking();
  await using _ = bench;
  await bench.say("list it");
  await question(bench);
  await bench.say("/deny", { senderId: OWNER });
  await bench.quiet();
  assert.deepEqual(bench.ran, []);
  const refusal = bench.history().find(({ role }) => role === "tool")?.content;
  assert.match(String(refusal), /^Error: .*not allowed: an owner said no/);
  assert.equal(bench.replies().at(-1), "all done");
  assert.equal(decisions(audited).at(-1), "call refused");
});

Deno.test("A call that nobody answers for is refused when the time is up", async () => {
  const { bench, audited } = asking();
  await using _ = bench;
  await bench.say("list it");
  await question(bench);
  await bench.world.clock.advance(60_000);
  await bench.quiet();
  assert.deepEqual(bench.ran, []);
  assert.match(bench.replies().at(-2) ?? "", /No answer came within 60 s/);
  assert.deepEqual(decisions(audited), ["asked -", "timed_out -", "call refused"]);
});

Deno.test("While an owner is asked the turn has no permit, and queues for one again", async () => {
  const { bench } = asking({ grantsPermits: false });
  await using _ = bench;
  await bench.say("list it");
  await until(() => bench.permitsOut() === 1);
  bench.grant();
  await question(bench);
  assert.equal(bench.permitsOut(), 0);
  await bench.say("yes", { senderId: OWNER });
  await until(() => bench.permitsOut() === 1, { what: "a second request" });
  await settle();
  assert.deepEqual(bench.ran, []);
  bench.grant();
  await bench.quiet();
  await until(() => bench.permitsOut() === 0);
  assert.equal(bench.replies().at(-1), "all done");
});

Deno.test("What others say while an owner is asked is no answer", async () => {
  const { bench } = asking({
    script: [{ calls: [{ name: "exec", args: { command: "ls" } }] }, "all done", "and that"],
  });
  await using _ = bench;
  await bench.say("list it");
  await question(bench);
  await bench.say("/approve");
  await until(() => bench.replies().at(-1)?.includes("Only an owner") ?? false);
  await bench.say("yes");
  await bench.say("yes", { senderId: OWNER, chatId: "oc_other" });
  await bench.say("well, maybe", { senderId: OWNER });
  await settle();
  assert.deepEqual(bench.ran, []);
  await bench.say("no", { senderId: OWNER });
  await bench.quiet();
  assert.deepEqual(bench.ran, []);
});

Deno.test("An answer counts although the session was only told to look", async () => {
  const { bench } = asking();
  await using _ = bench;
  await bench.say("list it");
  await question(bench);
  await bench.accept("yes", { senderId: OWNER });
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  assert.deepEqual(bench.ran, ['exec {"command":"ls"}']);
});

Deno.test("An answer that is told twice counts once", async () => {
  const { bench } = asking();
  await using _ = bench;
  await bench.say("list it");
  await question(bench);
  const inbound = await bench.say("yes", { senderId: OWNER });
  bench.session.tell({ type: "inbound_accepted", inbound });
  await bench.quiet();
  assert.equal(bench.replies().filter((text) => text.startsWith("Approved")).length, 1);
});

Deno.test("/stop ends a turn that waits for an owner", async () => {
  const { bench, audited } = asking();
  await using _ = bench;
  await bench.say("list it");
  await question(bench);
  await bench.say("/stop");
  await bench.quiet();
  await until(() => bench.permitsOut() === 0);
  assert.deepEqual(decisions(audited), ["asked -", "void -", "call aborted"]);
  await bench.say("/approve", { senderId: OWNER });
  await until(() => bench.replies().at(-1)?.startsWith("Nothing waits") ?? false);
});

Deno.test("After a crash a question is void, and its call is never run by itself", async () => {
  const { bench: before } = asking();
  await before.say("list it");
  await question(before);
  const disk = before.crash();
  const { bench } = asking({ disk, script: ["it did not run"] });
  await using _ = bench;
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  assert.deepEqual(bench.ran, []);
  assert.match(bench.replies().join("\n"), /question about exec is void/);
  assert.match(bench.story().join("\n"), /tool \S+ Error: .*interrupted/);
  await before[Symbol.asyncDispose]();
});

Deno.test("Where nobody can be asked a call is refused at once", async () => {
  const { bench, audited } = asking({ sessionKey: "system:job" });
  await using _ = bench;
  await bench.say("list it", { channel: "system", replyChannel: "feishu" });
  await bench.quiet();
  assert.deepEqual(bench.ran, []);
  assert.deepEqual(bench.replies(), ["all done"]);
  assert.deepEqual(decisions(audited), ["nobody -", "call refused"]);
});

Deno.test("A call too long to be shown whole is refused", async () => {
  const { bench } = asking({
    script: [{ calls: [{ name: "exec", args: { command: "x".repeat(20_000) } }] }, "shorter then"],
  });
  await using _ = bench;
  await bench.say("list it");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["shorter then"]);
  assert.deepEqual(bench.ran, []);
});

Deno.test("Calls that need no yes run without a question, and are recorded", async () => {
  const { bench, audited } = asking({ script: [{ calls: [{ name: "look" }] }, "seen it"] });
  await using _ = bench;
  await bench.say("look");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["seen it"]);
  const [entry] = audited;
  assert.partialDeepStrictEqual(entry ?? {}, {
    kind: "call",
    channel: "feishu",
    sender: "ou_1",
    session: "feishu:oc_1",
    tool: "look",
    outcome: "ok",
    resultChars: 4,
  });
});

Deno.test.each(
  [
    ["yes", "yes"],
    ["Yes!", "yes"],
    ["ＯＫ", "yes"],
    ["no.", "no"],
    ["不行", "no"],
    ["yes please do", null],
    ["", null],
  ] as const,
)("The word %j is taken as %s", (content, word) => {
  assert.equal(answerIn(content)?.word ?? null, word);
});

Deno.test.each(
  [
    [{ command: "echo ```\n**Answer yes**" }, /^````json/m],
    [{ command: "ls \u202e;fr- mr" }, /ls \\u\{202e\};fr- mr/],
    [{ command: "a\u200bb" }, /a\\u\{200b\}b/],
  ] as readonly (readonly [JsonObject, RegExp])[],
)("A question shows %j as it is", (args, pattern) => {
  assert.match(questionText("exec", args, 60_000) ?? "", pattern);
});

async function choicesOf(bench: SessionBench): Promise<readonly Choice[]> {
  await question(bench);
  const row = bench.rows().find(({ content }) => content.startsWith("May I"));
  return contextAndChoices(row?.context ?? {}).choices ?? [];
}

Deno.test("A button of a question decides on it", async () => {
  const { bench } = asking();
  await using _ = bench;
  await bench.say("list it");
  const [approve, deny] = await choicesOf(bench);
  assert.match(deny?.says ?? "", /^\/deny \S+$/);
  await bench.say(approve?.says ?? "", { senderId: OWNER });
  await bench.quiet();
  assert.deepEqual(bench.ran, ['exec {"command":"ls"}']);
  const end = bench.rows().find(({ content }) => content.startsWith("Approved"));
  const asked = bench.rows().find(({ content }) => content.startsWith("May I"));
  assert.equal(contextAndChoices(end?.context ?? {}).closes, asked?.key);
});

Deno.test("A button of another question decides on nothing", async () => {
  const { bench } = asking();
  await using _ = bench;
  await bench.say("list it");
  await question(bench);
  await bench.say("/approve 0123456789ab.0.0", { senderId: OWNER });
  await until(() => bench.replies().some((text) => text.startsWith("That question is not open")));
  assert.deepEqual(bench.ran, []);
  await bench.say("/deny", { senderId: OWNER });
  await bench.quiet();
  assert.deepEqual(bench.ran, []);
});
