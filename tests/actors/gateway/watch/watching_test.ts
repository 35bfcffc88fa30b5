import assert from "node:assert/strict";
import { getLogger } from "@logtape/logtape";
import { topOf } from "../../../../actors/gateway/watch/top.ts";
import {
  watchedAudit,
  watchedProvider,
  watchedTools,
} from "../../../../actors/gateway/watch/watched_parts.ts";
import { Watching } from "../../../../actors/gateway/watch/watching.ts";
import { currentTrace, withTrace } from "../../../../actors/kernel/trace.ts";
import type { Activity, ActivityEnd } from "../../../../actors/session/watch.ts";
import type { ToolRunner } from "../../../../actors/tools/tool.ts";
import type { ChatEvent, ChatRequest } from "../../../../providers/provider.ts";
import { acting } from "../../../support/acting.ts";
import { CoreBench } from "../../../support/core_bench.ts";
import { LogRecorder } from "../../../support/log_recorder.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import {
  providerError,
  type ScriptedAnswer,
  ScriptedProvider,
} from "../../../support/scripted_provider.ts";
import { toolBench } from "../../../support/tool_context.ts";
import { isHelper, spawning, withHelpers } from "../../../support/subagents.ts";
import { testSystem } from "../../../support/system.ts";
import { settle, until } from "../../../support/until.ts";

const REQUEST: ChatRequest = {
  ...{ model: "m", messages: [], tools: [], tokensMax: 1, temperature: 0 },
  ...{ reasoningEffort: null, conversationId: "c" },
};

interface Seen {
  readonly activity: Activity;
  readonly end: ActivityEnd;
  readonly durationMs: number;
}

function watcher() {
  const clock = new ManualClock();
  const seen: Seen[] = [];
  const watching = new Watching({
    clock,
    onEnd: (activity, end, durationMs) => seen.push({ activity, end, durationMs }),
  });
  return { clock, seen, watching };
}

function provider(answer: ScriptedAnswer, watching: Watching) {
  const scripted = new ScriptedProvider([answer]);
  const chat = scripted.chat.bind(scripted);
  return watchedProvider({ name: "scripted", chat, preload: () => Promise.resolve() }, watching);
}

Deno.test("A watched model call passes everything on, and tells what it used", async () => {
  const { seen, watching } = watcher();
  const usage = { promptTokens: 3, completionTokens: 2, totalTokens: 5 };
  const watched = provider({ pieces: ["a", "b"], usage }, watching);
  const events = await Array.fromAsync(watched.chat(REQUEST, new AbortController().signal));
  assert.deepEqual(events.map(({ type }) => type), ["text", "text", "finished"]);
  assert.deepEqual(seen.map(({ end }) => end), [{ outcome: "answered", usage, retries: 0 }]);
  assert.deepEqual(watching.open, []);
});

Deno.test("A watched model call counts its retries and names its failure", async () => {
  const { seen, watching } = watcher();
  async function* chat(): AsyncGenerator<ChatEvent> {
    yield { type: "waiting", delayMs: 1, attempt: 1, reason: "busy" };
    const scripted = new ScriptedProvider([{ error: providerError("provider_overloaded") }]);
    yield* scripted.chat(REQUEST, new AbortController().signal);
  }
  const watched = watchedProvider({ name: "p", chat, preload: () => Promise.resolve() }, watching);
  await Array.fromAsync(watched.chat(REQUEST, new AbortController().signal));
  assert.deepEqual(seen[0]?.end, { outcome: "overloaded", retries: 1 });
});

Deno.test("A model call that nobody reads to its end is told of as aborted", async () => {
  const { seen, watching } = watcher();
  const watched = provider({ pieces: ["a", "b"] }, watching);
  for await (const _event of watched.chat(REQUEST, new AbortController().signal)) break;
  assert.deepEqual(seen.map(({ end }) => end.outcome), ["aborted"]);
  assert.deepEqual(watching.open, []);
});

Deno.test("A tool that nobody knows is told of under one name", async () => {
  const { seen, watching } = watcher();
  const tools: ToolRunner = {
    definitions: () => [{ name: "known", description: "", parameters: {} }],
    concurrency: () => "exclusive",
    run: (name) => Promise.resolve({ content: "", isError: name !== "known" }),
  };
  const watched = watchedTools(tools, watching);
  await using bench = await toolBench();
  await watched.run("known", {}, bench.context);
  await watched.run("ou_9", {}, bench.context);
  const told = seen.map(({ activity, end }) => [activity, end.outcome]);
  assert.deepEqual(told, [
    [{ kind: "tool_call", tool: "known" }, "ok"],
    [{ kind: "tool_call", tool: "unknown" }, "error"],
  ]);
});

