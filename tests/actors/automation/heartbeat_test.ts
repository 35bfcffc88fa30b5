import assert from "node:assert/strict";
import { heartbeatActor, type HeartbeatOptions } from "../../../actors/automation/heartbeat.ts";
import { decide, isWorthTelling } from "../../../actors/automation/heartbeat_model.ts";
import { activeTasks, isQuiet } from "../../../actors/automation/heartbeat_tasks.ts";
import { heartbeatWordId } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { AskedModel } from "../../../actors/memory/ask_once.ts";
import type { WorkPermit } from "../../../actors/automation/ports.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type ScriptedAnswer, ScriptedProvider } from "../../support/scripted_provider.ts";
import { SessionBench, type SessionBenchOptions } from "../../support/session_bench.ts";
import { testSystem } from "../../support/system.ts";
import { until } from "../../support/until.ts";
import { FakeRuns } from "./_cron.ts";

const HALF_HOUR_MS = 1_800_000;
const START_MS = Date.UTC(2026, 5, 1, 12, 10);
const SIGNAL = new AbortController().signal;

const TEMPLATE = await Deno.readTextFile("workspace-template/HEARTBEAT.md");

Deno.test.each(
  [
    ["the template", TEMPLATE, []],
    ["nothing", "", []],
    ["headings", "# Tasks\n\n## More", []],
    ["comments", "## Active tasks\n<!-- - look at the mail\n-->\n", []],
    ["tasks", `${TEMPLATE.replace("## Completed", "- look at the mail\n\n## Completed\n- old")}`, [
      "look at the mail",
    ]],
    ["a task over two lines", "## Active Tasks\n* one\n  and more\n- two", ["one and more", "two"]],
    ["what is ticked off", "## Active tasks\n- [x] done\n  long ago\n- [ ] open", ["open"]],
    ["a file without sections", "Look at the mail\n\n## Completed\nno", ["Look at the mail"]],
  ] as const,
)("HEARTBEAT.md with %s has these tasks", (_name, text, expected) => {
  assert.deepEqual(activeTasks(text), expected);
});

Deno.test.each(
  [
    ["22:00-08:00", "UTC", 23, true],
    ["22:00-08:00", "UTC", 7, true],
    ["22:00-08:00", "UTC", 8, false],
    ["22:00-08:00", "Asia/Shanghai", 14, true],
    ["12:00-13:00", "UTC", 12, true],
    ["12:00-13:00", "UTC", 13, false],
    [null, "UTC", 3, false],
  ] as const,
)("The hours %s in %s cover %s o'clock UTC: %s", (hours, zone, hour, expected) => {
  assert.equal(isQuiet(hours, Date.UTC(2026, 5, 1, hour), zone), expected);
});

function asked(provider: ScriptedProvider, booked: unknown[] = []): AskedModel {
  return {
    ...{ provider, model: "m", tokensMax: 100, temperature: 0.5, reasoningEffort: null },
    reserve: () => Promise.resolve({ state: "allowed", release: () => {} }),
    book: (used) => Promise.resolve(void booked.push(used)),
  };
}

function run(args: JsonObject): ScriptedAnswer {
  return { calls: [{ name: "heartbeat", args }] };
}

function judged(args: JsonObject): ScriptedAnswer {
  return { calls: [{ name: "evaluate_notification", args }] };
}

Deno.test.each(
  [
    ["skip", run({ action: "skip" }), "skip"],
    ["a run", run({ action: "run", tasks: "Look" }), "run"],
    ["another tool", { calls: [{ name: "exec", args: { action: "run" } }] }, "skip"],
    ["no tool", "I think not", "skip"],
    ["nonsense", run({ action: "perhaps" }), "skip"],
  ] as const,
)("A model that decides by %s is understood", async (_name, answer, action) => {
  const provider = new ScriptedProvider([answer]);
  const tasks = [{ task: "mail", lastMs: START_MS }];
  const scene = { nowMs: START_MS, timezone: "UTC", signal: SIGNAL };
  assert.equal((await decide(asked(provider), tasks, scene)).action, action);
  const sent = JSON.stringify(provider.requests[0]?.messages);
  assert.match(sent, /It is 2026-06-01 12:10 \(UTC\).*1\. mail \(last done: 2026-06-01 12:10\)/);
});

