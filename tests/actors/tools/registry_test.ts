import assert from "node:assert/strict";
import { z } from "zod";
import { castArguments } from "../../../actors/tools/cast_arguments.ts";
import { defineTool, textResult } from "../../../actors/tools/define_tool.ts";
import { messageTool } from "../../../actors/tools/message.ts";
import { ToolRegistry } from "../../../actors/tools/registry.ts";
import type { Tool } from "../../../actors/tools/tool.ts";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { toolBench } from "../../support/tool_context.ts";

function tool(name: string, run: () => Promise<void> = () => Promise.resolve()): Tool {
  return defineTool({
    name,
    description: name,
    parameters: z.object({ count: z.int().min(1), note: z.string().optional() }),
    needs: {},
    concurrency: "shared",
    timeoutMs: 5_000,
    run: async ({ count }) => {
      await run();
      return textResult(`${name} ${count}`);
    },
  });
}

const castSchema: JsonObject = {
  type: "object",
  required: ["needed"],
  properties: {
    whole: { type: "integer" },
    part: { type: "number" },
    flag: { type: "boolean" },
    text: { type: "string" },
    list: { type: "array", items: { type: "integer" } },
    inner: { type: "object", properties: { n: { type: "integer" } } },
    maybe: { type: ["string", "null"] },
    needed: { type: "string" },
  },
};

const casts: readonly (readonly [JsonObject, JsonObject])[] = [
  [{ whole: "42" }, { whole: 42 }],
  [{ whole: "5.0" }, { whole: 5 }],
  [{ whole: true }, { whole: true }],
  [{ whole: "five" }, { whole: "five" }],
  [{ part: "3.14" }, { part: 3.14 }],
  [{ part: "nan" }, { part: "nan" }],
  [{ flag: "NO" }, { flag: false }],
  [{ flag: "1" }, { flag: true }],
  [{ text: { a: [1] } }, { text: '{"a":[1]}' }],
  [{ text: "" }, { text: "" }],
  [{ text: 7 }, { text: "7" }],
  [{ list: ["1", 2] }, { list: [1, 2] }],
  [{ list: "1" }, { list: "1" }],
  [{ inner: { n: "1", other: "1" } }, { inner: { n: 1, other: "1" } }],
  [{ maybe: null }, { maybe: null }],
  [{ text: null }, {}],
  [{ needed: null }, { needed: null }],
  [{ unknown: "7" }, { unknown: "7" }],
];

