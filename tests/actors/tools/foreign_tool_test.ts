import assert from "node:assert/strict";
import { defineForeignTool } from "../../../actors/tools/foreign_tool.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { toolBench } from "../../support/tool_context.ts";

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    place: { $ref: "#/$defs/Place" },
    count: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] },
    code: { type: "string", pattern: "^[A-Z]+$" },
    mode: { enum: ["a", "b"] },
    free: {},
  },
  required: ["place"],
  $defs: {
    Place: { type: "object", properties: { level: { type: "integer" } }, required: ["level"] },
  },
};

async function run(args: JsonObject, schema: JsonObject = SCHEMA): Promise<string> {
  await using bench = await toolBench();
  const tool = defineForeignTool({
    name: "mcp_x_y",
    description: "",
    schema,
    needs: {},
    concurrency: "exclusive",
    timeoutMs: 1_000,
    run: (parameters) => Promise.resolve({ content: JSON.stringify(parameters), isError: false }),
  });
  const { content } = await tool.call(args, bench.context);
  return String(content);
}

Deno.test.each<[JsonObject, JsonObject]>([
  [{ place: { level: "3" } }, { place: { level: 3 } }],
  [{ place: { level: 1 }, count: "2" }, { place: { level: 1 }, count: 2 }],
  [{ place: { level: 1 }, count: null }, { place: { level: 1 }, count: null }],
  [{ place: { level: 1 }, code: null }, { place: { level: 1 } }],
  [{ place: { level: 1 }, free: [1, { a: null }], more: "x" }, {
    place: { level: 1 },
    free: [1, { a: null }],
    more: "x",
  }],
])("A foreign tool takes %o", async (args, expected) => {
  assert.deepEqual(JSON.parse(await run(args)), expected);
});

Deno.test.each<[JsonObject, RegExp]>([
  [{}, /: place is missing\. It takes place \(any\), count \(any, optional\), code \(string/],
  [{ place: {} }, /place\.level is missing/],
  [{ place: { level: 1 }, count: 0 }, /count: /],
  [{ place: { level: 1 }, code: "x1" }, /code: .*pattern/],
  [{ place: { level: 1 }, mode: "c" }, /mode: /],
])("A foreign tool says what is wrong with %o", async (args, problem) => {
  await assert.rejects(run(args), { code: "arguments_invalid", message: problem });
});

Deno.test.each<JsonObject>([
  { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { $ref: "#/$defs/A" } } },
  { type: "object", properties: { a: { $ref: "http://elsewhere/schema" } } },
  { type: "object", properties: { a: { type: "string", pattern: "(" } } },
])("A foreign schema that makes no sense does not take the tool away: %o", async (schema) => {
  assert.equal(await run({ a: "x" }, schema), '{"a":"x"}');
});
