import assert from "node:assert/strict";
import { MemoryKeeper } from "../../../actors/memory/memory_keeper.ts";
import type { HistoryEntry } from "../../../actors/memory/protocol.ts";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { LogRecorder } from "../../support/log_recorder.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { ListedVersions, MemoryWorkspace } from "../../support/memory_files.ts";

const { global } = MemoryScope;
const DAY_MS = 86_400_000;

interface Bench {
  readonly keeper: MemoryKeeper;
  readonly files: MemoryWorkspace;
  readonly versions: ListedVersions;
  readonly clock: ManualClock;
}

function bench(texts: Readonly<Record<string, string>> = {}): Bench {
  const files = new MemoryWorkspace(texts);
  const versions = new ListedVersions();
  const clock = new ManualClock(Date.UTC(2026, 3, 30, 12, 3));
  return { ...keeperOf(files, versions, clock), files, versions, clock };
}

/** Another life on the same files. */
function keeperOf(files: MemoryWorkspace, versions: ListedVersions, clock: ManualClock) {
  return { keeper: new MemoryKeeper({ files, versions, clock, timezone: "Asia/Shanghai" }) };
}

function added(content: string, key = content) {
  return { content, key, sessionKey: "feishu:oc_1", kind: "summary" as const };
}

function lines(files: MemoryWorkspace): HistoryEntry[] {
  const text = files.texts.get("memory/history.jsonl") ?? "";
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

Deno.test("The history numbers its entries from 1 and tells where and when they came from", async () => {
  const { keeper, files } = bench();
  const first = await keeper.append(global, added("one"));
  await keeper.append(global, added("two"));
  const entry = {
    cursor: 1,
    timestamp: "2026-04-30 20:03",
    content: "one",
    session_key: "feishu:oc_1",
    id: "one",
  };
  assert.deepEqual(first, { state: "appended", entry });
  assert.deepEqual(lines(files).map(({ cursor }) => cursor), [1, 2]);
  assert.equal(files.texts.get("memory/.cursor"), "2");
});

Deno.test("A stretch is archived once, over a restart too", async () => {
  const { keeper, files, versions, clock } = bench();
  await keeper.append(global, added("one", "k1"));
  const repeated = await keeperOf(files, versions, clock).keeper
    .append(global, added("one again", "k1"));
  assert.deepEqual(repeated, { state: "repeated", cursor: 1 });
  assert.equal(lines(files).length, 1);
});

Deno.test.each([
  ["no file", "", undefined, 1],
  ["a number in .cursor", "", "10", 11],
  ["text in .cursor", '{"cursor":10,"timestamp":"t","content":"c"}\n', "abc", 11],
  ["a .cursor behind the file", '{"cursor":10,"timestamp":"t","content":"c"}\n', "3", 11],
  ["an entry without a number", '{"timestamp":"t","content":"c"}\n', undefined, 1],
  [
    "a text as the last number",
    '{"cursor":5,"timestamp":"t","content":"c"}\n{"cursor":6,"timestamp":"t","content":"c"}\n' +
    '{"cursor":"bad","timestamp":"t","content":"c"}\n',
    undefined,
    7,
  ],
  [
    "numbers out of order",
    '{"cursor":100,"timestamp":"t","content":"c"}\n{"cursor":5,"timestamp":"t","content":"c"}\n' +
    '{"cursor":"x","timestamp":"t","content":"c"}\n',
    undefined,
    101,
  ],
  ["only a truth value", '{"cursor":true,"timestamp":"t","content":"c"}\n', undefined, 1],
  ["only a fraction", '{"cursor":1.5,"timestamp":"t","content":"c"}\n', undefined, 1],
  ["only null and a list", '{"cursor":null}\n{"cursor":[3]}\n', undefined, 1],
])("The next number is right with %s", async (_name, history, cursor, expected) => {
  const { keeper } = bench({
    "memory/history.jsonl": history,
    ...(cursor !== undefined && { "memory/.cursor": cursor }),
  });
  const appended = await keeper.append(global, added("new"));
  assert.equal(appended.state === "appended" && appended.entry.cursor, expected);
});

Deno.test("An entry behind a line that a crash cut off begins a line of its own", async () => {
  const { keeper, files } = bench({ "memory/history.jsonl": '{"cursor":1,"time' });
  await keeper.append(global, added("new"));
  const [cut, entry] = (files.texts.get("memory/history.jsonl") ?? "").split("\n");
  assert.equal(cut, '{"cursor":1,"time');
  assert.equal(JSON.parse(entry ?? "").content, "new");
});

Deno.test.each([
  ["reasoning in front goes", "<think>hm</think>A fact", "A fact"],
  ["nothing but reasoning leaves an empty entry", "<think>hm</think>", ""],
  ["nothing but a channel mark leaves an empty entry", "<channel|>", ""],
])("In the history %s", async (_name, content, kept) => {
  const { keeper } = bench();
  const appended = await keeper.append(global, added(content));
  assert.equal(appended.state === "appended" && appended.entry.content, kept);
});

Deno.test.each(["(nothing)", " (Nothing). ", "（无）", "", "  \n"])(
  "Nothing worth keeping is not kept: %j",
  async (content) => {
    const { keeper, files } = bench();
    assert.deepEqual(await keeper.append(global, added(content)), { state: "nothing" });
    assert.equal(files.texts.has("memory/history.jsonl"), false);
  },
);

Deno.test.each([["summary", 8_000], ["raw", 16_000]] as const)(
  "An entry of kind %s is no longer than %d characters, and says so",
  async (kind, charsMax) => {
    const { keeper } = bench();
    const appended = await keeper.append(global, { ...added("x".repeat(20_000)), kind });
    const content = appended.state === "appended" ? appended.entry.content : "";
    assert.equal(content.length, charsMax);
    assert.match(content, /characters left out\]$/);
  },
);

