import assert from "node:assert/strict";
import type { JsonObject } from "../../../../actors/kernel/json.ts";
import { checkedSchema, shownSchema } from "../../../../actors/tools/mcp/shown_schema.ts";

function shown(schema: JsonObject): JsonObject {
  return shownSchema(schema, (text) => text.replaceAll("⟦", "["));
}

function property(schema: JsonObject, more: JsonObject = {}): unknown {
  const { properties } = shown({ type: "object", properties: { p: schema }, ...more });
  return properties instanceof Object ? Reflect.get(properties, "p") : undefined;
}

Deno.test.each<[JsonObject, JsonObject]>([
  [{ type: ["string", "null"] }, { type: "string", nullable: true }],
  [{ anyOf: [{ type: "integer" }, { type: "null" }] }, { type: "integer", nullable: true }],
  [{ oneOf: [{ type: "null" }, { type: "object", properties: {} }], title: "T" }, {
    type: "object",
    properties: {},
    title: "T",
    nullable: true,
  }],
  [{ type: ["string", "integer"] }, { type: ["string", "integer"] }],
  [{ anyOf: [{ type: "string" }, { type: "integer" }] }, {
    anyOf: [{ type: "string" }, { type: "integer" }],
  }],
  [{ allOf: [{ type: "string" }], description: "d⟦" }, { type: "string", description: "d[" }],
  [{ type: "array", items: { type: ["number", "null"] } }, {
    type: "array",
    items: { type: "number", nullable: true },
  }],
])("A schema %o is shown as %o", (schema, expected) => {
  assert.deepEqual(property(schema), expected);
});

Deno.test("A reference is resolved, one that goes round in a circle ends, and one elsewhere is open", () => {
  const $defs = { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } };
  const whole = JSON.stringify(shown({ properties: { n: { $ref: "#/$defs/Node" } }, $defs }));
  assert.ok(!whole.includes("$ref") && !whole.includes("$defs") && whole.length < 5_000);
  assert.deepEqual(property({ $ref: "https://example.org/s.json" }), {});
});

Deno.test.each<JsonObject>([{}, { type: "string" }, { properties: [1] }, { type: "object" }])(
  "The root of %o is an object with properties",
  (schema) => {
    const { type, properties } = shown(schema);
    assert.deepEqual([type, properties], ["object", {}]);
  },
);

Deno.test("A schema that is too large to show leaves a tool that can still be called", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`property_${at}`, { description: "x".repeat(50) }]),
  );
  assert.ok(JSON.stringify(shown({ properties })).length < 30_000);
  const wide = {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "#/$defs/a" } },
  };
  const unfolding = { ...wide, $defs: { a: wide } };
  assert.ok(JSON.stringify(shown(unfolding)).length < 30_000);
});

Deno.test("Arguments are checked without a server's expressions, and not by schemas beyond measure", () => {
  const properties = { pattern: { type: "string", pattern: "(a+)+$" }, b: { type: "integer" } };
  assert.deepEqual(
    checkedSchema({ type: "object", properties, patternProperties: { "(a+)+$": {} } }),
    {
      type: "object",
      properties: { pattern: { type: "string" }, b: { type: "integer" } },
    },
  );
  assert.deepEqual(checkedSchema({ type: "object", enum: ["x".repeat(300_000)] }), {
    type: "object",
  });
});
