import assert from "node:assert/strict";
import { serverTools } from "../../../../actors/tools/mcp/server_tools.ts";
import type { McpUse } from "../../../../actors/tools/mcp/connection.ts";
import { type McpListing, parseEntries } from "../../../../actors/tools/mcp/wire.ts";
import { toolBench } from "../../../support/tool_context.ts";

const LISTING: McpListing = {
  tools: [
    { name: "read", description: "Reads", schema: {}, isReadOnly: true },
    { name: "write", description: "", schema: { type: "string" }, isReadOnly: false },
  ],
  resources: [{ name: "notes", description: "All of them", uri: "file:///notes.md" }],
  templates: [{ name: "page", description: "", uri: "wiki://{space}/{+path}{?rev,lang}" }],
  prompts: [{
    name: "review",
    description: "For code",
    arguments: [
      { name: "code", description: "What to look at", isRequired: true },
      { name: "tone", description: "", isRequired: false },
    ],
  }],
  leftOut: 0,
};

function made(enabledTools: readonly string[], listing: McpListing = LISTING) {
  const uses: McpUse[] = [];
  const { tools, notes } = serverTools(listing, {
    ...{ server: "s", prefix: "mcp_s_", others: [], enabledTools, needs: {}, timeoutMs: 1_000 },
    use: (use) => {
      uses.push(use);
      return Promise.resolve({ content: "", isError: false });
    },
  });
  return { tools, notes, uses, names: tools.map(({ name }) => name) };
}

Deno.test("A schema that is nested without end costs no tool", () => {
  const inputSchema = JSON.parse('{"not":'.repeat(20_000) + "{}" + "}".repeat(20_000));
  const { entries } = parseEntries("tools", [{ name: "odd", inputSchema }, { name: "plain" }]);
  assert.deepEqual(entries.map(({ name, schema }) => [name, schema]), [["odd", {}], ["plain", {}]]);
});

Deno.test.each<[readonly string[], readonly string[]]>([
  [["*"], ["read", "write", "resource_notes", "resource_page", "prompt_review"]],
  [[], []],
  [["read"], ["read"]],
  [["mcp_s_write", "resource_notes"], ["write", "resource_notes"]],
  [["prompt_review", "read", "*"], [
    "read",
    "write",
    "resource_notes",
    "resource_page",
    "prompt_review",
  ]],
])("enabledTools %j gives %j", (enabled, expected) => {
  const { names, notes } = made(enabled);
  assert.deepEqual(names, expected.map((name) => `mcp_s_${name}`));
  assert.deepEqual(notes, []);
});

Deno.test("What enabledTools names and a server does not offer is said, with what it offers", () => {
  const { names, notes } = made(["reed"]);
  assert.deepEqual(names, []);
  assert.match(
    notes.join(),
    /names reed, which it does not offer \(it offers read, write, resource_notes/,
  );
});

Deno.test("Resources and prompts only read, have descriptions, and prompts their arguments", () => {
  const { tools } = made(["*"]);
  const [read, write, notes, page, review] = tools;
  assert.deepEqual(tools.map(({ concurrency }) => concurrency), [
    ...["shared", "exclusive", "shared", "shared", "shared"],
  ]);
  assert.match(read?.description ?? "", /describes it so: Reads$/);
  assert.match(write?.description ?? "", /describes it so: \(nothing\)$/);
  assert.match(notes?.description ?? "", /Reads the resource file:\/\/\/notes\.md\. All of them$/);
  assert.deepEqual(write?.parameters, { type: "object", properties: {} });
  assert.deepEqual(notes?.parameters, { type: "object", properties: {} });
  assert.deepEqual(page?.parameters["required"], ["space", "path", "rev", "lang"]);
  assert.deepEqual(review?.parameters, {
    type: "object",
    properties: {
      code: { type: "string", description: "What to look at" },
      tone: { type: "string" },
    },
    required: ["code"],
  });
});

Deno.test("Arguments with letters that providers refuse have other names for models alone", async () => {
  await using bench = await toolBench();
  const properties = {
    $filter: { type: "string" },
    _filter: {},
    "a.b": {},
    "天气": { type: "integer" },
  };
  const schema = { type: "object", properties, required: ["$filter", "a.b"] };
  const tool = { name: "list", description: "", schema, isReadOnly: true };
  const { tools: [list], uses } = made(["*"], { ...LISTING, tools: [tool] });
  const { properties: shown = {}, required } = list?.parameters ?? {};
  const [filter = "", plain, dotted, weather = ""] = Object.keys(shown ?? {});
  assert.match(filter, /^_filter_[0-9a-f]{6}$/);
  assert.deepEqual([plain, dotted], ["_filter", "a.b"]);
  assert.match(weather, /^__[0-9a-f]{6}$/);
  assert.deepEqual(required, [filter, "a.b"]);
  await list?.call({ [filter]: "x", _filter: 1, "a.b": 2, [weather]: "3" }, bench.context);
  assert.deepEqual(uses, [{
    ...{ type: "tool", name: "list" },
    args: { $filter: "x", _filter: 1, "a.b": 2, "天气": 3 },
  }]);
  await assert.rejects(async () => await list?.call({ "a.b": 2 }, bench.context), /filter/);
});

Deno.test("Uses carry what was asked for, filled in where an address has names", async () => {
  await using bench = await toolBench();
  const { tools, uses } = made(["*"]);
  const [read, , notes, page, review] = tools;
  await read?.call({ a: 1 }, bench.context);
  await notes?.call({}, bench.context);
  await page?.call({ space: "a/b", path: "x/y z", rev: "1&2", lang: "de" }, bench.context);
  await review?.call({ code: "x = 1" }, bench.context);
  assert.deepEqual(uses, [
    { type: "tool", name: "read", args: { a: 1 } },
    { type: "resource", uri: "file:///notes.md" },
    { type: "resource", uri: "wiki://a%2Fb/x/y%20z?rev=1%262&lang=de" },
    { type: "prompt", name: "review", args: { code: "x = 1" } },
  ]);
});