Deno.test("A batch holds what was not digested, oldest first, within both limits", async () => {
  const { keeper } = bench({ "memory/.dream_cursor": "1" });
  for (const text of ["one", "two", "three", "four"]) await keeper.append(global, added(text));
  const batch = await keeper.nextBatch(global, { entriesMax: 2, charsMax: 1_000 });
  // The history begins above what was digested.
  assert.deepEqual(batch?.entries.map(({ cursor }) => cursor), [2, 3]);
  assert.equal(batch?.left, 2);
  const narrow = await keeper.nextBatch(global, { entriesMax: 9, charsMax: 4 });
  assert.deepEqual(narrow?.entries.map(({ content }) => content), ["one"]);
});

Deno.test("A finished batch changes files, number and version together", async () => {
  const { keeper, files, versions } = bench({ "memory/MEMORY.md": "# Facts\n" });
  await keeper.append(global, added("likes tea"));
  const batch = await keeper.nextBatch(global, { entriesMax: 9, charsMax: 1_000 });
  assert.ok(batch !== null);
  const end = await keeper.finishBatch({
    scope: global,
    cursor: 1,
    base: batch.texts,
    texts: { ...batch.texts, MEMORY: "# Facts\n- likes tea\n" },
    proposals: new Map([["skills/.proposed/tea/SKILL.md", "how to"]]),
    lastTimestamp: "2026-04-30 20:03",
  });
  assert.equal(end.state, "kept");
  assert.equal(files.texts.get("memory/MEMORY.md"), "# Facts\n- likes tea\n");
  assert.equal(files.texts.get("memory/.dream_cursor"), "1");
  assert.equal(files.texts.get("skills/.proposed/tea/SKILL.md"), "how to");
  const messages = versions.versions.map(({ message }) => message);
  assert.match(messages[0] ?? "", /^Edited by hand\n/);
  assert.match(
    messages[1] ?? "",
    /^dream: 2026-04-30 20:03, 1 change\(s\)\n\n.*\n\+ - likes tea$/s,
  );
  assert.equal(await keeper.nextBatch(global, { entriesMax: 9, charsMax: 1_000 }), null);
});

