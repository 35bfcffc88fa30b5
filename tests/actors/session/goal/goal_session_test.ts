import assert from "node:assert/strict";
import { SYSTEM_CHANNEL } from "../../../../actors/journal/journal.ts";
import { goalTool } from "../../../../actors/tools/goal.ts";
import { isObject } from "../../../../actors/kernel/json.ts";
import {
  type BenchTool,
  SessionBench,
  type SessionBenchOptions,
} from "../../../support/session_bench.ts";
import {
  providerError,
  type ScriptedAnswer,
  type ScriptedCall,
} from "../../../support/scripted_provider.ts";
import { until } from "../../../support/until.ts";

const KEY = "goal:feishu:oc_1";
const OVER = "goal_over:feishu:oc_1";

function calling(...calls: ScriptedCall[]): ScriptedAnswer {
  return { calls };
}

const REACHED = calling({ name: "goal", args: { status: "reached", note: "sorted" } });
const goal: BenchTool = { run: (args, context) => goalTool.call(args, context) };

function work(name: string): ScriptedAnswer {
  return calling({ name: "work", args: { name } });
}

function bench(options: SessionBenchOptions): SessionBench {
  const tools = { goal, work: { run: () => "done" }, ...options.tools };
  return new SessionBench({ ...options, tools });
}

async function isOver(world: SessionBench): Promise<boolean> {
  return await world.journal.note(OVER) !== null;
}

async function stateOf(world: SessionBench): Promise<unknown> {
  const note = await world.journal.note(OVER) ?? await world.journal.note(KEY);
  return isObject(note ?? undefined) ? Reflect.get(Object(note), "state") : undefined;
}

