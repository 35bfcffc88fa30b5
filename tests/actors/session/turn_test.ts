import assert from "node:assert/strict";
import { providerError } from "../../support/scripted_provider.ts";
import type { ScriptedAnswer } from "../../support/scripted_provider.ts";
import { type BenchTool, SessionBench } from "../../support/session_bench.ts";
import { until } from "../../support/until.ts";
import type { ChatMessage, FinishReason } from "../../../providers/provider.ts";

const USAGE = { promptTokens: 10, completionTokens: 2, totalTokens: 12 };

Deno.test("Turn stores each result when it is there and shows all in call order", async () => {
  await using bench = new SessionBench({
    script: [
      { text: "Let me look.", calls: [{ name: "slow", id: "a" }, { name: "fast", id: "b" }] },
      "done",
    ],
    tools: {
      slow: {
        concurrency: "shared",
        run: async () => {
          await until(() => bench.story().includes("tool b fast result"));
          return "slow result";
        },
      },
      fast: { concurrency: "shared", run: () => "fast result" },
    },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.provider.requests[1]?.messages.slice(-2).map(textOf), [
    "slow result",
    "fast result",
  ]);
  assert.deepEqual(bench.story(), [
    "user hi",
    "assistant Let me look.[slow a][fast b]",
    "tool b fast result",
    "tool a slow result",
    "assistant done",
  ]);
});

Deno.test("Turn keeps thoughts with the message that had them, and sends them back", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "look" }], reasoning: "I should look" }, "done"],
    tools: { look: { run: () => "x" } },
  });
  await bench.say("hi");
  await bench.quiet();
  const asked = bench.provider.requests[1]?.messages.find(({ role }) => role === "assistant");
  assert.equal(asked?.role === "assistant" && asked.reasoning_content, "I should look");
});

Deno.test("Turn puts time and chat before the words for the model and stores neither", async () => {
  await using bench = new SessionBench({ script: ["one", "two"] });
  await bench.say("hi");
  await bench.quiet();
  await bench.say("again");
  await bench.quiet();
  const [first, second] = bench.provider.requests.map(({ messages }) => messages);
  assert.match(textOf(first?.[1]), /Time: 2026-01-01 00:00.*\n.*feishu\n.*oc_1[^]*hi$/);
  assert.deepEqual(second?.slice(1, 3).map(textOf), ["hi", "one"]);
  assert.equal(textOf(first?.[0]), "You talk on feishu.");
});

Deno.test("Turn shows images as blocks, names other files, and stores where they are", async () => {
  await using bench = new SessionBench({ script: ["ok"] });
  await bench.say("look", { media: ["/m/cat.png", "/m/list.pdf"] });
  await bench.quiet();
  const content = bench.provider.requests[0]?.messages[1]?.content;
  assert.ok(Array.isArray(content));
  assert.deepEqual(content.map(({ type }) => type), ["text", "image_url", "text"]);
  assert.match(JSON.stringify(content), /list\.pdf/);
  assert.match(bench.story()[0] ?? "", /look\n\[image: \/m\/cat\.png\]\n.*list\.pdf/);
});

Deno.test("Turn tells the model of arguments it cannot use, and runs nothing", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "write", invalid: '{"path":' }] }, "sorry"],
    tools: { write: { run: () => "written" } },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.ran, []);
  assert.match(bench.story()[2] ?? "", /^tool \S+ Error: the arguments of write cannot be used/);
});

Deno.test("Turn makes a tool that throws a result for the model", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "bad" }] }, "I see"],
    tools: {
      bad: {
        run: () => {
          throw new Error("out of order");
        },
      },
    },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.match(bench.story()[2] ?? "", /Error: bad failed: out of order/);
  assert.deepEqual(bench.replies(), ["I see"]);
});

