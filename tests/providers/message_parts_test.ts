import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { CallIds } from "../../providers/messages/call_ids.ts";
import { blocksFrom, withOrigin } from "../../providers/messages/origin.ts";
import { parametersFor } from "../../providers/messages/schema.ts";
import { ToolNames } from "../../providers/messages/tool_names.ts";
import { ToolCallText } from "../../providers/openai/tool_call_text.ts";
import { mergeBody } from "../../providers/wire/extra_body.ts";
import { TextBuffer } from "../../providers/wire/text_buffer.ts";
import type { CallIdForm, SchemaRule } from "../../providers/trait_kinds.ts";

const FORMS: Readonly<Record<Exclude<CallIdForm, "any">, RegExp>> = {
  nine: /^[A-Za-z0-9]{9}$/,
  word_40: /^[\w-]{1,40}$/,
  word_64: /^[\w-]{1,64}$/,
};

Deno.test.each<[CallIdForm, string, string]>([
  ["any", "functions.read:0", "functions.read:0"],
  ["nine", "call_function_akxp3wqzn7ph_1", "3ec83c30d"],
  ["nine", "AbC123xyz", "AbC123xyz"],
  ["word_40", "call_abc-1", "call_abc-1"],
  ["word_64", "toolu_01", "toolu_01"],
])("CallIds in the form %s sends %s as %s", (form, id, expected) => {
  const ids = new CallIds(form);
  assert.equal(ids.forCall(id), expected);
  assert.equal(ids.forResult(id), expected);
});

Deno.test("CallIds gives each call an id of the right form, its own, the same at its result", () => {
  const form = fc.constantFrom("nine" as const, "word_40" as const, "word_64" as const);
  const id = fc.oneof(fc.string({ maxLength: 90 }), fc.constantFrom("a", "b", "abcdefghi", ""));
  fc.assert(fc.property(form, fc.array(id, { maxLength: 20 }), (form, list) => {
    const ids = new CallIds(form);
    const sent = list.map((id) => {
      const wireId = ids.forCall(id);
      assert.equal(ids.forResult(id), wireId);
      assert.match(wireId, FORMS[form]);
      return wireId;
    });
    assert.equal(new Set(sent).size, sent.length);
    // The next request of the conversation begins with the same ids, so that caches hold.
    const again = new CallIds(form);
    assert.deepEqual(list.map((id) => again.forCall(id)), sent);
  }));
});

Deno.test("ToolNames gives each tool a name that all vendors take, and finds it again", () => {
  const names = fc.uniqueArray(
    fc.oneof(
      fc.string({ minLength: 1, maxLength: 90 }),
      fc.constantFrom("read", "_1", "1", "a.b", "a_b", "x".repeat(64), "x".repeat(65)),
    ),
    { maxLength: 10 },
  );
  fc.assert(fc.property(names, (names) => {
    const tools = new ToolNames(names);
    const sent = names.map((name) => tools.toWire(name));
    for (const [at, wireName] of sent.entries()) {
      assert.match(wireName, /^[A-Za-z_][\w-]{0,63}$/);
      assert.equal(tools.fromWire(wireName), names[at]);
    }
    assert.equal(new Set(sent).size, names.length);
  }));
});

Deno.test("ToolNames leaves names alone that fit, whatever else there is", () => {
  const tools = new ToolNames(["a.b", "a_b"]);
  assert.equal(tools.toWire("a_b"), "a_b");
  assert.equal(tools.toWire("a.b"), "a_b_2");
});

Deno.test.each<[string, readonly SchemaRule[], JsonObject, JsonObject]>([
  ["an empty schema", [], {}, { type: "object", properties: {} }],
  ["a good schema", [], { type: "object", properties: { a: {} }, additionalProperties: false }, {
    type: "object",
    properties: { a: {} },
    additionalProperties: false,
  }],
  ["a choice at the root", ["no_root_union"], {
    description: "d",
    anyOf: [
      { properties: { a: { type: "string" }, b: {} }, required: ["a", "b"] },
      { properties: { c: {} }, required: ["b"] },
    ],
  }, {
    description: "d",
    type: "object",
    properties: { a: { type: "string" }, b: {}, c: {} },
    required: ["b"],
  }],
  ["a sum at the root", ["no_root_union"], {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    allOf: [{ properties: { a: { type: "number" }, b: {} }, required: ["b"] }],
  }, {
    type: "object",
    properties: { a: { type: "string" }, b: {} },
    required: ["a", "b"],
  }],
  ["what Gemini does not know", ["gemini_subset"], {
    $schema: "x",
    type: "object",
    additionalProperties: false,
    properties: {
      a: { type: ["string", "null"], pattern: "x", format: "uri" },
      b: { const: "r" },
      c: { oneOf: [{ type: "number", exclusiveMinimum: 0 }, { $ref: "#/$defs/d" }] },
      e: { type: "integer", enum: [1, 2] },
      additionalProperties: { type: "boolean" },
    },
    $defs: { d: { type: "array", items: { type: "string", examples: ["x"] } } },
  }, {
    type: "object",
    properties: {
      a: { type: "string", nullable: true },
      b: { type: "string", enum: ["r"] },
      c: { anyOf: [{ type: "number" }, { type: "array", items: { type: "string" } }] },
      e: { type: "integer" },
      additionalProperties: { type: "boolean" },
    },
  }],
])("parametersFor changes %s under the rules %j", (_, rules, schema, expected) => {
  assert.deepEqual(parametersFor(schema, rules), expected);
});

