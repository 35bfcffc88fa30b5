import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  isList,
  isObject,
  type JsonObject,
  type JsonValue,
} from "../../../../actors/kernel/json.ts";
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

Deno.test.each<[JsonObject, JsonObject]>([
  [{ type: "banana" }, {}],
  [{ type: ["banana", "string"] }, { type: ["string"] }],
  [{ type: "array" }, { type: "array", items: {} }],
  [{ type: "array", items: [{ type: "string" }] }, { type: "array", items: {} }],
  [{ enum: [] }, {}],
  [{ enum: ["a", "a"] }, { enum: ["a"] }],
  [{ type: "object", properties: { a: true }, required: ["a", "b", 3] }, {
    ...{ type: "object", properties: { a: {} }, required: ["a"] },
  }],
  [{ type: "object", properties: [], required: "a" }, { type: "object" }],
  [{ type: "integer", minimum: "1", exclusiveMinimum: true, maximum: 9 }, {
    ...{ type: "integer", maximum: 9 },
  }],
  [{ type: "string", minLength: -1, description: 5, format: "date" }, {
    ...{ type: "string", format: "date" },
  }],
  [{ anyOf: [1, "x"], additionalProperties: "no" }, {}],
])("Of a schema %o only what makes sense is shown: %o", (schema, expected) => {
  assert.deepEqual(property(schema), expected);
});

Deno.test("Whatever a server sends, what is shown of it makes sense", () => {
  const keyword = fc.constantFrom(
    ...[
      "type",
      "properties",
      "required",
      "items",
      "enum",
      "anyOf",
      "allOf",
      "minimum",
      "a",
      "$ref",
    ],
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<JsonValue>("object", "array", "string", "a", "", 1, true, null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(keyword, tie("value"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(keyword, value, { maxKeys: 5 }), (schema) => {
      const whole = shown(schema);
      assert.equal(whole["type"], "object");
      assert.ok(isObject(whole["properties"]));
      for (const key of ["anyOf", "oneOf", "allOf", "enum"]) assert.ok(!(key in whole));
      assertMeant(whole);
    }),
    { numRuns: 200 },
  );
});

/** Every schema in it has what its keywords ask for. */
function assertMeant(schema: JsonObject): void {
  const { type = "object", properties = {}, required = [], items = {}, enum: values = [0] } =
    schema;
  for (const one of isList(type) ? type : [type]) {
    assert.ok(["object", "array", "string"].includes(String(one)));
  }
  assert.ok(isObject(properties) && isList(required) && isObject(items) && isList(values));
  assert.ok(values.length > 0);
  assert.ok(type !== "array" || "items" in schema);
  for (const name of required) assert.ok(String(name) in properties);
  for (const inner of [...Object.values(properties), ...("items" in schema ? [items] : [])]) {
    assert.ok(isObject(inner));
    assertMeant(inner);
  }
}

Deno.test("A choice at the root, which no provider takes, becomes arguments that may be left out", () => {
  const branch = (name: string) => ({
    ...{ type: "object", properties: { [name]: { type: "string" } }, required: [name] },
  });
  assert.deepEqual(shown({ anyOf: [branch("a"), branch("b")], properties: { c: {} } }), {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" }, c: {} },
  });
  assert.deepEqual(shown({ allOf: [branch("a"), branch("b")], required: ["b"] }), {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    required: ["b", "a"],
  });
  assert.deepEqual(shown({ enum: [1], not: {}, const: 2 }), { type: "object", properties: {} });
});

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

Deno.test("shownSchema takes no long time with very many arguments", () => {
  const names = Array.from({ length: 100_000 }, (_, n) => `argument${n}`);
  const properties = Object.fromEntries(names.map((name) => [name, {}]));
  const startMs = performance.now();
  assert.deepEqual(shown({ type: "object", properties, required: names })["properties"], {});
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < 2_500, `${Math.round(tookMs)} ms`);
});
