import assert from "node:assert/strict";
import { seededRandom } from "../../../../actors/kernel/random.ts";
import { MemoryScope } from "../../../../actors/memory/scope.ts";
import { historyLine, NOW_MS, RecallWorld, type SaidLine, textsOf } from "./recall_world.ts";

/** What was planted, and how people ask for it much later. */
const FACTS: readonly (readonly [fact: string, ...questions: readonly string[]])[] = [
  ["My cat is called Mimi and she is afraid of thunder.", "what is the name of my cat?", "Mimi"],
  [
    "The staging database listens on port 5433.",
    "which port does the staging database use",
    "5433",
  ],
  [
    "I parked the car on level B3 of the Riverside garage.",
    "where did I park?",
    "riverside garage",
  ],
  ["Dentist appointments are with Dr. Okonkwo on Mondays.", "who is my dentist?", "okonkwo"],
  ["The wifi of the summer house is k7-blue-heron.", "wifi of the summer house", "k7-blue-heron"],
  ["We decided against Kafka because of the operations.", "why did we decide against kafka?"],
  ["Anna is allergic to peanuts and shellfish.", "allergies: what about peanuts?", "ANNA allergic"],
  ["Backups are copied to host 10.20.30.40 at night.", "where do the backups go", "10.20.30.40"],
  ["王小明的生日是五月二十日，他喜欢蓝莓蛋糕。", "王小明的生日是哪天？", "蓝莓蛋糕", "小明 生日"],
  ["服务器的密码放在保险柜第三层。", "上次说的服务器密码在哪里", "保险柜"],
  ["项目蓝鲸的预算是四十万，由李雷负责。", "帮我查一下项目蓝鲸的预算", "李雷负责什么"],
  ["我对青霉素过敏，看病时要告诉医生。", "我对什么药过敏？", "青霉素"],
  ["周会改到每周四下午三点，地点在望江楼会议室。", "周会在哪个会议室", "望江楼"],
  ["奶奶的药每天早晚各一粒，放在厨房抽屉里。", "奶奶的药放在哪里", "厨房抽屉"],
  ["Feishu 机器人的 App ID 是 cli_a1b2c3，归张伟管理。", "张伟管理哪个机器人", "cli_a1b2c3"],
];

const TALK = [
  "please look at the report again and tell me what changed since the last meeting",
  "the weather is fine and the train was late, I will be at the office around ten",
  "can you translate this paragraph and make it a little shorter",
  "书店今天很安静，我看了两个小时的小说，然后去吃面条",
  "请把这段文字翻译成英文，再写一个简短的总结",
  "下午有雨，记得带伞，晚上我们去公园散步",
  "the function returns early when the list is empty, so the test never ran",
  "会议的记录我已经整理好了，麻烦你检查一下格式",
];

Deno.test("Facts planted among 10,000 lines are found in the first three", () => {
  using world = new RecallWorld();
  const random = seededRandom(7);
  const lines: SaidLine[] = Array.from({ length: 10_000 }, (_, index) => {
    const words = `${TALK[Math.floor(random.next() * TALK.length)]} ${index}`;
    return { role: index % 2 === 0 ? "user" : "assistant", content: words, turn: `t${index}` };
  });
  for (const [index, [fact]] of FACTS.entries()) {
    lines.splice(Math.floor(random.next() * lines.length), 0, { content: fact, turn: `f${index}` });
  }
  for (let chat = 0; chat < 10; chat++) {
    world.session(`feishu:oc_${chat}`, lines.filter((_, index) => index % 10 === chat));
  }
  using keeper = world.readKeeper();
  const missed = FACTS.flatMap(([fact, ...questions]) =>
    questions.filter((question) => !textsOf(keeper, question).slice(0, 3).includes(fact))
  );
  assert.deepEqual(missed, []);
});