Deno.test("A goal goes on by itself until the model says that it is reached", async () => {
  await using world = bench({
    script: [work("a"), "A is sorted.", work("b"), REACHED, "All is sorted."],
  });
  await world.say("/goal Sort the letters");
  await until(() => isOver(world));
  await world.quiet();
  assert.deepEqual(world.replies().map((text) => text.split(",")[0]), [
    "The goal is set",
    "A is sorted.",
    "All is sorted.",
    "The goal is reached",
  ]);
  const asked = world.provider.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
  assert.match(
    asked[0] ?? "",
    /From: a goal that a person set.*\[Goal, turn 1: .*Sort the letters/,
  );
  assert.match(asked[2] ?? "", /\[Goal, turn 2: .*18 more turns/);
  assert.equal(world.permitsOut(), 0);
});

Deno.test("The turns of a goal leave a permit to those whom somebody waits for", async () => {
  const gate = Promise.withResolvers<string>();
  await using world = bench({
    script: [work("a"), "A.", REACHED, "All."],
    tools: { work: { run: () => gate.promise } },
  });
  await world.say("/goal Sort");
  await until(() => world.ran.length > 0);
  gate.resolve("done");
  await until(() => isOver(world));
  const asked = world.gate.received.filter(({ type }) => type === "request_permit");
  assert.deepEqual(asked.map((ask) => Reflect.get(ask, "isBackground")), [true, true]);
});

Deno.test("Who writes while a goal waits for its permit is waited for no longer than others", async () => {
  await using world = bench({ script: ["Hi."], grantsPermits: false });
  await world.say("/goal Sort");
  const requests = () => world.gate.received.filter(({ type }) => type === "request_permit");
  await until(() => requests().length === 1);
  await world.say("Hello");
  await until(() => requests().length === 2);
  assert.deepEqual(requests().map((ask) => Reflect.get(ask, "isBackground")), [true, undefined]);
  assert.equal(world.permitsOut(), 1);
});

Deno.test("A goal ends with its turns, and says so; /goal go gives it as many again", async () => {
  let n = 0;
  await using world = bench({
    script: (_request, index) => index % 2 === 0 ? work(String(n++)) : "More to do.",
  });
  await world.say("/goal turns=2 Sort");
  await until(() => isOver(world));
  assert.equal(world.provider.requests.length, 4);
  assert.match(world.replies().at(-1) ?? "", /given up after 2 turns: its 2 turns are used/);
  await world.say("/goal go");
  await until(() => world.provider.requests.length === 8);
  await until(() => isOver(world));
  assert.equal(world.replies().filter((text) => text.startsWith("The goal is given up")).length, 2);
});

Deno.test("A goal whose tokens are used ends between two rounds of its turn", async () => {
  const used = { promptTokens: 600, completionTokens: 10, totalTokens: 610 };
  await using world = bench({
    script: [{ ...work("a"), usage: used }, { ...work("b"), usage: used }, "Never said."],
  });
  await world.say("/goal tokens=1k Sort");
  await until(() => isOver(world));
  assert.deepEqual(world.ran.length, 2);
  assert.deepEqual(world.replies().slice(1), [
    "(Not done: the goal ends here, as its tokens are used.)",
    "The goal is given up after 1 turn: its tokens are used. /goal go goes on with it.",
  ]);
});

Deno.test("A goal that gets no further ends", async () => {
  await using world = bench({
    script: (_request, index) => index % 2 === 0 ? work("same") : `Still at it (${index}).`,
  });
  await world.say("/goal Sort");
  await until(() => isOver(world));
  assert.match(world.replies().at(-1) ?? "", /after 4 turns: 3 turns in a row brought nothing new/);
});

Deno.test("A goal's turn that failed is followed by another after a while", async () => {
  await using world = bench({
    script: [{ error: providerError("provider_bad_request") }, REACHED, "Done."],
  });
  await world.say("/goal Sort");
  await until(() => world.replies().length === 2);
  await world.say("/goal");
  await until(() => world.replies().length === 3);
  assert.match(world.replies()[2] ?? "", /State: under way\n.*\nThe next turn begins in 1m/);
  assert.equal(world.provider.requests.length, 1);
  await world.world.clock.advance(60_000);
  await until(() => isOver(world));
  assert.equal(await stateOf(world), "reached");
});

Deno.test.each(["/stop", "/goal stop", "/new"])("%s ends a goal and its turns", async (command) => {
  const gate = Promise.withResolvers<string>();
  await using world = bench({
    script: [work("a"), work("b"), "Never said."],
    tools: { work: { run: () => gate.promise } },
  });
  await world.say("/goal Sort");
  await until(() => world.ran.length > 0);
  await world.say(command);
  await until(() => isOver(world));
  gate.resolve("done");
  await world.quiet();
  assert.equal(await stateOf(world), "stopped");
  assert.equal(world.provider.requests.length, 1);
  const count = await world.journal.counts();
  assert.equal(count.inbounds.accepted + count.inbounds.running, 0);
});

Deno.test("/goal and /status show how a goal stands, and a second one is not begun", async () => {
  const gate = Promise.withResolvers<string>();
  await using world = bench({
    script: [work("a"), REACHED, "Done."],
    tools: { work: { run: () => gate.promise } },
  });
  await world.say("/goal");
  await world.say("/goal time=30m Sort the letters");
  await until(() => world.ran.length > 0);
  for (const command of ["/goal", "/status", "/goal Another", "/goal turns=x y"]) {
    await world.say(command);
  }
  await until(() => world.replies().length === 6);
  const [none, set, shown, status, second, unclear] = world.replies();
  assert.match(none ?? "", /^There is no goal/);
  assert.match(set ?? "", /at most 20 turns, 1000k tokens, 30m\./);
  assert.match(shown ?? "", /^Goal: Sort the letters\nState: under way\nUsed: turn 1 of 20, /);
  assert.match(
    status ?? "",
    /^Goal: turn 1 of 20, \d+ of 1000k tokens, 0s of 30m: Sort the letters$/m,
  );
  assert.match(second ?? "", /^There is a goal already/);
  assert.match(unclear ?? "", /"turns=x" is no turns/);
  gate.resolve("done");
  await until(() => isOver(world));
  await world.say("/goal");
  await until(() => world.replies().length === 9);
  assert.match(world.replies()[8] ?? "", /State: reached \(sorted\)/);
});

Deno.test("Who writes while a goal is worked on is heard in its turn", async () => {
  const gate = Promise.withResolvers<string>();
  await using world = bench({
    script: [work("a"), REACHED, "Done, and red."],
    tools: { work: { run: () => gate.promise } },
  });
  await world.say("/goal Paint");
  await until(() => world.ran.length > 0);
  await world.say("In red, please");
  gate.resolve("done");
  await until(() => isOver(world));
  assert.match(JSON.stringify(world.provider.requests[1]?.messages.at(-1)), /In red, please/);
  assert.equal(world.provider.requests.length, 3);
});

Deno.test("A goal that is reached while its next turn waits ends in one step with that turn", async () => {
  const working = Promise.withResolvers<string>();
  await using world = bench({
    script: [work("letters"), REACHED, "All is sorted."],
    tools: { work: { run: () => working.promise } },
  });
  const { journal } = world;
  journal.withdraw = () => Promise.reject(new Error("database is locked"));
  await world.say("Hello");
  await until(() => world.ran.length === 1);
  await world.say("/goal Sort");
  await until(async () => (await journal.counts()).inbounds.accepted === 1);
  working.resolve("done");
  await until(() => world.replies().some((text) => text.includes("All is sorted.")));
  assert.ok(await isOver(world));
  const { accepted, stopped } = (await journal.counts()).inbounds;
  assert.deepEqual({ accepted, stopped }, { accepted: 0, stopped: 1 });
  assert.equal(world.provider.requests.length, 3);
});

Deno.test("A goal that is reached while its next turn is not due yet is over", async () => {
  await using world = bench({
    script: [
      { error: providerError("provider_bad_request") },
      REACHED,
      "All is sorted.",
      "Once more.",
    ],
  });
  await world.say("/goal Sort");
  await until(() => world.replies().length === 2);
  await world.say("I did it myself");
  await until(() => world.replies().some((text) => text.includes("All is sorted.")));
  assert.ok(await isOver(world));
  await world.world.clock.advance(60_000);
  assert.equal(world.provider.requests.length, 3);
});

Deno.test("The goal tool says so where there is no goal", async () => {
  await using world = bench({ script: [REACHED, "Oh."] });
  await world.say("Hi");
  await world.quiet();
  assert.match(world.story().join("\n"), /Error.*Cannot judge a goal: none is set/);
});

Deno.test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
  "A goal whose process dies at commit %i takes each of its turns once",
  async (deadly) => {
    const script = (text: string): string | ScriptedAnswer => {
      const turn = Number(/.*\[Goal, turn (\d)/s.exec(text)?.[1]);
      const last = text.slice(text.lastIndexOf("[Goal, turn"));
      if (turn === 1) return "A long first piece. ".repeat(20);
      return last.includes("The goal is reached") ? "All done." : REACHED;
    };
    const answer = (messages: readonly unknown[]) => script(JSON.stringify(messages));
    let commits = 0;
    const death = Promise.withResolvers<void>();
    const options: SessionBenchOptions = {
      script: ({ messages }) => answer(messages),
    };
    const dying = bench({
      ...options,
      onCommit: (phase) => {
        if (phase === "after" && commits++ === deadly) death.resolve();
      },
    });
    await dying.say("/goal Sort");
    await Promise.race([death.promise, until(() => isOver(dying))]);
    const disk = dying.crash();
    await dying[Symbol.asyncDispose]();
    await using world = bench({ ...options, disk });
    world.session.tell({ type: "wake" });
    await until(() => isOver(world));
    await world.quiet();
    assert.equal(await stateOf(world), "reached");
    const turns = world.history().filter(({ role }) => role === "user").map(({ content }) =>
      /^\[Goal, turn (\d)/.exec(String(content))?.[1]
    );
    assert.deepEqual(turns, ["1", "2"]);
  },
);

Deno.test("A goal's turns come from inside, and are answered where it was set", async () => {
  await using world = bench({ script: [REACHED, "Done."] });
  const context = { thread: "t" };
  await world.say("/goal Sort", { context });
  await until(() => isOver(world));
  const rows = world.rows().filter(({ content }) => content === "Done.");
  assert.partialDeepStrictEqual(rows, [{ chatId: "oc_1", context, settles: [] }]);
  const note = await world.journal.note(OVER);
  const inbound = await world.journal.inbound(
    SYSTEM_CHANNEL,
    `goal:${Reflect.get(Object(note), "id")}:1`,
  );
  assert.equal(inbound?.state, "done");
});