for (const [given, expected] of casts) {
  Deno.test(`castArguments turns ${JSON.stringify(given)} into ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(castArguments(given, castSchema), expected);
  });
}

Deno.test("ToolRegistry lists built-in tools by name and MCP tools after them", () => {
  const names = ["mcp_git_status", "write_file", "read_file", "mcp_fs_list"];
  const registry = new ToolRegistry(new ManualClock(), names.map((name) => tool(name)));
  const listed = () => registry.definitions().map(({ name }) => name);
  assert.deepEqual(listed(), ["read_file", "write_file", "mcp_fs_list", "mcp_git_status"]);
  registry.add(tool("exec"));
  assert.equal(listed()[0], "exec");
});

Deno.test("ToolRegistry gives the model the schema of the parameters", () => {
  const registry = new ToolRegistry(new ManualClock(), [tool("a")]);
  const parameters: JsonValue = registry.definitions()[0]?.parameters ?? null;
  assert.partialDeepStrictEqual(parameters, {
    type: "object",
    required: ["count"],
    properties: { count: { type: "integer", minimum: 1 }, note: { type: "string" } },
  });
});

Deno.test("ToolRegistry answers wrong calls with errors that help to repair them", async () => {
  await using bench = await toolBench();
  const registry = new ToolRegistry(new ManualClock(), [
    tool("a"),
    tool("broken", () => Promise.reject(new Error("no luck"))),
  ]);
  const answer = (name: string, args: JsonObject) => registry.run(name, args, bench.context);
  assert.deepEqual(await answer("a", { count: "2" }), { content: "a 2", isError: false });
  const unknown = await answer("b", {});
  assert.deepEqual([unknown.isError, unknown.content], [
    true,
    'Error: Cannot run "b": there is no such tool. Available: a, broken',
  ]);
  assert.match(String((await answer("a", { count: 0 })).content), /^Error: .*count: /);
  assert.match(String((await answer("a", {})).content), /^Error: .*count is missing/);
  assert.deepEqual(await answer("broken", { count: 1 }), {
    content: "Error: no luck",
    isError: true,
  });
});

Deno.test("ToolRegistry ends a call at its time limit with an error result", async () => {
  await using bench = await toolBench();
  const clock = new ManualClock();
  const registry = new ToolRegistry(clock, [tool("slow", () => new Promise(() => {}))]);
  const running = registry.run("slow", { count: 1 }, bench.context);
  await clock.advance(5_000);
  const { content, isError } = await running;
  assert.deepEqual([isError, content], [
    true,
    'Error: "slow" took longer than 5 s and was ended',
  ]);
  assert.equal(clock.pending, 0);
});

Deno.test("ToolRegistry lets an abort of the turn through, at once", async () => {
  await using bench = await toolBench();
  const stop = new AbortController();
  const clock = new ManualClock();
  const registry = new ToolRegistry(clock, [tool("slow", () => new Promise(() => {}))]);
  const context = { ...bench.context, signal: stop.signal };
  const running = registry.run("slow", { count: 1 }, context);
  stop.abort(new Error("stopped"));
  await assert.rejects(running, /stopped/);
  assert.equal(clock.pending, 0);
});

Deno.test("message sends to this chat by default, with files of the workspace only", async () => {
  await using bench = await toolBench();
  await Deno.writeTextFile(`${bench.workspace}/r.txt`, "x");
  await Deno.writeTextFile(`${bench.root}/secret.txt`, "x");
  await messageTool.call({ content: "here", media: ["r.txt"] }, bench.context);
  await messageTool.call({ content: "there", channel: "slack", chat_id: "C1" }, bench.context);
  assert.deepEqual(bench.sent, [
    { channel: "feishu", chatId: "oc_1", content: "here", media: [`${bench.workspace}/r.txt`] },
    { channel: "slack", chatId: "C1", content: "there", media: [] },
  ]);
  const calls: readonly (readonly [JsonObject, string])[] = [
    [{ content: "", media: ["../secret.txt"] }, "path_outside"],
    [{ content: "", media: ["none.txt"] }, "path_missing"],
    [{ content: "", media: ["."] }, "path_missing"],
    [{ content: "  " }, "arguments_invalid"],
  ];
  for (const [args, code] of calls) {
    await assert.rejects(messageTool.call(args, bench.context), { code });
  }
  assert.equal(bench.sent.length, 2);
});

Deno.test("A tool that is hidden is not offered, and says itself why it does not run", async () => {
  const broken = tool("broken", () => Promise.reject(new Error("it is off, as bwrap is missing")));
  const registry = new ToolRegistry(new ManualClock(), [tool("fine"), broken]);
  assert.equal(registry.definitions().length, 2);
  registry.hide("broken");
  assert.deepEqual(registry.definitions().map(({ name }) => name), ["fine"]);
  await using bench = await toolBench();
  const { content } = await registry.run("broken", { count: 1 }, bench.context);
  assert.match(String(content), /it is off, as bwrap is missing/);
});

Deno.test("Tools of a group come in place of those before, and take no name that is taken", () => {
  const registry = new ToolRegistry(new ManualClock(), [tool("read_file")]);
  const names = () => registry.definitions().map(({ name }) => name);
  assert.deepEqual(registry.replaceGroup("a", [tool("mcp_a_x"), tool("mcp_a_y")]), []);
  assert.deepEqual(registry.replaceGroup("b", [tool("read_file"), tool("mcp_a_x")]), [
    "read_file",
    "mcp_a_x",
  ]);
  assert.deepEqual(names(), ["read_file", "mcp_a_x", "mcp_a_y"]);
  registry.replaceGroup("a", [tool("mcp_a_y")]);
  assert.deepEqual(names(), ["read_file", "mcp_a_y"]);
  registry.replaceGroup("a", []);
  assert.deepEqual(names(), ["read_file"]);
});
