import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { MemoryScope, memoryScope } from "../../../../actors/memory/scope.ts";
import {
  historyLine,
  lineOf,
  NOW_MS,
  readAll,
  RecallWorld,
  textsOf,
  THEN_MS,
} from "./recall_world.ts";

const GLOBAL = MemoryScope.global.folder;

Deno.test("Recall tells where, when and by whom a passage was said", () => {
  using world = new RecallWorld();
  world.write("memory/MEMORY.md", "# Facts\n\n- The heron is blue\n");
  world.write("memory/history.jsonl", historyLine(4, "A heron was seen", "2026-03-01 09:30"));
  world.session("feishu:oc_1", [{ content: "Herons at the lake", role: "assistant" }]);
  using keeper = world.keeper("global", "Asia/Shanghai");
  readAll(keeper);
  const { hits } = keeper.search({ text: "heron", scope: GLOBAL, limit: 9 }, NOW_MS);
  const told = hits.map(({ isForeign: _, ...hit }) => hit).toSorted((a, b) =>
    a.path < b.path ? -1 : 1
  );
  assert.deepEqual(told, [
    {
      kind: "facts",
      path: "memory/MEMORY.md",
      line: 3,
      role: "",
      atMs: null,
      text: "- The heron is blue",
      sessionKey: null,
    },
    {
      kind: "history",
      path: "memory/history.jsonl",
      line: 1,
      role: "",
      atMs: Date.parse("2026-03-01T01:30:00Z"),
      text: "A heron was seen",
      sessionKey: null,
    },
    {
      kind: "session",
      path: "sessions/feishu_oc_1.jsonl",
      line: 2,
      role: "assistant",
      atMs: THEN_MS,
      text: "Herons at the lake",
      sessionKey: "feishu:oc_1",
    },
  ]);
});

Deno.test("A first search is complete where there is little to read", () => {
  using world = new RecallWorld();
  for (let chat = 0; chat < 20; chat++) {
    world.session(`feishu:oc_${chat}`, [{ content: `otter ${chat}` }]);
  }
  using keeper = world.keeper();
  const { hits, isPartial } = keeper.search({ text: "otter", scope: GLOBAL, limit: 50 }, NOW_MS);
  assert.deepEqual([hits.length, isPartial], [20, false]);
});

Deno.test("Recall narrows by kind and time, and pages", () => {
  using world = new RecallWorld();
  world.write("memory/history.jsonl", historyLine(1, "otter zero", "2026-01-01 00:00"));
  world.session(
    "feishu:oc_1",
    [1, 2, 3].map((day) => ({ content: `otter ${day}`, atMs: Date.UTC(2026, 3, day) })),
  );
  using keeper = world.readKeeper();
  assert.deepEqual(textsOf(keeper, "otter", { kinds: ["history"] }), ["otter zero"]);
  const sinceMs = Date.UTC(2026, 3, 2);
  const since = textsOf(keeper, "otter", { sinceMs });
  assert.deepEqual(since.toSorted(), ["otter 2", "otter 3"]);
  assert.deepEqual(textsOf(keeper, "otter", { sinceMs, untilMs: sinceMs }), ["otter 2"]);
  const all = textsOf(keeper, "otter");
  const query = { text: "otter", scope: GLOBAL, limit: 3 };
  const first = keeper.search(query, NOW_MS);
  const second = keeper.search({ ...query, offset: 3 }, NOW_MS);
  assert.deepEqual([first.hasMore, second.hasMore], [true, false]);
  assert.deepEqual([...first.hits, ...second.hits].map(({ text }) => text), all);
});

