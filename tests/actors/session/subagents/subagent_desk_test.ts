import assert from "node:assert/strict";
import { z } from "zod";
import { SYSTEM_CHANNEL } from "../../../../actors/journal/journal.ts";
import type { ApprovalPort } from "../../../../actors/session/approval.ts";
import type { GateMessage, SubagentRules } from "../../../../actors/session/ports.ts";
import type { AuditEntry } from "../../../../actors/tools/audit/audit_entry.ts";
import { defineTool, textResult } from "../../../../actors/tools/define_tool.ts";
import type { HooksPort } from "../../../../actors/tools/hooks/hook_event.ts";
import type { Tool, ToolContext } from "../../../../actors/tools/tool.ts";
import type { ChatRequest } from "../../../../providers/provider.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { Probe } from "../../../support/probe.ts";
import { providerError, type ScriptedAnswer } from "../../../support/scripted_provider.ts";
import { SessionBench, type SessionBenchOptions } from "../../../support/session_bench.ts";
import {
  isHelper,
  lastSaid,
  openPlaces,
  spawning,
  taskIn,
  withHelpers,
} from "../../../support/subagents.ts";
import { settle, until } from "../../../support/until.ts";

type Answer = string | ScriptedAnswer;

interface Helpers extends Omit<SessionBenchOptions, "tools" | "script"> {
  /** What a subagent says to its n-th request. */
  readonly helper: (request: ChatRequest, index: number) => Answer;
  /** What the session says. @default it starts one for "go", and tells what it hears otherwise */
  readonly main?: (request: ChatRequest) => Answer;
  readonly rules?: Partial<SubagentRules>;
  readonly tools?: readonly Tool[];
}

const NEVER = new Promise<never>(() => {});
const STUCK: ScriptedAnswer = { text: "never", after: NEVER };

/** A session with subagents. */
function helped({ helper, main = told, rules = {}, tools = [], ...options }: Helpers) {
  let asked = 0;
  return new SessionBench({
    ...options,
    script: (request) => isHelper(request) ? helper(request, asked++) : main(request),
    services: {
      ...withHelpers(undefined, { rules, tools }),
      subagentPlaces: openPlaces(),
      ...options.services,
    },
  });
}

function told(request: ChatRequest): Answer {
  const said = lastSaid(request);
  if (said.endsWith("go")) return spawning("look around");
  if (said.includes("Result of a subagent")) return "here is what it found";
  return `heard ${said.split("\n").at(-1)}`;
}

/** A tool of the test. */
function tool(name: string, run: (context: ToolContext) => string | Promise<string>): Tool {
  return defineTool({
    name,
    description: name,
    parameters: z.object({ n: z.number().optional() }),
    needs: {},
    concurrency: "exclusive",
    timeoutMs: 600_000,
    run: async (_, context) => textResult(await run(context)),
  });
}

/** The message in which a result came. */
function resultIn(bench: SessionBench): string {
  const line = bench.history().find((message) =>
    message.role === "user" && String(message.content).includes("Result of a subagent")
  );
  return String(line?.content ?? "");
}

/** Waits for a result, which may join the turn that started the subagent. */
async function reported(bench: SessionBench): Promise<string> {
  await until(() => resultIn(bench) !== "", { what: "a result" });
  await bench.quiet();
  return resultIn(bench);
}

async function started(bench: SessionBench, content: string = "go"): Promise<void> {
  await bench.say(content);
  await until(() => bench.provider.requests.some(isHelper), { what: "a subagent at work" });
  await until(() => bench.replies().length === 1, { what: "the first answer" });
}

Deno.test("A subagent's result begins a turn of an idle session, and the model sees it", async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = helped({ helper: () => ({ text: "three files", after: gate.promise }) });
  await bench.say("go", { context: { thread: "t1" } });
  await until(() => bench.replies().length === 1);
  gate.resolve();
  await until(() => bench.replies().length === 2);
  await bench.quiet();
  assert.equal(bench.replies().at(-1), "here is what it found");
  assert.deepEqual(bench.rows().at(-1)?.context, { thread: "t1" });
  const request = bench.provider.requests.find((asked) =>
    !isHelper(asked) && lastSaid(asked).includes("Result of a subagent")
  );
  const said = lastSaid(request ?? assert.fail("the model sees the result"));
  assert.match(said, /From: a subagent that you started/);
  assert.match(said, /"look around" \(\S+\), completed\]/);
  assert.match(said, /⟦Untrusted content from subagent[^]*three files\n⟦End of untrusted content⟧/);
  const line = bench.history().find((message) => "subagent_task_id" in message);
  assert.ok(line !== undefined && "injected_event" in line);
  assert.equal(line.injected_event, "subagent_result");
});