Deno.test.each(
  [
    ["yes", judged({ should_notify: true }), true],
    ["no", judged({ should_notify: false }), false],
    ['"false"', judged({ should_notify: "false" }), false],
    ["no call", "Well", true],
    ["nonsense", judged({ should_notify: 7 }), true],
  ] as const,
)("A model that judges by %s is understood", async (_name, answer, expected) => {
  const booked: unknown[] = [];
  const model = asked(new ScriptedProvider([answer]), booked);
  const told = await isWorthTelling(model, { task: "mail", answer: "none" }, SIGNAL);
  assert.deepEqual([told, booked.length], [expected, 1]);
});

function heart(
  file: string | null,
  answers: readonly ScriptedAnswer[],
  { quiet = null, permit }: { quiet?: string | null; permit?: WorkPermit } = {},
) {
  const clock = new ManualClock(START_MS);
  const world = testSystem({ clock });
  const provider = new ScriptedProvider([...answers]);
  const runs = new FakeRuns(() => clock.now());
  const journal = new MemoryJournal({ clock, defer: nextTurn });
  const options: HeartbeatOptions = {
    ...{ intervalMs: HALF_HOUR_MS, quietHours: quiet, timezone: "UTC", journal, runs },
    read: () => Promise.resolve(file),
    model: asked(provider),
    target: () =>
      Promise.resolve({ channel: "probe", chatId: "1", sessionKey: "probe:1", context: {} }),
    ...(permit && { permitFor: () => permit }),
  };
  const start = () => world.system.spawn({ ...heartbeatActor(options), name: `h${++hearts}` });
  start();
  return {
    clock,
    provider,
    runs,
    start,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

let hearts = 0;

Deno.test("A heartbeat without tasks asks no model", async () => {
  await using bench = heart(TEMPLATE, []);
  await bench.clock.advance(10 * HALF_HOUR_MS);
  await using missing = heart(null, []);
  await missing.clock.advance(10 * HALF_HOUR_MS);
  assert.equal(bench.provider.requests.length + missing.provider.requests.length, 0);
});

Deno.test("A heartbeat has tasks done that are due, once each time, in its own conversation", async () => {
  const answer = run({ action: "run", tasks: "Look at the mail", numbers: [1] });
  await using bench = heart("- mail", [answer, run({ action: "skip" })]);
  await bench.clock.advance(HALF_HOUR_MS);
  bench.start(); // a restart
  await bench.clock.advance(60_000);
  const [inbound] = [...bench.runs.taken.values()];
  assert.deepEqual(
    [inbound?.platformId, inbound?.sessionKey, inbound?.replyChannel, inbound?.chatId],
    [`heartbeat:${Date.UTC(2026, 5, 1, 12, 30)}`, "heartbeat", "probe", "1"],
  );
  assert.match(inbound?.content ?? "", /Look at the mail/);
  await bench.clock.advance(HALF_HOUR_MS);
  assert.equal(bench.provider.requests.length, 2);
  assert.match(JSON.stringify(bench.provider.requests[1]?.messages), /last done: 2026-06-01 12:30/);
  assert.equal(bench.runs.ids.length, 1);
});

Deno.test("A heartbeat is still in quiet hours, and while it is at work", async () => {
  await using quiet = heart("- mail", [], { quiet: "12:00-14:00" });
  await quiet.clock.advance(3 * HALF_HOUR_MS);
  assert.equal(quiet.provider.requests.length, 0);
  await using busy = heart("- mail", [run({ action: "run", tasks: "x" })]);
  busy.runs.endsAs = null;
  await busy.clock.advance(5 * HALF_HOUR_MS);
  assert.equal(busy.provider.requests.length, 1);
});

const WORD = {
  channel: "system",
  platformId: heartbeatWordId("heartbeat:1"),
  replyChannel: "feishu",
};

/** A session in which the heartbeat works, and what it hands on. */
function workplace(
  script: SessionBenchOptions["script"] & object,
  isWorth = true,
) {
  const told: string[] = [];
  const bench = new SessionBench({
    script,
    services: {
      heartbeat: {
        sessionKey: "feishu:oc_1",
        recentMessagesMax: 2,
        isWorthTelling: () => Promise.resolve(isWorth),
        tell: ({ platformId }, answer) =>
          Promise.resolve(void told.push(`${platformId} ${answer}`)),
      },
    },
  });
  return { bench, told };
}

Deno.test.each([[true, ["heartbeat:1 All is lost"]], [false, []]] as const)(
  "What a heartbeat found is handed on where it is worth it: %s",
  async (isWorth, expected) => {
    const { bench, told } = workplace(["All is lost"], isWorth);
    await using _ended = bench;
    const change = { channel: "system", platformId: "heartbeat:1", replyChannel: "feishu" };
    await bench.say("Look", change);
    await bench.quiet();
    assert.deepEqual(told, expected);
    assert.deepEqual(bench.replies(), []);
    assert.deepEqual(bench.story(), ["user Look", "assistant All is lost"]);
  },
);

Deno.test("What a subagent of the heartbeat found is handed on as well, and judged", async () => {
  const { bench, told } = workplace(["It found rot"]);
  await using _ended = bench;
  const change = { channel: "system", platformId: "subagent:a1", replyChannel: "feishu" };
  await bench.say("[Result of a subagent]", change);
  await bench.quiet();
  assert.deepEqual([told, bench.replies()], [["subagent:a1 It found rot"], []]);
});

Deno.test("Only the newest messages of the heartbeat's conversation are seen, and kept", async () => {
  const { bench } = workplace(() => "ok");
  await using _ended = bench;
  for (let beat = 0; beat < 5; beat++) {
    await bench.say(`Look ${beat}`, { channel: "system", platformId: `heartbeat:${beat}` });
    await bench.quiet();
    await until(() => bench.story().length === 2, { what: "the cut" });
  }
  assert.deepEqual(bench.story(), ["user Look 4", "assistant ok"]);
  const seen = bench.provider.requests.at(-1)?.messages.map(({ role }) => role);
  assert.deepEqual(seen, ["system", "user", "assistant", "user"]);
});

Deno.test("What the heartbeat tells stands in the chat's conversation, and no model is asked", async () => {
  await using bench = new SessionBench({ script: ["Hello!", "Watered."] });
  await bench.say("Hi");
  await bench.quiet();
  await bench.say("The plants are dry. Shall I water them?", WORD);
  await bench.quiet();
  assert.equal(bench.provider.requests.length, 1);
  await bench.say("Yes, do that");
  await bench.quiet();
  assert.deepEqual(bench.replies(), [
    "Hello!",
    "The plants are dry. Shall I water them?",
    "Watered.",
  ]);
  assert.deepEqual(bench.provider.requests.at(-1)?.messages.slice(1).map(({ role }) => role), [
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
  ]);
  assert.match(bench.story()[2] ?? "", /^user \[Heartbeat: the person did not write this/);
});

Deno.test("A word of the heartbeat waits for the turn that runs, and outlives the process", async () => {
  const answer = Promise.withResolvers<void>();
  await using bench = new SessionBench({ script: [{ text: "Hello!", after: answer.promise }] });
  await bench.say("Hi");
  await until(() => bench.provider.running === 1, { what: "the turn" });
  await bench.say("It is dry.", WORD);
  answer.resolve();
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["Hello!", "It is dry."]);

  await using before = new SessionBench();
  await before.accept("It is dry.", WORD);
  await using after = new SessionBench({ script: [], disk: before.crash() });
  await after.quiet();
  assert.deepEqual(after.replies(), ["It is dry."]);
});

Deno.test("The heartbeat asks its model with a permit alone, and gives it back", async () => {
  const asked: string[] = [];
  const permit: WorkPermit = {
    regain: () => Promise.resolve(void asked.push("asked for")),
    take: () => true,
    end: () => void asked.push("given back"),
  };
  await using idle = heart(TEMPLATE, [], { permit });
  await idle.clock.advance(HALF_HOUR_MS);
  assert.ok(!asked.includes("asked for"));
  await using busy = heart("- mail", [run({ action: "skip" })], { permit });
  await busy.clock.advance(HALF_HOUR_MS);
  assert.deepEqual(asked.slice(asked.indexOf("asked for")).slice(0, 2), [
    "asked for",
    "given back",
  ]);
});
