import assert from "node:assert/strict";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { sessionFileName } from "../../../actors/session/session_name.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import type { ChatRequest } from "../../../providers/provider.ts";
import { requestTokens } from "../../../actors/session/governance.ts";
import { BenchArchive } from "../../support/bench_archive.ts";
import {
  providerError,
  type Script,
  type ScriptedAnswer,
} from "../../support/scripted_provider.ts";
import { type Disk, SessionBench, type SessionBenchOptions } from "../../support/session_bench.ts";
import { settle, until } from "../../support/until.ts";

const WINDOW = { contextWindowTokens: 4_524, tokensMax: 500 }; // 3,000 tokens of input
const ANSWER_TOKENS = 300;
const FILE = "feishu_oc_1.jsonl";

/** Whether it is the consolidator that asks. */
function isSummary({ conversationId }: ChatRequest): boolean {
  return conversationId.endsWith("#summary");
}

/** Long answers, and what the test says for summaries. */
function talk(summary: Script = (_request, index) => `- fact ${index}`): Script {
  return (request, index) =>
    isSummary(request)
      ? summary(request, index)
      : `answer to ${lastWords(request)} ${"a".repeat(ANSWER_TOKENS * 4)}`;
}

function lastWords({ messages }: ChatRequest): string {
  const content = messages.at(-1)?.content;
  return typeof content === "string" ? content.split("\n").at(-1) ?? "" : "";
}

interface Made extends AsyncDisposable {
  readonly bench: SessionBench;
  readonly archive: BenchArchive;
  /** Says `question <n>` for each, and waits for the answers. */
  chat(from: number, to: number): Promise<void>;
  summaries(): ChatRequest[];
}