Deno.test("A subagent's result joins the turn that runs in its chat", async () => {
  const gate = Promise.withResolvers<string>();
  await using bench = helped({
    helper: () => "three files",
    main: (request) => {
      const said = lastSaid(request);
      if (said.endsWith("go")) return spawning("look around");
      if (said.startsWith("Started the subagent")) return { calls: [{ name: "wait" }] };
      return said.includes("three files") ? "one answer with all" : "too early";
    },
    tools: [tool("wait", () => gate.promise)],
  });
  await bench.say("go");
  await until(async () => {
    const row = bench.journal.rows().inbounds.find(({ channel }) => channel === SYSTEM_CHANNEL);
    await settle();
    return row?.draft === null;
  }, { what: "the result" });
  gate.resolve("waited");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["one answer with all"]);
});

Deno.test("A message of the person joins the turn that tells of a result", async () => {
  const gate = Promise.withResolvers<string>();
  await using bench = helped({
    helper: () => "three files",
    main: (request) => {
      const said = lastSaid(request);
      if (said.endsWith("go")) return spawning("look around");
      if (said.includes("Result of a subagent")) return { calls: [{ name: "wait" }] };
      return said.endsWith("and now?") ? "all of it" : "on its way";
    },
    tools: [tool("wait", () => gate.promise)],
  });
  await bench.say("go");
  const isTelling = () =>
    bench.provider.requests.some((request) => lastSaid(request).includes("Result of a subagent"));
  await until(isTelling);
  await bench.say("and now?");
  gate.resolve("waited");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["on its way", "all of it"]);
});

Deno.test("Hooks hear of a subagent's calls, and refuse them", async () => {
  const told: string[] = [];
  const hooks: HooksPort = {
    tell: (news) => {
      if (news.event === "tool_after") told.push(`${news.source} ${news.tool} ${news.outcome}`);
    },
    refusal: ({ tool }) => Promise.resolve(tool === "look" ? "eyes are closed" : null),
  };
  await using bench = helped({
    helper: (_, index) => [{ calls: [{ name: "look" }] }, "done"][index] ?? assert.fail("no more"),
    tools: [tool("look", () => assert.fail("it ran"))],
    services: { hooks },
  });
  await bench.say("go");
  await reported(bench);
  assert.deepEqual(told, ["person spawn ok", "subagent look error"]);
  const results = JSON.stringify(bench.provider.requests.filter(isHelper).at(-1)?.messages);
  assert.match(results, /look was not allowed: eyes are closed/);
});

Deno.test("A subagent has the session's tools but those for people, and what it uses counts", async () => {
  const seen: ToolContext[] = [];
  await using bench = helped({
    helper: (_, index) =>
      [{ calls: [{ name: "look" }, { name: "spawn", args: { task: "more" } }] }, "done"][index] ??
        assert.fail("no more calls"),
    tools: [tool("look", (context) => (seen.push(context), "seen")), tool("my", () => "no")],
  });
  await bench.say("go", { senderId: "ou_7" });
  await reported(bench);
  const [first, second] = bench.provider.requests.filter(isHelper);
  assert.deepEqual(first?.tools.map(({ name }) => name), ["look"]);
  assert.match(JSON.stringify(second?.messages), /spawn is not there for subagents/);
  assert.deepEqual(seen.map(({ origin }) => origin), [{
    channel: "feishu",
    chatId: "oc_1",
    sessionKey: "feishu:oc_1",
    senderId: "ou_7",
    source: "subagent",
    sentFiles: [],
  }]);
  await assert.rejects(
    async () => await seen[0]?.send({ channel: "feishu", chatId: "x", content: "", media: [] }),
    { code: "not_available" },
  );
  const usage = await bench.journal.usage({
    scope: "session",
    from: "feishu:oc_1",
    to: "feishu:oc_1",
  });
  assert.equal(usage.reduce((sum, { calls }) => sum + calls, 0), bench.provider.requests.length);
});

