import assert from "node:assert/strict";
import type { HistoryLine } from "../../../actors/journal/journal.ts";
import { chunkKey } from "../../../actors/session/archived_chunk.ts";
import { endedText } from "../../../actors/session/ended_conversation.ts";
import { encodeMessageLine, parseMessageLine } from "../../../actors/session/session_file.ts";
import { BenchArchive } from "../../support/bench_archive.ts";
import { providerError, type ScriptedAnswer } from "../../support/scripted_provider.ts";
import { type Disk, SessionBench, type SessionBenchOptions } from "../../support/session_bench.ts";
import { settle, until } from "../../support/until.ts";

const FILE = "feishu_oc_1.jsonl";
const ENDED = `${FILE}.ended`;

function benchWith(
  archive: BenchArchive,
  summary: (asked: string) => string | ScriptedAnswer = () => "- summary",
  options: SessionBenchOptions = {},
): SessionBench {
  return new SessionBench({
    script: ({ conversationId, messages }, index) =>
      conversationId.endsWith("#summary")
        ? summary(String(messages[1]?.content))
        : `answer ${index}`,
    services: { archive },
    ...options,
  });
}

async function chat(bench: SessionBench, ...words: readonly string[]): Promise<void> {
  for (const word of words) {
    await bench.say(word);
    await bench.quiet();
  }
}

Deno.test("/new archives what was said, and answers without waiting for that", async () => {
  const gate = Promise.withResolvers<void>();
  const archive = new BenchArchive();
  await using bench = benchWith(archive, () => ({ text: "- summary", after: gate.promise }));
  await chat(bench, "one", "two", "/new");
  assert.match(bench.replies().at(-1) ?? "", /new session/i);
  await until(() => bench.history().length === 0);
  await chat(bench, "three");
  assert.equal(bench.replies().length, 4, "and it goes on at once");
  gate.resolve();
  await until(() => !bench.files.texts.has(ENDED));
  assert.deepEqual(archive.texts, ["- summary"]);
  assert.equal(await bench.journal.note("ended:feishu:oc_1"), null);
  const shown = JSON.stringify(bench.provider.requests.at(-1)?.messages);
  assert.ok(!shown.includes("- summary"), "the new conversation knows nothing of it");
});

Deno.test("/new archives only what was not summed up before", async () => {
  const lines = Array.from(
    { length: 30 },
    (_, n) => JSON.stringify({ role: n % 2 === 0 ? "user" : "assistant", content: `line ${n}` }),
  );
  const head = JSON.stringify({ _type: "metadata", key: "feishu:oc_1", last_consolidated: 27 });
  const text = [head, ...lines].map((line) => `${line}\n`).join("");
  const archive = new BenchArchive();
  const asked: string[] = [];
  const rows = new SessionBench().journal.rows();
  await using bench = benchWith(archive, (chunk) => {
    asked.push(chunk);
    return "- rest";
  }, { disk: { rows, files: { [FILE]: text } } });
  await chat(bench, "/new");
  await until(() => archive.kept.length === 1);
  assert.deepEqual(asked.join("").match(/line \d+/g), ["line 27", "line 28", "line 29"]);
});

Deno.test("/new of an empty conversation archives nothing", async () => {
  const archive = new BenchArchive();
  await using bench = benchWith(archive);
  await chat(bench, "/new");
  await settle();
  assert.deepEqual(archive.kept, []);
  assert.equal(bench.provider.requests.length, 0);
});

Deno.test.each<[string, (archive: BenchArchive) => void, RegExp]>([
  ["the model", () => {}, /^\[RAW\] 2 messages/],
  ["the memory", (archive) => {
    archive.fault = () => {
      throw new Error("busy");
    };
  }, /^- summary|^\[RAW\]/],
])("/new works even if %s fails, and what was said is kept", async (who, fail, kept) => {
  const archive = new BenchArchive();
  fail(archive);
  const error = providerError("provider_overloaded");
  await using bench = benchWith(archive, () => who === "the model" ? { error } : "- summary");
  await chat(bench, "one", "/new");
  await settle();
  archive.fault = () => {};
  await bench.world.clock.advance(60_000);
  await chat(bench, "two");
  await until(() => archive.kept.length === 1);
  assert.match(archive.texts[0] ?? "", kept);
});

Deno.test("Two conversations that end behind one another are archived apart", async () => {
  const gate = Promise.withResolvers<void>();
  const archive = new BenchArchive();
  await using bench = benchWith(archive, (asked) => ({
    text: `- ${asked.match(/USER: (\w+)/)?.[1]}`,
    after: gate.promise,
  }));
  await chat(bench, "apple", "/new", "banana", "/new");
  gate.resolve();
  await until(() => archive.kept.length === 2);
  await settle();
  assert.deepEqual(archive.texts, ["- apple", "- banana"]);
});

/** How a life ends in the midst of `/new`. */
interface Death {
  readonly what: "process" | "power";
  /** Part of the conversation could not be filed, so that only the journal has it. */
  readonly isUnfiled: boolean;
}