Deno.test("Recall follows files that grow, are replaced, and go", () => {
  using world = new RecallWorld();
  world.write("memory/MEMORY.md", "likes tea");
  const path = world.session("feishu:oc_1", [{ content: "marmot one" }]);
  using keeper = world.readKeeper();
  assert.deepEqual(textsOf(keeper, "marmot"), ["marmot one"]);

  world.append(path, lineOf({ content: "marmot two" }, 1));
  keeper.touched([path]);
  assert.deepEqual(textsOf(keeper, "marmot").toSorted(), ["marmot one", "marmot two"]);

  world.write("memory/MEMORY.md", "likes coffee");
  assert.deepEqual(textsOf(keeper, "coffee"), ["likes coffee"], "by hand, and at once");
  assert.deepEqual(textsOf(keeper, "tea"), []);

  world.session("feishu:oc_1", [{ content: "a new beginning" }]);
  keeper.touched([path]);
  assert.deepEqual(textsOf(keeper, "marmot"), []);
  assert.deepEqual(textsOf(keeper, "beginning"), ["a new beginning"]);

  Deno.removeSync(`${world.workspace}/${path}`);
  keeper.touched([path]);
  assert.deepEqual(textsOf(keeper, "beginning"), []);
});

Deno.test("A line that is half written is found once it is whole", () => {
  using world = new RecallWorld();
  const path = world.session("feishu:oc_1", []);
  const line = lineOf({ content: "pangolin 穿山甲" });
  world.append(path, line.slice(0, 30));
  using keeper = world.readKeeper();
  assert.deepEqual(textsOf(keeper, "穿山甲"), []);
  world.append(path, line.slice(30));
  keeper.touched([path]);
  assert.deepEqual(textsOf(keeper, "穿山甲"), ["pangolin 穿山甲"]);
});

Deno.test("A file that was replaced behind its back gives no words of others", () => {
  using world = new RecallWorld();
  const path = world.session("feishu:oc_1", [{ content: "badger alpha" }]);
  using keeper = world.readKeeper();
  world.session("feishu:oc_1", [{ content: "badger omega is longer" }]);
  assert.deepEqual(textsOf(keeper, "badger"), [], "nobody said that the file changed");
  keeper.touched([path]);
  assert.deepEqual(textsOf(keeper, "badger"), ["badger omega is longer"]);
});

Deno.test("Few megabytes are indexed in memory, more on disk, and either finds the same", () => {
  using world = new RecallWorld();
  const filler = "long talk about nothing at all, ".repeat(100);
  const say = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ content: `${at} ${filler}`, turn: `t${at}` }));
  world.session("feishu:oc_1", [{ content: "the capybara sleeps" }, ...say(100)]);
  {
    using keeper = world.readKeeper();
    assert.deepEqual(textsOf(keeper, "capybara"), ["the capybara sleeps"]);
    assert.throws(() => Deno.statSync(world.indexPath), Deno.errors.NotFound);
  }
  world.session("feishu:oc_2", say(1_400));
  {
    using keeper = world.readKeeper();
    assert.deepEqual(textsOf(keeper, "capybara"), ["the capybara sleeps"]);
    assert.equal(Deno.statSync(world.indexPath).mode ?? 0 & 0o077, 0o100600);
  }
  // Kept, damaged, or removed: it is a cache.
  for (
    const damage of [
      () => {},
      (path: string) => Deno.writeTextFileSync(path, "no database"),
      Deno.removeSync,
    ]
  ) {
    damage(world.indexPath);
    using keeper = world.readKeeper();
    assert.deepEqual(textsOf(keeper, "capybara"), ["the capybara sleeps"]);
  }
});

Deno.test("An index that another setting made is not used", () => {
  using world = new RecallWorld();
  const filler = "long talk about nothing at all, ".repeat(4_000);
  world.session("feishu:ou_a", [
    { content: "the ferret is mine", scope: "person:feishu:a" },
    ...Array.from({ length: 40 }, (_, at) => ({ content: `${at} ${filler}` })),
  ]);
  world.readKeeper("global")[Symbol.dispose]();
  assert.ok(Deno.statSync(world.indexPath).isFile);
  using keeper = world.readKeeper("person");
  assert.deepEqual(textsOf(keeper, "ferret"), [], "nobody's in particular");
  const scope = MemoryScope.named("person:feishu:a").folder;
  assert.deepEqual(textsOf(keeper, "ferret", { scope }), ["the ferret is mine"]);
});