Deno.test("Whoever waits for a subagent has its result in the call, and no permit meanwhile", async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = helped({
    helper: () => ({ text: "three files", after: gate.promise }),
    main: (request) =>
      lastSaid(request).endsWith("go")
        ? { calls: [{ name: "spawn", args: { task: "look", wait: true } }] }
        : `got ${lastSaid(request)}`,
  });
  await bench.say("go");
  await until(() => bench.provider.running === 1 && bench.provider.requests.some(isHelper));
  assert.equal(bench.permitsOut(), 1, "the subagent's only");
  gate.resolve();
  await bench.quiet();
  assert.match(bench.replies()[0] ?? "", /^got \[Subagent "look": completed\][^]*three files/);
  await until(() => bench.permitsOut() === 0);
});

Deno.test("A call that waited too long for a subagent ends it, and the turn has a permit again", async () => {
  const clock = new ManualClock();
  await using bench = helped({
    helper: () => STUCK,
    main: (request) =>
      lastSaid(request).endsWith("go")
        ? { calls: [{ name: "spawn", args: { task: "look", wait: true } }] }
        : { text: `got ${lastSaid(request)}`, after: gate.promise },
    services: withHelpers(clock),
  });
  const gate = Promise.withResolvers<void>();
  await bench.say("go");
  await until(() => bench.provider.requests.some(isHelper));
  await clock.advance(200_000);
  await until(() => bench.provider.requests.length === 3);
  await until(() => bench.provider.running === 1, { what: "the end of the subagent" });
  assert.equal(bench.permitsOut(), 1, "the turn's");
  gate.resolve();
  await bench.quiet();
  assert.match(bench.replies()[0] ?? "", /^got Error: "spawn" took longer/);
});

Deno.test("A question of a subagent is void after a restart", async () => {
  const approval: ApprovalPort = {
    timeoutMs: 60_000,
    mayAsk: () => false,
    mustAsk: (name) => Promise.resolve(name === "exec"),
    canAsk: () => true,
    mayDecide: () => true,
    shown: (args) => args,
  };
  const before = helped({
    helper: () => ({ calls: [{ name: "exec" }] }),
    tools: [tool("exec", () => "ran")],
    services: { approval },
  });
  await using _ = before;
  await before.say("go");
  await until(() => before.replies().length === 2, { what: "an answer and a question" });
  await settle();
  const disk = before.crash();
  await using bench = helped({ helper: () => "never asked", disk, services: { approval } });
  await until(() => bench.replies().length === 2);
  assert.ok(bench.replies().some((text) => text.startsWith("My question about exec is void")));
});

Deno.test.each(["/stop", "/new"])("%s ends subagents, and says how many", async (command) => {
  await using bench = helped({
    helper: () => STUCK,
    main: (request) => lastSaid(request).endsWith("go") ? spawning("a", "b") : "they work",
  });
  await started(bench);
  await bench.say("/status");
  await until(() => bench.replies().length === 2);
  assert.match(bench.replies()[1] ?? "", /Tasks: 2 active\n- subagent a \(thinking\)/);
  await bench.say(command);
  await bench.quiet();
  assert.match(bench.replies()[2] ?? "", /2 subagents/);
  await until(() => bench.provider.running === 0, { what: "their end" });
  await until(() => bench.permitsOut() === 0);
  assert.equal(resultIn(bench), "");
  const { inbounds } = await bench.journal.counts();
  assert.deepEqual([inbounds.stopped, inbounds.done], [2, 3]);
});

Deno.test.each(["/stop", "/new", "/undo"])(
  "%s ends a subagent that was started while it waited, and leaves nothing of it",
  async (name) => {
    const gate = Promise.withResolvers<void>();
    await using bench = helped({
      helper: () => STUCK,
      main: (request) =>
        lastSaid(request).endsWith("go")
          ? { ...spawning("look around"), after: gate.promise }
          : "it works",
    });
    await bench.say("go");
    await until(() => bench.provider.running === 1, { what: "a turn at work" });
    const command = await bench.accept(name);
    gate.resolve();
    await until(() => bench.provider.requests.some(isHelper), { what: "a subagent at work" });
    bench.session.tell({ type: "inbound_accepted", inbound: command });
    await bench.quiet();
    await until(() => bench.provider.running === 0, { what: "its end" });
    const { inbounds } = await bench.journal.counts();
    assert.equal(inbounds.accepted ?? 0, 0, "its row does not wait for ever");
  },
);

