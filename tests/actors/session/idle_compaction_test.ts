import assert from "node:assert/strict";
import type { CompactSession } from "../../../actors/session/ports.ts";
import {
  type DatedFile,
  idleCompactionActor,
  type IdleCompactionActorMessage,
} from "../../../actors/session/idle_compaction.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import { encodeMessageLine } from "../../../actors/session/session_file.ts";
import type { ChatMessage } from "../../../providers/provider.ts";
import { BenchArchive } from "../../support/bench_archive.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { MemorySessionFiles } from "../../support/memory_session_files.ts";
import { Probe } from "../../support/probe.ts";
import { providerError, type ScriptedAnswer } from "../../support/scripted_provider.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { type TestSystem, testSystem } from "../../support/system.ts";
import { settle, until } from "../../support/until.ts";

const FILE = "feishu_oc_1.jsonl";
const MINUTE_MS = 60_000;
const IDLE_MS = 30 * MINUTE_MS;
const NOW_MS = new ManualClock().now();
const LONG_AGO_MS = NOW_MS - 1_000_000_000;

/** Lines of turns with a question and an answer each. */
function turns(count: number): ChatMessage[] {
  return Array.from({ length: count }, (_, n): ChatMessage[] => [
    { role: "user", content: `question ${n}` },
    { role: "assistant", content: `answer ${n}` },
  ]).flat();
}

interface FileOptions {
  readonly consolidated?: number;
  readonly metadata?: Record<string, string>;
  readonly atMs?: number;
}

function fileOf(messages: readonly ChatMessage[], options: FileOptions = {}): string {
  const { consolidated = 0, metadata = {}, atMs = LONG_AGO_MS } = options;
  const head = JSON.stringify({
    _type: "metadata",
    key: "feishu:oc_1",
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
    metadata,
    last_consolidated: consolidated,
  });
  const lines = messages.map((message, line) =>
    encodeMessageLine(message, { timestampMs: atMs, lineId: `old:${line}` })
  );
  return [head, ...lines].map((line) => `${line}\n`).join("");
}

interface World extends AsyncDisposable {
  readonly bench: SessionBench;
  readonly archive: BenchArchive;
  readonly told: Probe<{ readonly type: string; readonly sessionKey: string }>;
  compact(): Promise<void>;
  metadata(): Record<string, unknown>;
}