Deno.test("No search crosses from one person's memory into another's", () => {
  using world = new RecallWorld();
  const [ann, bob] = ["ann", "bob"].map((senderId) =>
    memoryScope("person", { channel: "feishu", chatId: "oc_1", senderId, sessionKey: "x" })
  );
  assert.ok(ann !== undefined && bob !== undefined);
  world.write(ann.pathOf("MEMORY"), "secret of ann in facts");
  world.write(ann.historyPath, historyLine(1, "secret of ann in history"));
  world.write(bob.pathOf("USER"), "secret of bob in facts");
  world.session("feishu:oc_1", [
    { content: "secret said by ann", scope: "person:feishu:ann", turn: "1" },
    { content: "answer on the secret to ann", role: "assistant", turn: "1" },
    { content: "secret said by bob", scope: "person:feishu:bob", turn: "2" },
    { content: "ann joins the turn with a secret", scope: "person:feishu:ann", turn: "2" },
    { content: "secret answer to both", role: "assistant", turn: "2" },
    { content: "secret of who knows whom", turn: "3" },
    { content: "secret answer to who knows whom", role: "assistant", turn: "3" },
  ]);
  using keeper = world.readKeeper("person");
  const found = (scope: string) => textsOf(keeper, "secret", { scope }).toSorted();
  assert.deepEqual(found(ann.folder), [
    "answer on the secret to ann",
    "secret of ann in facts",
    "secret of ann in history",
    "secret said by ann",
  ]);
  assert.deepEqual(found(bob.folder), ["secret of bob in facts", "secret said by bob"]);
  assert.deepEqual(found(GLOBAL), []);
  const remindedIn = (scope: string) => {
    const visible = { sessionKey: "feishu:oc_7", sinceMs: null };
    const { hits } = keeper.remind({ text: "secret history", scope, visible, limit: 9 }, NOW_MS);
    return hits.map(({ text }) => text);
  };
  assert.deepEqual(remindedIn(ann.folder), ["secret of ann in history"]);
  assert.deepEqual(remindedIn(bob.folder), ["secret said by bob"]);
});

Deno.test("No search crosses from one chat's memory into another's", () => {
  using world = new RecallWorld();
  const scopeOf = (chatId: string) =>
    memoryScope("chat", { channel: "feishu", chatId, sessionKey: "x" }).folder;
  world.session("feishu:oc_1", [{ content: "walrus one" }]);
  world.session("feishu:oc_2", [{ content: "walrus two" }]);
  world.session("unified:default", [
    { content: "walrus three", scope: "chat:feishu:oc_1", turn: "a" },
    { content: "walrus four", scope: "chat:feishu:oc_2", turn: "b" },
    { content: "walrus five", role: "assistant", turn: "b" },
  ]);
  using keeper = world.readKeeper("chat");
  const found = (chatId: string) =>
    textsOf(keeper, "walrus", { scope: scopeOf(chatId) }).toSorted();
  assert.deepEqual(found("oc_1"), ["walrus one", "walrus three"]);
  assert.deepEqual(found("oc_2"), ["walrus five", "walrus four", "walrus two"]);
});