Deno.test("/stop ends a subagent that a turn waits for", async () => {
  await using bench = helped({
    helper: () => STUCK,
    main: () => ({ calls: [{ name: "spawn", args: { task: "look", wait: true } }] }),
  });
  await bench.say("go");
  await until(() => bench.provider.requests.some(isHelper));
  await bench.say("/stop");
  await bench.quiet();
  await until(() => bench.provider.running === 0 && bench.permitsOut() === 0);
  assert.match(bench.replies().join("\n"), /Stopped 1 running message/);
});

Deno.test("A subagent that was under way when the process died is reported as interrupted", async () => {
  const before = helped({ helper: () => STUCK });
  await using _ = before;
  await started(before);
  const disk = before.crash();
  await using bench = helped({ helper: () => "never asked", disk });
  await until(() => bench.replies().length === 1);
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["here is what it found"]);
  assert.match(resultIn(bench), /"look around" \(\S+\), failed\][^]*interrupted/);
  assert.ok(!bench.provider.requests.some(isHelper), "nothing runs again by itself");
});

Deno.test("A subagent that breaks is reported, and the session goes on", async () => {
  await using bench = helped({
    helper: () => "never",
    rules: { systemPrompt: () => Promise.reject(new Error("no prompt today")) },
  });
  await bench.say("go");
  assert.match(await reported(bench), /failed\][^]*no prompt today/);
});

Deno.test("A subagent whose actor fails is reported, and the session goes on", async () => {
  const grantsTwice = new Probe<GateMessage>({
    onMessage: (message) => {
      if (message.type !== "request_permit") return;
      const { holder, requestId } = message;
      for (let n = 0; n < 2; n++) holder.tell({ type: "permit_granted", requestId });
    },
  });
  await using bench = helped({
    helper: () => STUCK,
    services: { subagentPlaces: grantsTwice },
  });
  await bench.say("go");
  assert.match(await reported(bench), /failed\][^]*a subagent begins once/);
});

Deno.test("A subagent whose model fails says why", async () => {
  await using bench = helped({
    helper: () => ({ error: providerError("provider_auth", "The model is away.") }),
  });
  await bench.say("go");
  assert.match(await reported(bench), /failed\][^]*The model is away\./);
});

Deno.test("A subagent whose time is up reports what it has", async () => {
  await using bench = helped({
    helper: (_, index) => index === 0 ? { text: "first I look", calls: [{ name: "look" }] } : STUCK,
    tools: [tool("look", () => "a clue")],
  });
  await started(bench);
  await until(() => bench.provider.requests.filter(isHelper).length === 2);
  await bench.world.clock.advance(60_000);
  const result = await reported(bench);
  assert.match(result, /incomplete\][^]*time was up after 1 minutes/);
  assert.match(result, /first I look[^]*- look \(ok\): a clue/);
});

Deno.test.each([
  { name: "rounds", rules: { iterationsMax: 2 }, says: /limit of 2 rounds/, calls: 2 },
  { name: "tokens", rules: { tokensMax: 150 }, says: /used up its tokens/, calls: 2 },
])("A subagent ends at its limit of $name", async ({ rules, says, calls }) => {
  const usage = { promptTokens: 90, completionTokens: 10, totalTokens: 100 };
  await using bench = helped({
    helper: (_, index) => ({ calls: [{ name: "look", args: { n: index } }], usage }),
    tools: [tool("look", () => "seen")],
    rules,
  });
  await bench.say("go");
  assert.match(await reported(bench), says);
  assert.equal(bench.provider.requests.filter(isHelper).length, calls);
});

Deno.test("A subagent ends where the session's budget is spent", async () => {
  const usage = { promptTokens: 900, completionTokens: 100, totalTokens: 1_000 };
  const none = { tokens: null, usd: null };
  await using bench = helped({
    helper: (_, index) => ({ calls: [{ name: "look", args: { n: index } }], usage }),
    tools: [tool("look", () => "seen")],
    budgets: { perDay: none, perSession: { tokens: 3_000, usd: null } },
  });
  await bench.say("go");
  const row = () => bench.journal.rows().inbounds.find(({ channel }) => channel === SYSTEM_CHANNEL);
  await until(() => row()?.draft === null, { what: "its report" });
  assert.match(row()?.content ?? "", /incomplete\][^]*budget/);
});