Deno.test("parametersFor comes to an end with a schema that contains itself", () => {
  const schema = {
    type: "object",
    properties: { next: { $ref: "#" }, self: { $ref: "#/properties/self" } },
  };
  assert.equal(parametersFor(schema, ["gemini_subset"])["type"], "object");
});

function lift(pieces: readonly string[], hasCalls = false) {
  const text = new ToolCallText((name) => name === "read");
  const shown = pieces.map((piece) => text.push(piece)).join("");
  return { shown, ...text.end(hasCalls) };
}

const CALL = '<tool_call>{"name":"read","arguments":{"x":1}}</tool_call>';
const LIFTED = { name: "read", parameters: { x: 1 } };

Deno.test.each<[string, readonly string[], boolean, ReturnType<typeof lift>]>([
  ["a call", [CALL], false, { shown: "", calls: [LIFTED], text: "" }],
  ["two calls behind a text", [`a ${CALL}`, `\n${CALL}`], false, {
    shown: "a ",
    calls: [LIFTED, LIFTED],
    text: "",
  }],
  ["a call and a text behind it", [`${CALL} b`], false, { shown: "", calls: [LIFTED], text: " b" }],
  ["a call without an end", [CALL.replace("</tool_call>", "")], false, {
    shown: "",
    calls: [LIFTED],
    text: "",
  }],
  ["no call", ["a <b> c"], false, { shown: "a <b> c", calls: [], text: "" }],
  ["the beginning of an opener at the end", ["a <tool"], false, {
    shown: "a ",
    calls: [],
    text: "<tool",
  }],
  ["a broken call", ["<tool_call>{name:1}</tool_call>"], false, {
    shown: "",
    calls: [],
    text: "<tool_call>{name:1}</tool_call>",
  }],
  ["a call of no tool", [CALL.replace("read", "fly")], false, {
    shown: "",
    calls: [],
    text: CALL.replace("read", "fly"),
  }],
  ["a call beside structured ones", [CALL], true, { shown: "", calls: [], text: CALL }],
  ["a call in fenced code", ["```xml\n", CALL, "\n```"], false, {
    shown: "```xml\n",
    calls: [],
    text: `${CALL}\n\`\`\``,
  }],
])("ToolCallText reads %s in %j", (_, pieces, hasCalls, expected) => {
  assert.deepEqual(lift(pieces, hasCalls), expected);
});

Deno.test("ToolCallText loses no text and finds the same, however it is cut", () => {
  const texts = fc.array(
    fc.constantFrom("<", "tool_call>", "<tool_call>", "</tool_call>", "a", "`", "```", CALL, '{"x'),
    { maxLength: 8 },
  ).map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      texts,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (text, sizes) => {
        const pieces: string[] = [];
        for (let start = 0; start < text.length;) {
          const size = sizes[pieces.length % sizes.length] ?? 1;
          pieces.push(text.slice(start, start + size));
          start += size;
        }
        const whole = lift([text]);
        assert.deepEqual(lift(pieces), whole);
        if (whole.calls.length === 0) assert.equal(whole.shown + whole.text, text);
      },
    ),
  );
});

Deno.test("blocksFrom gives blocks to the model that made them, as they came", () => {
  const block = { type: "thinking", thinking: "x", signature: "s" };
  const kept = [withOrigin(block, "a"), withOrigin(block, "b"), block];
  assert.deepEqual(blocksFrom(kept, "a"), [block]);
  assert.deepEqual(blocksFrom(undefined, "a"), []);
});

Deno.test("mergeBody lays fields over each other", () => {
  const body = { a: { b: 1, c: 2 }, include: ["x"], list: [1] };
  const extra = { a: { c: 3 }, include: ["x", "y"], list: [2], d: null };
  assert.deepEqual(mergeBody(body, extra), {
    a: { b: 1, c: 3 },
    include: ["x", "y"],
    list: [2],
    d: null,
  });
});

Deno.test("TextBuffer gives all that was added", () => {
  fc.assert(fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 2_000 }), (pieces) => {
    const buffer = new TextBuffer();
    for (const piece of pieces) buffer.add(piece);
    assert.equal(buffer.toString(), pieces.join(""));
    assert.equal(buffer.isEmpty, pieces.join("") === "");
  }));
});