function world(
  text: string,
  summary: (index: number) => string | ScriptedAnswer = (index) => `- fact ${index}`,
): World {
  const archive = new BenchArchive();
  const told = new Probe<{ readonly type: string; readonly sessionKey: string }>();
  const bench = new SessionBench({
    script: ({ conversationId }, index) =>
      conversationId.endsWith("#summary") ? summary(index) : `reply ${index}`,
    services: { archive, compaction: told },
    disk: { rows: emptyRows(), files: { [FILE]: text } },
  });
  return {
    bench,
    archive,
    told,
    compact: async () => {
      bench.session.tell({ type: "compact", idleMs: IDLE_MS });
      await settle();
    },
    metadata: () => {
      const lines = bench.files.lines(FILE);
      return Object(lines.findLast((line) => Object(line)["_type"] === "metadata"));
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

function emptyRows() {
  return new SessionBench().journal.rows();
}

function isCompacted({ told }: World): boolean {
  return told.received.some(({ type }) => type === "session_compacted");
}

Deno.test("An idle conversation keeps its newest eight messages, from a user's on", async () => {
  await using made = world(fileOf(turns(6)));
  await made.compact();
  await until(() => isCompacted(made));
  assert.equal(made.bench.history().length, 8);
  assert.match(made.bench.story()[0] ?? "", /user question 2/);
  assert.equal(made.metadata()["last_consolidated"], 0);
  assert.deepEqual(made.archive.texts, ["- fact 0"]);
  const [request] = made.bench.provider.requests;
  assert.equal(String(request?.messages[1]?.content).split("\n").length, 4);
});

Deno.test("An idle conversation is summed up only as far as it was not before", async () => {
  await using made = world(fileOf(turns(14), { consolidated: 18 }));
  await made.compact();
  await until(() => isCompacted(made));
  const [request] = made.bench.provider.requests;
  assert.equal(String(request?.messages[1]?.content).split("\n").length, 2);
  assert.equal(made.bench.history().length, 8);
});

Deno.test("A long idle conversation is summed up stretch by stretch", async () => {
  await using made = world(fileOf(turns(104)));
  await made.compact();
  await until(() => isCompacted(made));
  assert.equal(made.bench.history().length, 8);
  assert.equal(made.archive.kept.length, 4);
});

Deno.test("Compacting makes no session look as if somebody had just used it", async () => {
  await using made = world(fileOf(turns(6)));
  await made.compact();
  await until(() => isCompacted(made));
  assert.equal(made.metadata()["updated_at"], new Date(LONG_AGO_MS).toISOString());
});

Deno.test.each<[string, ScriptedAnswer]>([
  ["fails", { error: providerError("provider_overloaded") }],
  ["finds nothing worth keeping", { text: "(nothing)" }],
])("An idle conversation keeps its end when the model %s", async (_name, answer) => {
  await using made = world(fileOf(turns(6)), () => answer);
  await made.compact();
  await until(() => isCompacted(made));
  assert.equal(made.bench.history().length, 8);
  assert.deepEqual(made.metadata()["metadata"], {});
  const raw = made.archive.kept.filter(({ kind }) => kind === "raw").length;
  assert.equal(raw, answer.error === undefined ? 0 : 1);
});

Deno.test("What the summary says is shown after a restart, and stays", async () => {
  await using made = world(fileOf(turns(6)), () => "- likes tea");
  await made.compact();
  await until(() => isCompacted(made));
  const disk = made.bench.crash();
  await using next = new SessionBench({ script: ["one", "two"], disk });
  for (const words of ["hello", "again"]) {
    await next.say(words);
    await next.quiet();
    const content = String(next.provider.requests.at(-1)?.messages.at(-1)?.content);
    assert.match(content, /- likes tea/);
  }
  assert.ok(!JSON.stringify(next.history()).includes("likes tea"));
});

Deno.test("A message that arrives while a conversation is compacted is answered and kept", async () => {
  const gate = Promise.withResolvers<void>();
  await using made = world(fileOf(turns(6)), () => ({ text: "- fact", after: gate.promise }));
  await made.compact();
  await until(() => made.bench.provider.running === 1);
  await made.bench.say("are you there?");
  await made.bench.quiet();
  assert.equal(made.bench.replies().length, 1);
  gate.resolve();
  await until(() => isCompacted(made));
  const story = made.bench.story();
  assert.equal(story.length, 10);
  assert.deepEqual(story.slice(-2), ["user are you there?", "assistant reply 1"]);
  await made.bench.say("and now?");
  await made.bench.quiet();
  const last = JSON.stringify(made.bench.provider.requests.at(-1)?.messages);
  assert.match(last, /are you there/);
  assert.equal(made.bench.story().length, 12);
});

Deno.test.each([
  ["whose lines are few", fileOf(turns(4))],
  ["that somebody has just used", fileOf(turns(6), { atMs: NOW_MS - IDLE_MS + 1_000 })],
])("A conversation is left alone %s", async (_name, text) => {
  await using made = world(text);
  await made.compact();
  await settle();
  assert.equal(made.bench.provider.requests.length, 0);
  assert.equal(made.bench.files.texts.get(FILE), text);
});

Deno.test("A conversation is idle after exactly the time that was set", async () => {
  await using made = world(fileOf(turns(6), { atMs: NOW_MS - IDLE_MS }));
  await made.compact();
  await until(() => isCompacted(made));
  assert.equal(made.bench.history().length, 8);
});

Deno.test("Nobody can compact a conversation between /new and what it leaves behind", async () => {
  const gate = Promise.withResolvers<void>();
  await using made = world(fileOf(turns(6)), () => ({ text: "- fact", after: gate.promise }));
  await made.compact();
  await until(() => made.bench.provider.running === 1);
  await made.bench.say("/new");
  await until(() => made.bench.replies().length === 1);
  gate.resolve();
  await until(() => made.archive.kept.length > 0);
  await settle();
  assert.deepEqual(made.bench.history(), []);
  assert.equal(made.archive.kept.length, 1, "it is archived as a whole, once");
});

interface Keeper extends AsyncDisposable {
  readonly home: TestSystem;
  readonly files: MemorySessionFiles;
  readonly router: Probe<CompactSession>;
  readonly actor: ActorRef<IdleCompactionActorMessage>;
  asked(): string[];
}

function keeper(files: Record<string, readonly [modifiedAtMs: number, text: string]>): Keeper {
  const home = testSystem();
  const router = new Probe<CompactSession>();
  const texts = Object.fromEntries(Object.entries(files).map(([name, [, text]]) => [name, text]));
  const disk = new MemorySessionFiles(texts);
  const actor = home.system.spawn(idleCompactionActor({
    clock: home.clock,
    idleMs: IDLE_MS,
    files: disk,
    list: async function* (): AsyncGenerator<DatedFile, void, void> {
      for (const [name, [modifiedAtMs]] of Object.entries(files)) yield { name, modifiedAtMs };
    },
    router,
  }));
  return {
    home,
    files: disk,
    router,
    actor,
    asked: () => router.received.map(({ sessionKey }) => sessionKey),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

const MUCH = fileOf(turns(6));
const LITTLE = fileOf(turns(4));

async function pass(home: TestSystem, timeMs: number): Promise<void> {
  await settle();
  await home.clock.advance(timeMs);
  await settle();
}

Deno.test("IdleCompaction asks for each session once its time is up, and for none before", async () => {
  await using made = keeper({
    "cli_direct.jsonl": [NOW_MS, MUCH],
    "api_x.jsonl": [NOW_MS + 60_000, MUCH],
  });
  await pass(made.home, IDLE_MS - 1_000);
  assert.deepEqual(made.asked(), []);
  await pass(made.home, 1_000);
  assert.deepEqual(made.asked(), ["cli:direct"]);
  await pass(made.home, 60_000);
  assert.deepEqual(made.asked(), ["cli:direct", "api:x"]);
});

Deno.test("IdleCompaction lists the sessions' folder well after the start", async () => {
  let lists = 0;
  await using home = testSystem();
  home.system.spawn(idleCompactionActor({
    clock: home.clock,
    idleMs: IDLE_MS,
    files: new MemorySessionFiles({}),
    list: () => {
      lists++;
      return noFiles();
    },
    router: new Probe<CompactSession>(),
  }));
  await pass(home, 30_000);
  assert.equal(lists, 0);
  await pass(home, 30_000);
  assert.equal(lists, 1);
});

Deno.test("IdleCompaction wakes no session that has nothing to compact", async () => {
  await using made = keeper({ "cli_direct.jsonl": [NOW_MS, LITTLE], "notes.txt": [NOW_MS, MUCH] });
  await pass(made.home, 3 * IDLE_MS);
  assert.deepEqual(made.asked(), []);
  assert.equal(made.home.clock.nextDueMs, undefined, "and waits for nothing");
});

Deno.test("IdleCompaction begins anew when a session is used", async () => {
  await using made = keeper({ "cli_direct.jsonl": [NOW_MS, MUCH] });
  await pass(made.home, IDLE_MS - 1_000);
  made.actor.tell({ type: "session_used", sessionKey: "cli:direct" });
  await pass(made.home, 1_000);
  assert.deepEqual(made.asked(), []);
  await pass(made.home, IDLE_MS);
  assert.deepEqual(made.asked(), ["cli:direct"]);
});

Deno.test("IdleCompaction asks again for a session that could not do it, until it has", async () => {
  await using made = keeper({ "cli_direct.jsonl": [NOW_MS, MUCH] });
  await pass(made.home, IDLE_MS);
  await pass(made.home, IDLE_MS);
  assert.equal(made.asked().length, 2);
  made.actor.tell({ type: "session_compacted", sessionKey: "cli:direct" });
  await pass(made.home, 5 * IDLE_MS);
  assert.equal(made.asked().length, 2);
});

Deno.test("IdleCompaction lets few sessions begin at once", async () => {
  const names = Array.from({ length: 10 }, (_, n) => `cli_${n}.jsonl`);
  await using made = keeper(
    Object.fromEntries(names.map((name) => [name, [NOW_MS, MUCH] as const])),
  );
  await pass(made.home, IDLE_MS);
  assert.equal(made.asked().length, 4);
  await pass(made.home, 15_000);
  assert.equal(made.asked().length, 8);
  await pass(made.home, 15_000);
  assert.equal(new Set(made.asked()).size, 10);
});

Deno.test("A session that was compacted falls asleep when its time comes", async () => {
  const gate = Promise.withResolvers<void>();
  await using made = world(fileOf(turns(6)), () => ({ text: "- fact", after: gate.promise }));
  const { bench } = made;
  await settle();
  await made.compact();
  await until(() => bench.provider.running === 1);
  await bench.world.clock.advance(120_000);
  assert.ok(!bench.router.received.some(({ type }) => type === "session_idle"), "it is busy");
  gate.resolve();
  await until(() => isCompacted(made));
  await settle();
  await bench.world.clock.advance(120_000);
  await until(() => bench.router.received.some(({ type }) => type === "session_idle"));
});

async function* noFiles(): AsyncGenerator<DatedFile, void, void> {
  yield* [];
}