Deno.test("A batch and an edit by hand elsewhere in the file are brought together", async () => {
  const { keeper, files } = bench({ "memory/MEMORY.md": "a\nb\nc\n" });
  const base = { MEMORY: "a\nb\nc\n", SOUL: "", USER: "" };
  files.texts.set("memory/MEMORY.md", "A by hand\nb\nc\n");
  const end = await keeper.finishBatch({
    ...{ scope: global, cursor: 3, base, proposals: new Map(), lastTimestamp: "t" },
    texts: { ...base, MEMORY: "a\nb\nC by dream\n" },
  });
  assert.equal(end.state, "kept");
  assert.equal(files.texts.get("memory/MEMORY.md"), "A by hand\nb\nC by dream\n");
});

Deno.test("A batch that meets an edit by hand in the same line is refused as a whole", async () => {
  const { keeper, files } = bench({ "memory/MEMORY.md": "by hand\n", "USER.md": "u\n" });
  const base = { MEMORY: "old\n", SOUL: "", USER: "u\n" };
  const end = await keeper.finishBatch({
    ...{ scope: global, cursor: 3, base, proposals: new Map(), lastTimestamp: "t" },
    texts: { ...base, MEMORY: "by dream\n", USER: "u2\n" },
  });
  assert.deepEqual(end, { state: "conflict", files: ["memory/MEMORY.md"] });
  assert.equal(files.texts.get("memory/MEMORY.md"), "by hand\n");
  assert.equal(files.texts.get("USER.md"), "u\n");
  assert.equal(files.texts.has("memory/.dream_cursor"), false);
});