Deno.test("What the model sees of this conversation is not brought back", () => {
  using world = new RecallWorld();
  world.session("feishu:oc_1", [
    { content: "zebra in the past", atMs: THEN_MS },
    { content: "zebra just now", atMs: THEN_MS + 60_000 },
  ]);
  using keeper = world.readKeeper();
  const remindedFrom = (sessionKey: string, sinceMs: number | null) =>
    keeper.remind(
      { text: "zebra?", scope: GLOBAL, visible: { sessionKey, sinceMs }, limit: 5 },
      NOW_MS,
    ).hits.map(({ text }) => text).toSorted();
  assert.deepEqual(remindedFrom("feishu:oc_1", THEN_MS + 60_000), ["zebra in the past"]);
  assert.deepEqual(remindedFrom("feishu:oc_1", null), []);
  assert.deepEqual(remindedFrom("feishu:oc_2", null), ["zebra in the past", "zebra just now"]);
});

Deno.test.each(
  [
    ["that begins anew at once", "feishu:oc_1", Infinity],
    ["of another chat at once", "feishu:oc_2", Infinity],
    ["that goes on in another chat at once", "feishu:oc_2", THEN_MS],
  ] as const,
)("What was said a moment ago comes to mind in a conversation %s", (_, sessionKey, sinceMs) => {
  using world = new RecallWorld();
  const before = { content: "something else", atMs: THEN_MS };
  world.session("feishu:oc_1", [before]);
  using keeper = world.readKeeper();
  const line = { content: "zebra just now", atMs: THEN_MS + 1 };
  keeper.touched([world.session("feishu:oc_1", [before, line])]);
  const { hits } = keeper.remind(
    { text: "zebra?", scope: GLOBAL, visible: { sessionKey, sinceMs }, limit: 5 },
    NOW_MS,
  );
  assert.deepEqual(hits.map(({ text }) => text), ["zebra just now"]);
});

Deno.test("The file of a conversation that goes on is read behind the answer", () => {
  using world = new RecallWorld();
  const before = { content: "something else", atMs: THEN_MS };
  world.session("feishu:oc_1", [before]);
  using keeper = world.readKeeper();
  const line = { content: "zebra just now", atMs: THEN_MS + 1 };
  keeper.touched([world.session("feishu:oc_1", [before, line])]);
  const visible = { sessionKey: "feishu:oc_1", sinceMs: THEN_MS };
  keeper.remind({ text: "zebra?", scope: GLOBAL, visible, limit: 5 }, NOW_MS);
  assert.equal(keeper.step(), true); // there was something left to read
  const query = { text: "zebra", scope: GLOBAL, limit: 5 };
  assert.deepEqual(keeper.search(query, NOW_MS).hits.map(({ text }) => text), ["zebra just now"]);
});

Deno.test("Facts that stand in the prompt are not brought back; those beyond its room are", () => {
  using world = new RecallWorld();
  const remindedIn = () => {
    using keeper = world.readKeeper();
    const visible = { sessionKey: "x", sinceMs: null };
    const { hits } = keeper.remind({ text: "axolotl?", scope: GLOBAL, visible, limit: 5 }, NOW_MS);
    return hits.map(({ text }) => text);
  };
  world.write("memory/MEMORY.md", "an axolotl\n");
  assert.deepEqual(remindedIn(), []);
  world.write("memory/MEMORY.md", `${"other facts\n".repeat(2_000)}an axolotl\n`);
  assert.deepEqual(remindedIn(), ["an axolotl"]);
});

Deno.test("What strangers wrote stays marked, and what tools gave is not remembered", () => {
  using world = new RecallWorld();
  world.session("feishu:oc_1", [
    { content: "see the gecko\n\n[File: a.txt]\ngecko\n[End of file: a.txt]" },
    { content: "gecko page", role: "tool" },
  ]);
  using keeper = world.readKeeper();
  const { hits } = keeper.search({ text: "gecko", scope: GLOBAL, limit: 5 }, NOW_MS);
  assert.deepEqual(hits.map(({ isForeign }) => isForeign), [true]);
});