Deno.test("Calls that were refused are told of besides being recorded", () => {
  const refused: string[] = [];
  const recorded: string[] = [];
  const audit = watchedAudit(
    { record: (entry) => void recorded.push(entry.kind) },
    (tool) => refused.push(tool),
  );
  const place = { channel: "c", sender: "s", session: "k", turn: "t", call: "1", tool: "exec" };
  const call = { ...place, kind: "call", arguments: {}, detail: "", resultChars: 0, durationMs: 0 };
  audit.record({ ...call, kind: "call", outcome: "refused" });
  audit.record({ ...call, kind: "call", outcome: "ok" });
  assert.deepEqual([refused, recorded], [["exec"], ["call", "call"]]);
});

Deno.test("A trace goes with awaits and callbacks, and ends with its work", async () => {
  const seen: (string | undefined)[] = [];
  await withTrace("t1", async () => {
    await Promise.resolve();
    await new Promise<void>((resolve) =>
      queueMicrotask(() => resolve(void seen.push(currentTrace())))
    );
    withTrace(undefined, () => seen.push(currentTrace()));
    withTrace("t2", () => seen.push(currentTrace()));
  });
  assert.deepEqual([...seen, currentTrace()], ["t1", "t1", "t2", undefined]);
});

Deno.test("An actor that is told something in a trace does not run in it", async () => {
  await using world = testSystem();
  const seen: (string | undefined)[] = [];
  const actor = world.system.spawn(acting<string>(async () => {
    seen.push(currentTrace());
    await Promise.resolve();
    seen.push(currentTrace());
  }));
  withTrace("t1", () => actor.tell("a"));
  actor.tell("b");
  await settle();
  assert.deepEqual(seen, [undefined, undefined, undefined, undefined]);
});

Deno.test("All that is logged in a turn names the turn", async () => {
  await using logs = await LogRecorder.start();
  const { seen, watching } = watcher();
  const logger = getLogger(["troupe", "test"]);
  await using bench = new CoreBench({
    services: { watch: watching },
    script: (request) => {
      logger.info("asked");
      const isFirst = request.messages.every(({ role }) => role !== "tool");
      return isFirst ? { calls: [{ name: "no_such_tool" }] } : "done";
    },
  });
  await settle();
  await bench.probe.say("c1", "hello");
  await settle();
  const [turn] = seen;
  assert.ok(turn?.activity.kind === "turn");
  assert.deepEqual(turn.end, { outcome: "done" });
  const { turnId } = turn.activity;
  const asked = logs.records.filter(({ category }) => category.at(-1) === "test");
  assert.equal(asked.length, 2);
  assert.deepEqual(asked.map(({ properties }) => properties["trace"]), [turnId, turnId]);
});

Deno.test("What a subagent logs names the turn that started it", async () => {
  await using logs = await LogRecorder.start();
  const { seen, watching } = watcher();
  const logger = getLogger(["troupe", "test"]);
  await using bench = new CoreBench({
    services: { watch: watching, ...withHelpers() },
    script: (request, index) => {
      if (!isHelper(request)) return index === 0 ? spawning("count") : "begun";
      logger.info("counts");
      return "ten";
    },
  });
  await settle();
  await bench.probe.say("c1", "hello");
  await until(() => logs.records.some(({ rawMessage }) => rawMessage === "counts"), {
    what: "the subagent's work",
  });
  await settle();
  const record = logs.records.find(({ rawMessage }) => rawMessage === "counts");
  const [turn] = seen;
  assert.ok(turn?.activity.kind === "turn");
  assert.equal(record?.properties["trace"], turn.activity.turnId);
});

Deno.test("A turn that is stopped is told of as stopped", async () => {
  const { seen, watching } = watcher();
  const { promise: never } = Promise.withResolvers<void>();
  await using bench = new CoreBench({
    services: { watch: watching },
    script: () => ({ text: "x", after: never }),
  });
  await settle();
  await bench.probe.say("c1", "hello");
  await settle();
  assert.equal(watching.open.length, 1);
  await bench.probe.say("c1", "/stop");
  await settle();
  assert.equal(seen[0]?.end.outcome, "stopped");
  assert.deepEqual(watching.open, []);
});

Deno.test("A look inside shows turns with what they wait for, and the fullest mailboxes", async () => {
  const { clock, watching } = watcher();
  await using bench = new CoreBench();
  const turn = watching.begin({ kind: "turn", turnId: "t1", sessionKey: "probe:c1" });
  await clock.advance(1_000);
  turn.run(() => watching.begin({ kind: "tool_call", tool: "exec" }));
  await clock.advance(2_000);
  const glances = () => [
    { name: "/a", state: "running" as const, waiting: 0, restarts: 0 },
    { name: "/b", state: "running" as const, waiting: 7, restarts: 0 },
  ];
  const sources = { now: () => clock.now(), report: () => bench.health(), glances, watching };
  const top = topOf({ ...sources, residentBytes: () => 1 }, await bench.health());
  assert.deepEqual(top.turns, [
    { turn: "t1", session: "probe:c1", forMs: 3_000, at: ["exec 2.0s"] },
  ]);
  assert.deepEqual(top.actors.map(({ name }) => name), ["/b", "/a"]);
  assert.deepEqual(top.channels, [{ name: "probe", state: "ready", restarts: 0, outbox: 0 }]);
});