Deno.test("Turn tells apart calls that share an id", async () => {
  await using bench = new SessionBench({
    script: [
      { calls: [{ name: "a", id: "call_1" }, { name: "b", id: "call_1" }] },
      { calls: [{ name: "c", id: "call_1" }] },
      "done",
    ],
    tools: { a: { run: () => "A" }, b: { run: () => "B" }, c: { run: () => "C" } },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.story().filter((line) => line.startsWith("tool")), [
    "tool call_1 A",
    "tool call_1_2 B",
    "tool call_1 C",
  ]);
});

Deno.test("Turn keeps a long result in a file of its own and shows its beginning", async () => {
  await using bench = new SessionBench({
    script: [
      { calls: [{ name: "dump", id: "same" }] },
      { calls: [{ name: "dump", id: "same" }] },
      "done",
    ],
    tools: { dump: { run: () => "x".repeat(5_000) } },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.equal(bench.written.size, 2);
  const [path] = [...bench.written.keys()];
  assert.match(path ?? "", /^\/workspace\/\.nanobot\/tool-results\/feishu_3Aoc_1\/.+\.txt$/);
  const shown = textOf(bench.provider.requests[1]?.messages.at(-1));
  assert.ok(shown.includes(path ?? "none") && shown.length < 2_000, shown);
});

Deno.test("Turn does not look the same thing up a third time", async () => {
  const fetching = (url: string) => ({ calls: [{ name: "web_fetch", args: { url } }] });
  await using bench = new SessionBench({
    script: [fetching("u"), fetching("u"), fetching("u"), fetching("v"), "done"],
    tools: { web_fetch: { run: () => "page" } },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.ran.length, 3);
  assert.match(bench.story()[6] ?? "", /Error: web_fetch was already called twice/);
});

const UNRUN: FinishReason[] = ["length", "content_filter", "refusal", "other"];

Deno.test.each(UNRUN)("Turn does not run calls that end with %s", async (finishReason) => {
  const script: ScriptedAnswer[] = [
    { text: "I will", calls: [{ name: "write" }], finishReason },
    { text: " try smaller" },
  ];
  await using bench = new SessionBench({ script, tools: { write: { run: () => "written" } } });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.ran, []);
  const isCut = finishReason === "length";
  assert.deepEqual(bench.replies(), [isCut ? "I will try smaller" : "I will"]);
  const prompt = textOf(bench.provider.requests[1]?.messages.at(-1));
  assert.equal(/cut off at the length limit.*not\s+run/.test(prompt), isCut);
});

Deno.test("Turn runs calls that end with stop", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "look" }], finishReason: "stop" }, "done"],
    tools: { look: { run: () => "x" } },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.ran, ["look {}"]);
});

Deno.test("Turn joins the pieces of an answer that is cut off into one", async () => {
  await using bench = new SessionBench({
    script: [
      { text: "Hello wor", finishReason: "length" },
      { text: "ld, and good", finishReason: "length" },
      { text: "bye." },
    ],
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["Hello world, and goodbye."]);
  assert.deepEqual(bench.story(), ["user hi", "assistant Hello world, and goodbye."]);
  assert.match(textOf(bench.provider.requests[2]?.messages.at(-1)), /cut off/);
  assert.equal(textOf(bench.provider.requests[2]?.messages.at(-2)), "Hello world, and good");
});

Deno.test("Turn gives what there is of an answer that is always cut off, after four calls", async () => {
  await using bench = new SessionBench({
    script: () => ({ text: "more ", finishReason: "length" }),
  });
  await bench.say("hi");
  await bench.quiet();
  assert.equal(bench.provider.requests.length, 4);
  assert.deepEqual(bench.replies(), ["more more more more"]);
});

Deno.test("Turn asks again for a blank answer, the last time without tools", async () => {
  await using bench = new SessionBench({
    script: [{ text: "<think>hm</think>" }, { text: " " }, { text: "here" }],
    tools: { look: { run: () => "x" } },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.provider.requests.map(({ tools }) => tools.length), [1, 1, 0]);
  assert.deepEqual(bench.replies(), ["here"]);
  assert.deepEqual(bench.story(), ["user hi", "assistant here"]);
});

Deno.test("Turn says so when the model says nothing at all", async () => {
  await using bench = new SessionBench({
    script: (_request, index) => index === 1 ? { error: providerError("provider_empty") } : {},
  });
  await bench.say("hi");
  await bench.quiet();
  assert.equal(bench.provider.requests.length, 3);
  assert.match(bench.replies()[0] ?? "", /could not put an answer into words/);
  assert.equal(bench.story().length, 2);
});

Deno.test("Turn counts blank answers anew after tools", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "a" }] }, {}, { calls: [{ name: "a" }] }, "text"],
    tools: { a: { run: () => "x" } },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.equal(bench.provider.requests.length, 4);
  assert.deepEqual(bench.replies(), ["text"]);
});

Deno.test("Turn tells of a model failure without storing its text", async () => {
  await using bench = new SessionBench({
    script: [{ error: providerError("provider_auth", "The key was refused.") }, "fine"],
  });
  const inbound = await bench.say("hi");
  await bench.quiet();
  assert.equal(bench.replies()[0], "The key was refused.");
  assert.deepEqual(bench.rows()[0]?.settles, [
    { platformId: inbound.platformId, outcome: "failed" },
  ]);
  assert.equal((await bench.journal.counts()).inbounds.failed, 1);
  await bench.say("again");
  await bench.quiet();
  const roles = bench.provider.requests[1]?.messages.map(({ role }) => role);
  assert.deepEqual(roles, ["system", "user", "assistant", "user"]);
  assert.doesNotMatch(bench.story().join("\n"), /refused/);
});