Deno.test("Damaged lines, lines of others and long lines cost only themselves", () => {
  using world = new RecallWorld();
  const path = world.session("feishu:oc_1", [{ content: "lynx before" }]);
  world.append(path, `not json\n[1]\n"x"\n{"role":7}\n${"y".repeat(5_000_000)}\n`);
  world.append(path, lineOf({ content: "lynx behind" }));
  world.write("memory/history.jsonl", `{"cursor":1}\nnull\n${historyLine(2, "lynx noted")}`);
  using keeper = world.readKeeper();
  assert.deepEqual(textsOf(keeper, "lynx").toSorted(), [
    "lynx before",
    "lynx behind",
    "lynx noted",
  ]);
});

Deno.test("A search never throws, whatever it is asked", () => {
  using world = new RecallWorld();
  world.session("feishu:oc_1", [{ content: 'a "quoted" NEAR (text) AND 中文* -x ^y' }]);
  using keeper = world.readKeeper("chat");
  const words = fc.constantFrom(
    '"',
    "'",
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    "*",
    "^",
    "text:",
    "-",
    "{",
    "中",
    "文",
  );
  const queries = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.array(words).map((parts) => parts.join(" ")),
    fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 })).map((units) =>
      String.fromCharCode(...units)
    ),
  );
  fc.assert(fc.property(queries, fc.constantFrom("global", "chat:feishu:oc_1"), (text, chat) => {
    const scope = chat === "global" ? GLOBAL : MemoryScope.named("chat:feishu:oc_1").folder;
    keeper.search({ text, scope, limit: 5 }, NOW_MS);
    const visible = { sessionKey: "x", sinceMs: null };
    keeper.remind({ text, scope, visible, limit: 5 }, NOW_MS);
  }));
});

Deno.test("A passage is found by any of its words, and by nothing else", () => {
  using world = new RecallWorld();
  const path = world.session("feishu:oc_1", []);
  using keeper = world.readKeeper();
  let seconds = 1;
  const word = fc.constantFrom(
    "alder",
    "birch",
    "蓝鲸",
    "预算",
    "10.0.0.7",
    "naïve",
    "Straße",
    "한국어",
  );
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 5 }), word, (words, asked) => {
      world.session("feishu:oc_1", [{ content: words.join("，") }]);
      // Within one tick of the disk's clock another text of the same length looks like the same file.
      Deno.utimeSync(join(world.workspace, path), seconds, seconds++);
      keeper.touched([path]);
      assert.equal(textsOf(keeper, asked).length, words.includes(asked) ? 1 : 0);
    }),
    { numRuns: 50 },
  );
});

Deno.test("What cannot be read keeps nothing else from being found", () => {
  using world = new RecallWorld();
  world.session("feishu:oc_1", [{ content: "Herons at the lake", role: "assistant" }]);
  world.write("memory/scopes", "no folder");
  Deno.symlinkSync("loop.jsonl", join(world.workspace, "sessions/loop.jsonl"));
  using keeper = world.keeper("global");
  readAll(keeper);
  const { hits, isPartial } = keeper.search({ text: "heron", scope: GLOBAL, limit: 9 }, NOW_MS);
  assert.deepEqual(hits.map(({ text }) => text), ["Herons at the lake"]);
  assert.equal(isPartial, false);
});

Deno.test("Recall reads through no link that leads out of the workspace", () => {
  using world = new RecallWorld();
  world.write("../outside/MEMORY.md", "otter of a stranger");
  world.write("../outside/said.jsonl", historyLine(1, "otter of another", "2026-01-01 00:00"));
  world.write("notes/facts.md", "otter of ours");
  world.write("memory/.keep", "");
  const link = (target: string, path: string) =>
    Deno.symlinkSync(`${world.workspace}/${target}`, `${world.workspace}/${path}`);
  link("notes/facts.md", "memory/MEMORY.md");
  link("../outside/said.jsonl", "memory/history.jsonl");
  link("../outside/MEMORY.md", "USER.md");
  link("../outside", "sessions");
  using keeper = world.readKeeper();
  assert.deepEqual(textsOf(keeper, "otter"), ["otter of ours"]);
});