Deno.test("A subagent's long result stands in a file, its marks kept", async () => {
  await using bench = helped({ helper: () => "x".repeat(5_000) });
  await bench.say("go");
  const result = await reported(bench);
  const [kept] = bench.written.values();
  assert.match(kept ?? "", /^⟦Untrusted[^]*⟦End of untrusted content⟧$/);
  assert.ok(result.length < 3_000);
  assert.match(result, /kept in \S+[^]*⟦End of untrusted content⟧/);
});

Deno.test("Owners are asked about the calls of two subagents one after the other", async () => {
  const audited: AuditEntry[] = [];
  const approval: ApprovalPort = {
    timeoutMs: 60_000,
    mayAsk: (name) => name === "exec",
    mustAsk: (name) => Promise.resolve(name === "exec"),
    canAsk: ({ channel }) => channel === "feishu",
    mayDecide: () => true,
    shown: (args) => args,
  };
  await using bench = helped({
    helper: (request) => request.messages.length === 2 ? { calls: [{ name: "exec" }] } : "ran it",
    main: (request) => lastSaid(request).endsWith("go") ? spawning("a", "b") : "fine",
    tools: [tool("exec", () => "ran")],
    services: { approval, audit: { record: (entry) => audited.push(entry) } },
  });
  const questions = () => bench.replies().filter((text) => text.startsWith("May I use"));
  await bench.say("go");
  await until(() => questions().length === 1 && bench.replies().includes("fine"));
  await settle();
  assert.equal(questions().length, 1);
  await bench.say("yes");
  await until(() => questions().length === 2);
  await bench.say("no");
  await bench.quiet();
  const turns = audited.filter((entry) => entry.kind === "approval").map(({ turn }) => turn);
  assert.ok(turns.every((turn) => turn.startsWith("subagent:")), turns.join());
  assert.equal(new Set(turns).size, 2);
  const calls = audited.filter((entry) => entry.kind === "call" && entry.tool === "exec");
  assert.deepEqual(calls.map((call) => call.kind === "call" && call.outcome), ["ok", "refused"]);
});

Deno.test("A session starts 32 subagents at a time, and says so past that", async () => {
  const tasks = Array.from({ length: 33 }, (_, index) => `t${index}`);
  await using bench = helped({
    helper: () => STUCK,
    main: (request) => lastSaid(request).endsWith("go") ? spawning(...tasks) : lastSaid(request),
  });
  await started(bench);
  assert.match(bench.replies()[0] ?? "", /^Error: .*32 are under way/);
  await bench.say("and I?");
  await until(() => bench.replies().length === 2, { what: "an answer while they work" });
});

Deno.test("A session does not sleep while its subagents work", async () => {
  await using bench = helped({ helper: () => STUCK, rules: { timeoutMs: 600_000 } });
  await started(bench);
  await bench.world.clock.advance(200_000);
  assert.ok(!bench.router.received.some(({ type }) => type === "session_idle"));
});

Deno.test("The steps of a subagent are shown in its chat where that is wanted", async () => {
  await using bench = helped({
    helper: (_, index) => index === 0 ? { calls: [{ name: "look" }] } : "done",
    tools: [tool("look", () => "seen")],
    rules: { showsProgress: true },
  });
  await bench.say("go");
  await reported(bench);
  const shown = bench.outboxes.get("feishu")?.received
    .flatMap((message) => message.type === "progress" ? [message.text] : []);
  assert.ok(shown?.some((text) => text.startsWith("look around: ")), "its step is shown");
});

Deno.test("A subagent is asked with its task, and not with the conversation", async () => {
  await using bench = helped({ helper: () => "done" });
  await bench.say("a secret of mine");
  await until(() => bench.replies().length === 1);
  await bench.say("go");
  await until(() => bench.provider.requests.some(isHelper));
  const request = bench.provider.requests.find(isHelper) ?? assert.fail();
  assert.equal(taskIn(request), "look around");
  assert.doesNotMatch(JSON.stringify(request.messages), /a secret of mine/);
  await bench.quiet();
});