function made(
  summary?: Script,
  options: SessionBenchOptions & { readonly archive?: BenchArchive } = {},
): Made {
  const { archive = new BenchArchive(), ...rest } = options;
  const bench = new SessionBench({
    script: talk(summary),
    settings: WINDOW,
    services: { archive },
    ...rest,
  });
  return {
    bench,
    archive,
    chat: async (from, to) => {
      for (let n = from; n < to; n++) {
        await bench.say(`question ${n}`);
        await bench.quiet();
        await settle();
      }
    },
    summaries: () => bench.provider.requests.filter(isSummary),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

function metadataOf(bench: SessionBench): Record<string, unknown> {
  const lines = bench.files.lines(FILE).filter((line) =>
    typeof line === "object" && line !== null && "_type" in line
  );
  return Object(lines.at(-1));
}

function consolidated(bench: SessionBench): number {
  return Number(metadataOf(bench)["last_consolidated"]);
}

Deno.test("Consolidator leaves a conversation alone that has room", async () => {
  await using made_ = made();
  await made_.chat(0, 5);
  assert.equal(made_.summaries().length, 0);
  assert.deepEqual(made_.archive.kept, []);
});

Deno.test("Consolidator sums up what is oldest until half of the room is left", async () => {
  await using made_ = made();
  const { bench, archive } = made_;
  await made_.chat(0, 9);
  await until(() => archive.kept.length > 0 && consolidated(bench) > 0);
  const [request] = made_.summaries();
  assert.ok(request !== undefined);
  assert.match(String(request.messages[1]?.content), /\] USER: question 0\n/);
  assert.deepEqual(request.tools, []);
  const turns = consolidated(bench) / 2;
  assert.ok(Number.isInteger(turns), "it is cut at a user's message");
  const left = (8 - turns) * ANSWER_TOKENS;
  assert.ok(left > 500 && left <= 1_600, `${left} tokens are left`);
  assert.equal(bench.history().length, 18, "the lines stay in the file");
  assert.match(archive.texts[0] ?? "", /^- fact/);
});

Deno.test("Consolidator leaves a turn whole that is too long by itself", async () => {
  await using made_ = made(undefined, { script: (request) => `${lastWords(request)} done` });
  await made_.bench.say("x".repeat(16_000));
  await made_.bench.quiet();
  await settle();
  assert.equal(made_.bench.permitsOut(), 0);
  assert.deepEqual(made_.archive.kept, []);
  await made_.bench.world.clock.advance(60_000);
  await until(() => made_.bench.router.received.some(({ type }) => type === "session_idle"));
});

Deno.test("Consolidator lets the model see the summary from then on, beside what is said", async () => {
  await using made_ = made(() => "- likes tea");
  const { bench, archive } = made_;
  await made_.chat(0, 9);
  await until(() => consolidated(bench) > 0);
  for (const n of [9, 10]) {
    await made_.chat(n, n + 1);
    const request = bench.provider.requests.findLast((request) => !isSummary(request));
    const content = String(request?.messages.at(-1)?.content);
    assert.match(content, /Summary of the conversation before what is shown.*:\n- likes tea\n/);
    assert.ok(!JSON.stringify(request?.messages).includes("question 0"));
  }
  assert.ok(!JSON.stringify(bench.history()).includes("Summary of the conversation"));
  assert.equal(archive.kept[0]?.kind, "summary");
});

Deno.test("Consolidator adds what further rounds say to what is known already", async () => {
  await using made_ = made();
  const { bench } = made_;
  await made_.chat(0, 20);
  await until(() => made_.summaries().length >= 3);
  await settle();
  const { _last_summary: { text } } = Object(metadataOf(bench)["metadata"]);
  const facts = text.split("\n");
  assert.ok(facts.length >= 3, text);
  assert.deepEqual(made_.archive.texts.slice(0, facts.length), facts);
});

Deno.test("Consolidator sums up beside a turn, and drops no message that comes meanwhile", async () => {
  const gate = Promise.withResolvers<void>();
  await using made_ = made(() => ({ text: "- late", after: gate.promise }));
  const { bench, archive } = made_;
  await made_.chat(0, 9);
  assert.equal(archive.kept.length, 0);
  await made_.chat(9, 12);
  assert.equal(bench.replies().length, 12, "messages are answered meanwhile");
  gate.resolve();
  await until(() => consolidated(bench) > 0);
  assert.equal(bench.history().length, 24);
  await made_.chat(12, 13);
  const last = bench.provider.requests.findLast((request) => !isSummary(request));
  assert.match(JSON.stringify(last?.messages), /question 11/);
});

Deno.test.each<[string, ScriptedAnswer]>([
  ["the model fails", { error: providerError("provider_overloaded", "busy") }],
  ["the summary is cut off", { text: "- half", finishReason: "length" }],
  ["the model asks for a tool", { calls: [{ name: "exec" }] }],
  ["the model says nothing", { text: " " }],
])("Consolidator keeps a stretch as it is, once, when %s", async (_name, answer) => {
  await using made_ = made(() => answer);
  const { bench, archive } = made_;
  await made_.chat(0, 9);
  await until(() => consolidated(bench) > 0);
  const [entry] = archive.kept;
  assert.match(entry?.content ?? "", /^\[RAW\] \d+ messages\n\[.*\] USER: question 0\n/);
  assert.ok(!entry?.content.includes("busy"), "an error's text is not kept");
  assert.equal(entry?.kind, "raw");
  const moved = consolidated(bench);
  await made_.chat(9, 14);
  assert.equal(archive.kept.length, 1, "it waits before it asks again");
  assert.equal(consolidated(bench), moved);
  await bench.world.clock.advance(60_000);
  await made_.chat(14, 15);
  await until(() => archive.kept.length === 2);
  assert.ok(!archive.texts[1]?.includes("question 0\n"), "no stretch is kept twice");
});

Deno.test("Consolidator keeps nothing where the model finds nothing worth keeping", async () => {
  await using made_ = made(() => "(nothing)");
  const { bench, archive } = made_;
  await made_.chat(0, 9);
  await until(() => consolidated(bench) > 0);
  assert.deepEqual(archive.kept, []);
  assert.deepEqual(metadataOf(bench)["metadata"], {});
});

Deno.test("Consolidator asks once more with half of it when a stretch is too long", async () => {
  await using made_ = made((request) =>
    requestTokens(request.messages, []) > 1_300
      ? { error: providerError("provider_context_too_long", "too long") }
      : "- short"
  );
  const { bench, archive } = made_;
  await made_.chat(0, 9);
  await until(() => consolidated(bench) > 0);
  assert.deepEqual(archive.texts, ["- short"]);
});

Deno.test("Consolidator books what its calls use", async () => {
  const usage = { promptTokens: 1_000, completionTokens: 10, totalTokens: 1_010 };
  await using made_ = made(() => ({ text: "- fact", usage }));
  const { bench } = made_;
  await made_.chat(0, 9);
  await until(() => consolidated(bench) > 0);
  const [row] = await bench.journal.usage({
    scope: "session",
    from: "feishu:oc_1",
    to: "feishu:oc_1",
  });
  assert.equal(row?.calls, 10);
});

Deno.test("Consolidator asks nobody while a budget is spent", async () => {
  const usage = { promptTokens: 1_000, completionTokens: 10, totalTokens: 1_010 };
  await using made_ = made(undefined, {
    budgets: { perDay: { tokens: null, usd: null }, perSession: { tokens: 8_000, usd: null } },
    script: (request) => ({ text: `${lastWords(request)} ${"a".repeat(1_200)}`, usage }),
  });
  await made_.chat(0, 8);
  assert.equal(made_.summaries().length, 0);
  assert.deepEqual(made_.archive.kept, []);
});

Deno.test("Consolidator takes a permit of its own, and waits for it beside the turns", async () => {
  await using made_ = made(undefined, { grantsPermits: false });
  const { bench, archive } = made_;
  for (let n = 0; n < 8; n++) {
    await bench.say(`question ${n}`);
    await until(() => bench.permitsOut() === 1);
    bench.grant();
    await bench.quiet();
  }
  await until(() => bench.permitsOut() === 1);
  assert.equal(made_.summaries().length, 0);
  bench.grant();
  await until(() => archive.kept.length === 1);
  await until(() => bench.permitsOut() === 0);
});

Deno.test("Consolidator appends a stretch once, wherever the process dies", async () => {
  for (let dies = 0;; dies++) {
    const archive = new BenchArchive();
    const disk = await untilDeath(archive, dies);
    if (disk === undefined) break;
    await using next = made(undefined, { archive, disk });
    await next.chat(9, 11);
    await until(() => consolidated(next.bench) > 0, { what: `commit ${dies}` });
    await settle();
    assert.equal(new Set(archive.texts).size, archive.kept.length);
    const chunks = next.summaries().map(({ messages }) => String(messages[1]?.content));
    assert.ok(chunks.length <= 2);
    assert.equal(archive.kept.filter(({ kind }) => kind === "summary").length, archive.kept.length);
    assert.ok(next.bench.history().length >= 20, "no line is lost");
  }
});

/** Talks until the consolidator's commit number `dies` kills the process; undefined: there is none. */
async function untilDeath(archive: BenchArchive, dies: number): Promise<Disk | undefined> {
  let commits = -1;
  let mustDie = false;
  await using first = made(undefined, {
    archive,
    onCommit: (phase) => {
      if (phase === "after" || commits < 0) return;
      if (commits++ >= dies) mustDie = true;
      if (mustDie) throw new Error("the process dies");
    },
  });
  await first.chat(0, 8);
  commits = 0;
  await first.bench.say("question 8").catch(() => {});
  await until(() => mustDie || consolidated(first.bench) > 0);
  await settle();
  return mustDie ? first.bench.crash() : undefined;
}

Deno.test("Consolidator says of an entry whether owners alone speak through it", async () => {
  const archive = new BenchArchive("global", ({ senderId }) => senderId === "ou_1");
  await using made_ = made(undefined, { archive });
  const { bench } = made_;
  for (let n = 0; n < 24; n++) {
    await bench.say(`question ${n}`, { senderId: n === 1 ? "ou_2" : "ou_1" });
    await bench.quiet();
    await settle();
  }
  await until(() => archive.kept.length >= 3);
  assert.deepEqual(archive.kept.slice(0, 3).map(({ isOwners = false }) => isOwners), [
    ...[false, true, true],
  ]);
});

Deno.test("What a thread's older lines hold goes to the memory that is read there", async () => {
  const archive = new BenchArchive("chat");
  const sessionKey = "slack:C1:1712345678.000100";
  const old = Array.from({ length: 16 }, (_, n) =>
    JSON.stringify({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `before the setting was made ${n} ${"a".repeat(900)}`,
    }));
  const metadata = { _type: "metadata", key: sessionKey, metadata: {}, last_consolidated: 0 };
  const files = {
    [sessionFileName(sessionKey)]: `${[JSON.stringify(metadata), ...old].join("\n")}\n`,
  };
  const journal = new MemoryJournal({ clock: new ManualClock(), defer: nextTurn });
  const disk = { rows: journal.rows(), files };
  await using made_ = made(undefined, { archive, sessionKey, disk });
  for (let n = 0; n < 3; n++) {
    await made_.bench.say(`in the thread ${n}`, { channel: "slack", chatId: "C1" });
    await until(() => archive.kept.length > 0, { what: "a summary" });
  }
  assert.deepEqual([...new Set(archive.kept.map(({ scope }) => scope))], ["chat:slack:C1"]);
});