Deno.test("Turn stops at its limit of tool rounds and tells what it did", async () => {
  await using bench = new SessionBench({
    script: () => ({ calls: [{ name: "look" }, { name: "look" }] }),
    tools: { look: { run: () => "x" } },
    settings: { toolIterationsMax: 3 },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.equal(bench.provider.requests.length, 3);
  assert.match(bench.replies()[0] ?? "", /limit of 3 .*look × 6/);
  assert.match(bench.story().at(-1) ?? "", /^assistant I reached the limit/);
});

Deno.test("Turn runs 64 calls of one answer and tells the model of the rest", async () => {
  let runs = 0;
  await using bench = new SessionBench({
    script: [
      { calls: Array.from({ length: 70 }, (_, n) => ({ name: "look", id: `c${n}` })) },
      { calls: [{ name: "look", id: "later" }] },
      "done",
    ],
    tools: { look: { run: () => `run ${++runs}` } },
  });
  await bench.say("hi");
  await bench.quiet();
  const results = bench.provider.requests[2]?.messages.filter(({ role }) => role === "tool");
  const contents = results?.map(({ content }) => String(content)) ?? [];
  assert.equal(contents.length, 71);
  assert.equal(contents.filter((text) => text.startsWith("Error: not run")).length, 6);
  assert.deepEqual([runs, contents.at(-1)], [65, "run 65"]);
  assert.deepEqual(bench.replies(), ["done"]);
});

Deno.test("Turn stores an answer without sending it when a tool just sent one home", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "message" }] }, "I sent it."],
    tools: { message: { run: sendTo("feishu", "oc_1", "the file") } },
  });
  const inbound = await bench.say("send it", { context: { message_id: "om_1" } });
  await bench.quiet();
  const [sent, answer] = bench.rows();
  assert.deepEqual([sent?.content, sent?.context], ["the file", { message_id: "om_1" }]);
  assert.match(sent?.key ?? "", /^w\d+-\d+:1:0$/);
  assert.equal(answer?.content, "");
  assert.deepEqual(answer?.settles, [{ platformId: inbound.platformId, outcome: "done" }]);
  assert.equal(bench.story().at(-1), "assistant I sent it.");
});

Deno.test("Turn takes a blank answer as its end when a tool just sent one home", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "message" }] }, {}],
    tools: { message: { run: sendTo("feishu", "oc_1", "all there is") } },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["all there is", ""]);
  assert.equal(bench.provider.requests.length, 2);
});

Deno.test("Turn sends its answer after a message home earlier in the turn", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "message" }] }, { calls: [{ name: "look" }] }, "the answer"],
    tools: {
      message: { run: sendTo("feishu", "oc_1", "I am on it") },
      look: { run: () => "x" },
    },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["I am on it", "the answer"]);
});

Deno.test("Turn sends its answer after a message to another chat", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "message" }] }, "told them"],
    tools: { message: { run: sendTo("telegram", "7", "news") } },
  });
  await bench.say("tell them");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["told them"]);
  assert.deepEqual(bench.replies("telegram"), ["news"]);
  assert.deepEqual(bench.rows("telegram")[0]?.context, {});
});

Deno.test("Turn refuses a message to a channel that there is not", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "message" }] }, "no such channel"],
    tools: { message: { run: sendTo("fax", "7", "news") } },
  });
  await bench.say("tell them");
  await bench.quiet();
  assert.match(bench.story()[2] ?? "", /Error: .*Cannot send to "fax"/);
});

Deno.test("Turn shows how far a tool has come while it runs, and nothing of it afterwards", async () => {
  let late: ((text: string) => void) | undefined;
  await using bench = new SessionBench({
    script: [{ text: "", calls: [{ name: "exec" }] }, "Done."],
    tools: {
      exec: {
        run: (_args, { report }) => {
          report?.("3 of 9");
          late = report;
          return "x";
        },
      },
    },
  });
  await bench.say("hi", { wantsStream: true });
  await bench.quiet();
  late?.("4 of 9");
  await bench.quiet();
  const told = bench.outboxes.get("feishu")?.received ?? [];
  const shown = told.flatMap((message) =>
    message.type === "stream_grew" ? [message.progress ?? ""] : []
  );
  assert.deepEqual(shown.filter((text) => text !== ""), ["exec: 3 of 9"]);
  assert.equal(shown.at(-1), "");
});

