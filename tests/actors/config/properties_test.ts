import assert from "node:assert/strict";
import fc from "fast-check";
import { configShape } from "../../../actors/config/config_shape.ts";
import { ConfigError } from "../../../actors/config/errors.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import type { Shape } from "../../../actors/config/shape.ts";
import { toSnake } from "../../../actors/config/spelling.ts";
import { drum, load, loadSettings, loadText, pigeon } from "./_load.ts";

const SHAPE = configShape([pigeon, drum]);

/** The same settings twice: all keys in camelCase, and each in either spelling. */
interface Twins {
  readonly camel: unknown;
  readonly mixed: unknown;
}

/** Settings that a shape takes, with values that mostly fit. */
function twinsOf(shape: Shape): fc.Arbitrary<Twins> {
  const same = (value: unknown): Twins => ({ camel: value, mixed: value });
  switch (shape.kind) {
    case "number":
      return fc.oneof(fc.integer({ min: 1, max: 2 }), fc.integer(), fc.constant("7")).map(same);
    case "boolean":
      return fc.oneof(fc.boolean(), fc.constantFrom("yes", 0, "maybe")).map(same);
    case "text":
      return fc.oneof(fc.string(), fc.constantFrom("UTC", "auto", "none", "${A}", "${B}")).map(
        same,
      );
    case "any":
      return fc.jsonValue().map(same);
    case "list":
      return fc.array(twinsOf(shape.item), { maxLength: 2 }).map((items) => ({
        camel: items.map((item) => item.camel),
        mixed: items.map((item) => item.mixed),
      }));
    case "object": {
      const known = [...shape.fields].map(([key, field]) => entryOf(key, field, true));
      const free = shape.rest === null ? [] : [entryOf("free_One-1", shape.rest, false)];
      const entries = [...known, ...free];
      return fc.subarray(entries, { maxLength: Math.min(3, entries.length) }).chain((chosen) =>
        fc.tuple(...chosen)
      ).map(
        (pairs) => ({
          camel: Object.fromEntries(pairs.map(({ camel }) => camel)),
          mixed: Object.fromEntries(pairs.map(({ mixed }) => mixed)),
        }),
      );
    }
  }
}

interface TwinEntries {
  readonly camel: readonly [string, unknown];
  readonly mixed: readonly [string, unknown];
}

function entryOf(key: string, shape: Shape, hasSnake: boolean): fc.Arbitrary<TwinEntries> {
  return fc.tuple(twinsOf(shape), fc.boolean()).map(([{ camel, mixed }, isSnake]) => ({
    camel: [key, camel],
    mixed: [isSnake && hasSnake ? toSnake(key) : key, mixed],
  }));
}

type Outcome = Pick<LoadedConfig, "config" | "warnings" | "secrets"> | string;

/** The configuration, or the refusal's message; anything else breaks the test. */
async function outcomeOf(loading: Promise<LoadedConfig>): Promise<Outcome> {
  try {
    const { config, warnings, secrets } = await loading;
    return { config, warnings, secrets };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    assert.equal(error.message.split("\n").length, error.faults.length);
    return error.message;
  }
}

Deno.test("Settings mean the same in snake_case as in camelCase", async () => {
  // Sections that nobody uses are kept as they are written, so the rest is compared.
  const used = (outcome: Outcome) =>
    JSON.stringify(outcome, (key, value) => key === "others" ? undefined : value);
  let loadedCount = 0;
  await fc.assert(
    fc.asyncProperty(twinsOf(SHAPE), async ({ camel, mixed }) => {
      const expected = await outcomeOf(loadSettings(camel, { env: { A: "one" } }));
      const found = await outcomeOf(loadSettings(mixed, { env: { A: "one" } }));
      assert.equal(used(found), used(expected));
      if (typeof found !== "string") loadedCount++;
    }),
    { numRuns: 400 },
  );
  assert.ok(loadedCount > 40, `enough settings were accepted, not ${loadedCount}`);
});

Deno.test("Any JSON is loaded or refused, never anything else", async () => {
  const sections = fc.dictionary(
    fc.oneof(fc.constantFrom(...SHAPE.fields.keys(), "__proto__", "mcp"), fc.string()),
    fc.jsonValue({ maxDepth: 4 }),
  );
  const settings = fc.oneof(fc.jsonValue(), sections);
  await fc.assert(
    fc.asyncProperty(settings, async (value) => {
      await outcomeOf(loadSettings(value));
    }),
    { numRuns: 500 },
  );
});

Deno.test("Any text is loaded or refused, never anything else", async () => {
  const text = fc.oneof(
    fc.string(),
    fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 3 })).map(([json, at, junk]) =>
      json.slice(0, at % (json.length + 1)) + junk + json.slice(at % (json.length + 1))
    ),
  );
  await fc.assert(
    fc.asyncProperty(text, async (written) => {
      await outcomeOf(loadText(written));
    }),
    { numRuns: 500 },
  );
});

Deno.test("Any environment is taken or refused, never anything else", async () => {
  const part = fc.constantFrom(
    ...SHAPE.fields.keys(),
    "defaults",
    "DREAM",
    "pigeon",
    "__proto__",
    "",
  );
  const name = fc.tuple(fc.constantFrom("TROUPE_", "NANOBOT_"), fc.array(part, { maxLength: 4 }))
    .map(([prefix, parts]) => prefix + parts.join("__"));
  const env = fc.dictionary(name, fc.oneof(fc.string(), fc.json()));
  await fc.assert(
    fc.asyncProperty(env, async (variables) => {
      await outcomeOf(load({ env: variables }));
    }),
    { numRuns: 500 },
  );
});

Deno.test("No refusal and no warning shows a value", async () => {
  for (const path of placesOf(SHAPE)) {
    const settings = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), "sk-hidden");
    const outcome = await outcomeOf(loadSettings(settings));
    const told = typeof outcome === "string" ? outcome : outcome.warnings.join();
    assert.ok(!told.includes("sk-hidden"), told);
  }
});

/** Paths of all places in a shape, objects included. */
function placesOf(shape: Shape): readonly (readonly string[])[] {
  if (shape.kind !== "object") return [[]];
  const fields = [...shape.fields, ...(shape.rest === null ? [] : [["x", shape.rest] as const])];
  return [[], ...fields.flatMap(([key, field]) => placesOf(field).map((path) => [key, ...path]))];
}

Deno.test("Keys that every object inherits are keys like any other", async () => {
  const { warnings } = await loadText(
    '{"__proto__": {"port": 1}, "constructor": 1, "toString": 2, "api": {"hasOwnProperty": 3}}',
  );
  assert.equal(warnings.length, 4);
  const { config } = await loadText(
    '{"tools": {"mcpServers": {"constructor": {"command": "x"}}}, "channels": {"__proto__": {"enabled": 1}}}',
  );
  assert.equal(config.tools.mcpServers["constructor"]?.command, "x");
  assert.equal(Object.hasOwn({}, "enabled"), false);
});