Deno.test("Compaction keeps the newest entries and all that Dream has not digested", async () => {
  const entry = (cursor: number) => `${JSON.stringify({ cursor, timestamp: "t", content: "c" })}\n`;
  const history = Array.from({ length: 1_500 }, (_, index) => entry(index + 1)).join("");
  const { keeper, files } = bench({ "memory/history.jsonl": `no entry\n${history}` });
  const base = { MEMORY: "", SOUL: "", USER: "" };
  const batch = { scope: global, base, texts: base, proposals: new Map(), lastTimestamp: "t" };
  await keeper.finishBatch({ ...batch, cursor: 200 });
  const text = files.texts.get("memory/history.jsonl") ?? "";
  assert.match(text, /^no entry\n\{"cursor":201,/);
  await keeper.finishBatch({ ...batch, cursor: 1_500 });
  assert.match(files.texts.get("memory/history.jsonl") ?? "", /^no entry\n\{"cursor":501,/);
});

Deno.test("An edit is a version of its own, behind what was changed by hand before", async () => {
  const { keeper, files, versions } = bench({ "SOUL.md": "calm\n" });
  files.texts.set("SOUL.md", "calm\nshort\n");
  const edited = await keeper.edit(global, "SOUL", {
    edit: { type: "replace", from: "calm", to: "cheerful" },
    reason: "Asked in cli:direct",
  });
  assert.equal(edited.state, "edited");
  assert.equal(files.texts.get("SOUL.md"), "cheerful\nshort\n");
  assert.deepEqual(versions.versions.map(({ message }) => message.split("\n")[0]), [
    "Edited by hand",
    "Asked in cli:direct",
  ]);
});

Deno.test("The same edit is a version again after it was taken back by hand", async () => {
  const { keeper, files, versions } = bench({ "SOUL.md": "calm\n" });
  const change = { edit: { type: "replace", from: "calm", to: "quick" }, reason: "Asked" } as const;
  await keeper.edit(global, "SOUL", change);
  files.texts.set("SOUL.md", "calm\n");
  await keeper.edit(global, "SOUL", change);
  assert.deepEqual(versions.versions.map(({ message }) => message.split("\n")[0]), [
    ...["Edited by hand", "Asked", "Edited by hand", "Asked"],
  ]);
});

Deno.test.each(
  [
    ["is not there", { type: "replace", from: "x", to: "y" }, /does not stand there/],
    ["is there twice", { type: "replace", from: "a", to: "y" }, /stands there 2 times/],
    [
      "was made from an older text",
      { type: "write", base: "old\n", text: "new\n" },
      /edited in the same place meanwhile/,
    ],
  ] as const,
)("An edit of a text that %s is refused with a reason", async (_name, edit, reason) => {
  const { keeper, files } = bench({ "memory/MEMORY.md": "a\na\n" });
  const edited = await keeper.edit(global, "MEMORY", { edit, reason: "asked" });
  assert.equal(edited.state, "refused");
  assert.match(edited.state === "refused" ? edited.reason : "", reason);
  assert.equal(files.texts.get("memory/MEMORY.md"), "a\na\n");
});

Deno.test("An edit keeps Windows line ends", async () => {
  const { keeper, files } = bench({ "memory/MEMORY.md": "a\r\nb\r\n" });
  const edit = { type: "replace", from: "a\nb", to: "c\nd" } as const;
  await keeper.edit(global, "MEMORY", { edit, reason: "asked" });
  assert.equal(files.texts.get("memory/MEMORY.md"), "c\r\nd\r\n");
});

Deno.test("A version that is taken back leaves later changes, by hand too", async () => {
  const { keeper, files, versions } = bench({ "memory/MEMORY.md": "a\nb\nc\nd\ne\n" });
  const change = (from: string, to: string) =>
    keeper.edit(global, "MEMORY", { edit: { type: "replace", from, to }, reason: `${from}→${to}` });
  await change("a", "a wrong");
  await change("c", "c right");
  files.texts.set("memory/MEMORY.md", "a wrong\nb\nc right\nd\ne by hand\n");
  const wrong = versions.versions[1]?.id ?? "";
  const restored = await keeper.restoreVersion(wrong.slice(0, 8));
  assert.equal(restored.state, "restored");
  assert.equal(files.texts.get("memory/MEMORY.md"), "a\nb\nc right\nd\ne by hand\n");
  assert.deepEqual(versions.versions.slice(-2).map(({ message }) => message.split("\n")[0]), [
    "Edited by hand",
    `restore: undo ${wrong.slice(0, 8)}`,
  ]);
  assert.deepEqual(await keeper.restoreVersion(wrong), { state: "unchanged" });
});

Deno.test("A version whose lines were changed since is not taken back, and nothing is written", async () => {
  const { keeper, files, versions } = bench({ "memory/MEMORY.md": "a\n" });
  await keeper.edit(global, "MEMORY", {
    edit: { type: "replace", from: "a", to: "b" },
    reason: "asked",
  });
  files.texts.set("memory/MEMORY.md", "c\n");
  const restored = await keeper.restoreVersion(versions.versions[1]?.id ?? "");
  assert.deepEqual(restored, { state: "conflict", files: ["memory/MEMORY.md"] });
  assert.equal(files.texts.get("memory/MEMORY.md"), "c\n");
});

Deno.test.each(["ffff", "00", "", "HEAD"])("Version %j is unknown", async (id) => {
  const { keeper } = bench({ "memory/MEMORY.md": "a\n" });
  await keeper.lineAges(global, "a\n"); // makes the first version
  assert.deepEqual(await keeper.restoreVersion(id), { state: "unknown" });
  assert.deepEqual(await keeper.showVersion(id), { state: "unknown" });
});

Deno.test("The first version has nothing before it to go back to", async () => {
  const { keeper, versions } = bench({ "memory/MEMORY.md": "a\n" });
  await keeper.lineAges(global, "a\n");
  const first = versions.versions[0]?.id ?? "";
  assert.deepEqual(await keeper.restoreVersion(first), { state: "unknown" });
  const shown = await keeper.showVersion(first);
  assert.equal(shown.state === "shown" && shown.shown.diff, "");
});

Deno.test("Lines are as old as the version that brought them", async () => {
  const { keeper, files, clock } = bench({ "memory/MEMORY.md": "a\nb\n" });
  await keeper.lineAges(global, "a\nb\n");
  await clock.advance(10 * DAY_MS);
  files.texts.set("memory/MEMORY.md", "new\na\nB\n");
  assert.deepEqual(await keeper.lineAges(global, "new\na\nB\n"), [0, 10, 0]);
  await clock.advance(20 * DAY_MS);
  assert.deepEqual(await keeper.lineAges(global, "new\na\nB\n"), [20, 30, 20]);
  assert.deepEqual(await keeper.lineAges(global, "another text\n"), []);
});

Deno.test("Without versions memory works, and says that there are none", async () => {
  const files = new MemoryWorkspace({ "SOUL.md": "calm\n" });
  const keeper = new MemoryKeeper({ files, clock: new ManualClock(), timezone: "UTC" });
  const edit = { type: "replace", from: "calm", to: "quick" } as const;
  const edited = await keeper.edit(global, "SOUL", { edit, reason: "asked" });
  assert.deepEqual(edited, { state: "edited", path: "SOUL.md", version: null });
  assert.equal((await keeper.listVersions(3)).state, "off");
  assert.deepEqual(await keeper.lineAges(global, "quick\n"), []);
});

Deno.test("Lines that are no entries are skipped, told of once, and harm nothing", async () => {
  await using recorder = await LogRecorder.start();
  const good = (cursor: number) =>
    `${JSON.stringify({ cursor, timestamp: "t", content: `c${cursor}` })}\n`;
  const bad = '{"cursor":2}\n"text"\n[]\n{"cursor":"3","timestamp":"t","content":"c"}\n{oh\n';
  const { keeper, files } = bench({ "memory/history.jsonl": good(4) + bad + good(3) });
  await keeper.append(global, added("new"));
  const batch = await keeper.nextBatch(global, { entriesMax: 9, charsMax: 1_000 });
  assert.deepEqual(batch?.entries.map(({ cursor }) => cursor), [3, 4, 5]);
  assert.equal(recorder.warnings("Skipped").length, 1);
  assert.ok((files.texts.get("memory/history.jsonl") ?? "").includes(bad));
});

Deno.test("A batch that fails between two of its files is finished before anything else", async () => {
  const { keeper, files } = bench({ "memory/MEMORY.md": "old\n" });
  const entry = { content: "x", key: "k", sessionKey: "s", kind: "summary" as const };
  await keeper.append(global, entry);
  const base = { MEMORY: "old\n", SOUL: "", USER: "" };
  files.fault = (action, path) => {
    if (action === "replace" && path.endsWith(".dream_cursor")) throw new Error("disk full");
  };
  const digested = { ...base, MEMORY: "old\nnew\n" };
  const finishing = keeper.finishBatch({
    ...{ scope: global, cursor: 1, base, texts: digested, proposals: new Map() },
    lastTimestamp: "2026-04-30 12:00",
  });
  await assert.rejects(finishing, /disk full/);
  assert.equal(
    (await keeper.append(global, { ...entry, key: "l" })).state,
    "appended",
    "summaries wait for no file of facts",
  );
  files.fault = () => {};
  const batch = await keeper.nextBatch(global, { entriesMax: 9, charsMax: 1_000 });
  assert.deepEqual(batch?.entries.map(({ cursor }) => cursor), [2]);
  assert.equal(files.texts.get("memory/MEMORY.md"), "old\nnew\n");
});