Deno.test.each<[string, Death]>([
  ["process", { what: "process", isUnfiled: false }],
  ["power", { what: "power", isUnfiled: false }],
  ["process, with lines that are not filed,", { what: "process", isUnfiled: true }],
  ["power, with lines that are not filed,", { what: "power", isUnfiled: true }],
])("What /new leaves behind is archived once, wherever the %s dies", async (_name, death) => {
  for (let dies = 0;; dies++) {
    const archive = new BenchArchive();
    const { disk, isLast } = await untilDeath(archive, dies, death);
    await using next = benchWith(archive, undefined, { disk });
    next.session.tell({ type: "wake" });
    await next.quiet();
    await until(() => archive.kept.length === 1, { what: `death ${dies}` });
    await settle();
    assert.ok(!next.files.texts.has(ENDED), `death ${dies}`);
    assert.deepEqual(archive.texts, ["- summary"], `death ${dies}`);
    assert.deepEqual(next.history(), []);
    if (!isLast) continue;
    assert.ok(dies > 3, "there were boundaries to die at");
    break;
  }
});

/**
 * Says something and begins anew, until commit or write number `dies` kills the process, or all is
 * done.
 */
async function untilDeath(
  archive: BenchArchive,
  dies: number,
  { what, isUnfiled }: Death,
): Promise<{ readonly disk: Disk; readonly isLast: boolean }> {
  let boundaries: number | undefined;
  function mayDie(): void {
    if (boundaries === undefined) return;
    if (boundaries++ >= dies) throw new Error(`the ${what} dies`);
  }
  await using bench = benchWith(archive, undefined, {
    onCommit: (phase) => {
      if (phase === "before") mayDie();
    },
  });
  await chat(bench, "one");
  bench.files.fault = (action, name) => {
    if (isUnfiled && action === "append" && name === FILE) throw new Error("no space left");
    if (action !== "read") mayDie();
  };
  await bench.say("two");
  await until(() => bench.replies().length === 2);
  await settle();
  const command = await bench.accept("/new");
  boundaries = 0;
  bench.session.tell({ type: "inbound_accepted", inbound: command });
  await until(() => (boundaries ?? 0) > dies || archive.kept.length === 1);
  await settle();
  await settle();
  return { disk: bench.crash(what), isLast: boundaries <= dies };
}

Deno.test("What is on its way into memory is not kept again, where the journal alone has its end", () => {
  const lines = ["one", "two", "three"].map((content, n) => lineOf("t1", n, content));
  const [first, ...unfiled] = lines;
  const stored = lines.slice(0, 2).flatMap(({ text }) => parseMessageLine(text) ?? []);
  const pending = {
    ...{ from: 0, to: 2, chunk: chunkKey("cli:x", null, stored) },
    ...{ entries: [], summary: null, untilMs: null },
  };
  const damaged = lines[1]?.text.slice(0, 20);
  const kept = endedText({
    key: "cli:x",
    text: `${first?.text}\n${damaged}`, // the line that a crash has cut
    unfiled,
    pending,
  });
  assert.deepEqual(kept.split("\n").slice(1), [lines[2]?.text, damaged, ""]);
});

Deno.test("What was summed up is not kept again, where the journal has copies of it", () => {
  const lines = ["one", "two"].map((content, n) => lineOf("t1", n, content));
  const head = { _type: "metadata", key: "cli:x", last_consolidated: 1 };
  const text = [JSON.stringify(head), ...lines.map((line) => line.text)].join("\n");
  const kept = endedText({ key: "cli:x", text, unfiled: lines, pending: null });
  assert.deepEqual(kept.split("\n").slice(1), [lines[1]?.text, ""]);
});

function lineOf(turnId: string, line: number, content: string): HistoryLine {
  const fields = { timestampMs: 0, lineId: `${turnId}:${line}` };
  const text = encodeMessageLine({ role: "user", content }, fields);
  return { sessionKey: "cli:x", turnId, line, inboundSeq: null, text };
}

Deno.test("A power cut brings back no line of a conversation that is archived", async () => {
  const archive = new BenchArchive();
  const error = providerError("provider_overloaded"); // what costs nothing commits nothing
  await using bench = benchWith(archive, () => ({ error }));
  await chat(bench, "one");
  bench.files.fault = (action) => {
    if (action === "append") throw new Error("the disk is full");
  };
  await bench.say("two");
  await until(() => bench.replies().length === 2);
  bench.files.fault = () => {};
  await chat(bench, "/new");
  await until(() => archive.kept.length === 1);
  const disk = bench.crash("power");
  await using next = benchWith(archive, () => ({ error }), { disk });
  next.session.tell({ type: "wake" });
  await next.quiet();
  await until(() => !next.files.texts.has(ENDED));
  assert.match(archive.texts.join(""), /^\[RAW\] 4 messages/);
  assert.equal(archive.kept.length, 1);
});

Deno.test("A damaged line of an ended conversation is put aside, and the rest archived", async () => {
  const archive = new BenchArchive();
  const asked: string[] = [];
  const rows = new SessionBench().journal.rows();
  const text = [{ _type: "metadata", key: "feishu:oc_1" }, { role: "user", content: "kept" }]
    .map((line) => `${JSON.stringify(line)}\n`).join("");
  await using bench = benchWith(archive, (chunk) => {
    asked.push(chunk);
    return "- rest";
  }, { disk: { rows, files: { [ENDED]: `${text}{"role": "us\n` } } });
  await bench.journal.commit({ notes: [{ key: "ended:feishu:oc_1", value: "1" }] });
  await chat(bench, "hello");
  await until(() => !bench.files.texts.has(ENDED));
  assert.match(asked.join(""), /kept/);
  assert.equal(bench.files.texts.get(`${FILE}.corrupt`), '{"role": "us\n');
});