Deno.test("A message brings back what it is about, without being asked", () => {
  using world = new RecallWorld();
  world.write(
    "memory/history.jsonl",
    FACTS.map(([fact], at) => historyLine(at + 1, fact)).join(""),
  );
  world.session("feishu:oc_9", TALK.map((content) => ({ content })));
  using keeper = world.readKeeper();
  const remindedBy = (text: string) =>
    keeper.remind({
      text,
      scope: MemoryScope.global.folder,
      visible: { sessionKey: "feishu:oc_1", sinceMs: null },
      limit: 3,
    }, NOW_MS).hits.map((hit) => hit.text);
  assert.deepEqual(remindedBy("Shall we use Kafka for the new service?"), [FACTS[5]?.[0]]);
  assert.deepEqual(remindedBy("给王小明订个什么蛋糕好呢"), [FACTS[8]?.[0]]);
});

Deno.test.each([
  "hello",
  "Hi, how are you?",
  "ok thanks!",
  "你好",
  "好的，谢谢",
  "嗯嗯",
  "👍",
  "",
  "…",
  "yes please do it again",
])("Nothing comes to mind at %s", (text) => {
  using world = new RecallWorld();
  world.session("feishu:oc_1", [
    { content: "hello, how are you? thanks, ok, please do it again, yes" },
    { content: "你好，好的，谢谢，嗯嗯 👍" },
  ]);
  using keeper = world.readKeeper();
  const visible = { sessionKey: "feishu:oc_2", sinceMs: null };
  const scope = MemoryScope.global.folder;
  assert.deepEqual(keeper.remind({ text, scope, visible, limit: 5 }, NOW_MS).hits, []);
});

/** As it was archived when tools' results still were, and as nanobot does. */
const ARCHIVE = [
  "[RAW] 4 messages",
  "[2026-03-01T09:30] USER: what about the marina, and which locker was it?",
  '[2026-03-01T09:30] ASSISTANT: [calls recall {"query":"marina locker"}]',
  "[2026-03-01T09:30] TOOL recall: ⟦Untrusted content from memory⟧",
  "1. [2026-02-01 10:00, feishu:oc_1, the person] the walrus has the key of the marina locker",
  "[2026-03-01T09:31] ASSISTANT: I do not know about the marina locker.",
].join("\n");

Deno.test("What people said stands above archives that hold more of the words", () => {
  using world = new RecallWorld();
  const archives = Array.from({ length: 30 }, (_, at) => ARCHIVE.replace("which", `which ${at}`));
  world.write(
    "memory/history.jsonl",
    archives.map((text, at) => historyLine(at + 1, text)).join(""),
  );
  const fact = "The marina locker opens with Quokka-4711.";
  world.session("feishu:oc_1", [...TALK.map((content) => ({ content })), { content: fact }]);
  using keeper = world.readKeeper();
  assert.equal(textsOf(keeper, "which marina locker")[0], fact);
});

Deno.test("What tools gave is not found in archives either", () => {
  using world = new RecallWorld();
  world.write("memory/history.jsonl", historyLine(1, ARCHIVE));
  using keeper = world.readKeeper();
  assert.deepEqual(textsOf(keeper, "walrus"), []);
  assert.match(textsOf(keeper, "marina")[0] ?? "", /what about the marina.* I do not know about/);
});

Deno.test("What says the same is found once, and what differs by a number each time", () => {
  using world = new RecallWorld();
  world.write(
    "memory/history.jsonl",
    [
      "- The birthday of Brunhilde is on 17 May.",
      "the birthday of Brunhilde is on 17 May",
      "The birthday of Brunhilde is on 17 May; noted.",
      "The birthday of Brunhilde is on 18 May.",
    ].map((text, at) => historyLine(at + 1, text)).join(""),
  );
  using keeper = world.readKeeper();
  assert.deepEqual(textsOf(keeper, "Brunhilde").map((text) => /\d+/.exec(text)?.[0]).toSorted(), [
    "17",
    "18",
  ]);
});

Deno.test("Of a long passage the part is shown where most of the words stand", () => {
  using world = new RecallWorld();
  const filler = TALK.slice(0, 3).join(" ");
  const text =
    `The locker is red. ${filler} ${filler} the marina locker opens with Quokka. ${filler}`;
  world.session("feishu:oc_1", [{ content: text }]);
  using keeper = world.readKeeper();
  assert.match(textsOf(keeper, "marina locker")[0] ?? "", /opens with Quokka/);
});