Deno.test("Turn shows an answer while it grows in the row that ends with it", async () => {
  await using bench = new SessionBench({
    script: [
      {
        voided: "old",
        pieces: ["Let ", "me <thi", "nk>hm</think>look"],
        calls: [{ name: "exec", args: { command: "ls" } }],
      },
      { pieces: ["It is ", "done."] },
    ],
    tools: { exec: { run: () => "x" } },
  });
  await bench.say("hi", { wantsStream: true });
  await bench.quiet();
  const told = bench.outboxes.get("feishu")?.received ?? [];
  const grown = told.flatMap((message) =>
    message.type === "stream_grew" ? [[message.preamble, message.text, message.activity]] : []
  );
  assert.deepEqual(grown, [
    ["", "old", ""],
    ["", "", ""],
    ["", "Let", ""],
    ["", "Let me", ""],
    ["", "Let me look", ""],
    ["Let me look", "", "$ ls"],
    ["Let me look", "", ""],
    ["Let me look", "It is", ""],
    ["Let me look", "It is done.", ""],
  ]);
  const rows = bench.rows();
  assert.deepEqual(rows.map(({ state, content, preamble }) => [state, content, preamble]), [
    ["open", "", ""],
    ["pending", "It is done.", "Let me look"],
  ]);
  assert.equal(rows[0]?.key, rows[1]?.key);
  assert.ok(told.every((message) => message.type !== "progress"));
});

Deno.test("Turn tells what the model thinks only for a channel that shows it", async () => {
  for (const isShown of [true, false]) {
    await using bench = new SessionBench({
      script: [
        { reasoning: "First I look.", text: "Look", calls: [{ name: "exec" }] },
        { reasoning: "It is there.", text: "Done" },
      ],
      tools: { exec: { run: () => "x" } },
      services: { showsReasoning: (channel) => isShown && channel === "feishu" },
    });
    await bench.say("hi", { wantsStream: true });
    await bench.quiet();
    const told = bench.outboxes.get("feishu")?.received ?? [];
    const thoughts = told.flatMap((message) =>
      message.type === "stream_grew" && message.reasoning !== undefined ? [message.reasoning] : []
    );
    const both = "First I look.\n\nIt is there.";
    assert.deepEqual([...new Set(thoughts)], isShown ? ["First I look.", both] : []);
    const rows = JSON.stringify(bench.rows());
    assert.equal(rows.includes("First I look"), false, "it is no part of the answer");
  }
});

Deno.test("Turn keeps what was shown when the model fails half-way", async () => {
  await using bench = new SessionBench({
    script: [{ text: "Half a", error: providerError("provider_timeout", "It took too long.") }],
  });
  await bench.say("hi", { wantsStream: true });
  await bench.quiet();
  assert.equal(bench.replies()[0], "Half a\n\nIt took too long.");
});

Deno.test("Turn sends words on the way and tool hints where nothing grows", async () => {
  await using bench = new SessionBench({
    script: [{ text: "Let me look", calls: [{ name: "read_file", args: { path: "a.md" } }] }, "ok"],
    tools: { read_file: { run: () => "x" } },
  });
  await bench.say("hi");
  await bench.quiet();
  const progress = (bench.outboxes.get("feishu")?.received ?? []).flatMap((message) =>
    message.type === "progress" ? [[message.text, message.isToolHint]] : []
  );
  assert.deepEqual(progress, [["Let me look", false], ["read a.md", true]]);
});

Deno.test("Turn does not show an answer growing that will not be sent", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "message" }] }, { pieces: ["I ", "sent it."] }],
    tools: { message: { run: sendTo("feishu", "oc_1", "the file") } },
  });
  await bench.say("hi", { wantsStream: true });
  await bench.quiet();
  const told = bench.outboxes.get("feishu")?.received ?? [];
  assert.ok(told.every((message) => message.type !== "stream_grew" || message.text === ""));
});

Deno.test("Turn adds up what its model calls used", async () => {
  await using bench = new SessionBench({
    script: [
      { calls: [{ name: "a" }], usage: { ...USAGE, cachedTokens: 4 } },
      { text: "ok", usage: { ...USAGE, promptTokens: 30, cachedTokens: 16 } },
    ],
    tools: { a: { run: () => "x" } },
  });
  await bench.say("hi");
  await bench.quiet();
  await bench.say("/status");
  await bench.quiet();
  assert.match(bench.replies()[1] ?? "", /40 in \/ 4 out \(50% cached\)/);
});

function sendTo(channel: string, chatId: string, content: string): BenchTool["run"] {
  return async (_parameters, { send }) => {
    await send({ channel, chatId, content, media: [] });
    return "sent";
  };
}

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : JSON.stringify(content);
}
