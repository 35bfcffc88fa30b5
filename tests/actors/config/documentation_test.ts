import assert from "node:assert/strict";
import { z } from "zod";
import { PROVIDER_KEYS } from "../../../actors/config/schema/providers.ts";
import { coreSchema } from "../../../actors/config/schema.ts";
import { type Shape, shapeOf } from "../../../actors/config/shape.ts";
import { isList, isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { manifest as feishu } from "../../../channels/feishu/manifest.ts";
import { channelEntries } from "../../../channels/registry.ts";
import { CONFIG_FILE, load } from "./_load.ts";

const PAGE = await Deno.readTextFile(new URL("../../../docs/configuration.md", import.meta.url));

const CHANNELS = channelEntries.map(({ manifest }) => manifest);

/** The cells behind a key. */
interface Row {
  readonly type: string;
  /** JSON; `"required"` where there is none. */
  readonly usual: string;
  readonly meaning: string;
}

/** Rows of tables whose first cell is one key. */
const ROWS: ReadonlyMap<string, Row> = new Map(
  PAGE.matchAll(/^\| `([\w.<>[\]]+)` +\| ([^|]*?) +\| `([^|]*)` +\| ([^|]*?) *\|/gm).map((
    [, key = "", type = "", usual = "", meaning = ""],
  ) => [key, { type, usual, meaning }]),
);

/** Further bots of a channel take its keys, which stand in the rows of the section. */
function rowOf(key: string): Row | undefined {
  return ROWS.get(key) ?? ROWS.get(key.replace("instances[].", ""));
}

/** Paths of all values that a shape takes; free keys are `<name>`, items of a list `[]`. */
function keysOf(shape: Shape, path: string): readonly string[] {
  if (shape.kind === "list" && shape.item.kind === "object") {
    return [path, ...keysOf(shape.item, `${path}[]`)];
  }
  const isMapOfValues = shape.kind === "object" && shape.fields.size === 0 &&
    shape.rest?.kind !== "object";
  if (shape.kind !== "object" || isMapOfValues) return [path];
  const below = (key: string) => path === "" ? key : `${path}.${key}`;
  return [
    ...[...shape.fields].flatMap(([key, field]) => keysOf(field, below(key))),
    ...(shape.rest === null ? [] : keysOf(shape.rest, below("<name>"))),
  ];
}

function valueAt(settings: unknown, path: string): unknown {
  return path.replaceAll("[]", ".0").split(".").reduce<unknown>(
    (value, key) => value instanceof Object ? Reflect.get(value, key) : undefined,
    settings,
  );
}

/** Holds a row's default against what is there of itself, or in lists and maps with one entry. */
function checkDefault(key: string, bare: unknown, filled: unknown): void {
  const row = rowOf(key);
  assert.ok(row !== undefined, `${key} has a row`);
  const usual: unknown = JSON.parse(row.usual);
  if (usual === "required" || (key.includes("instances[]") && !ROWS.has(key))) return;
  assert.deepEqual(usual, valueAt(bare, key) ?? valueAt(filled, key), `the default of ${key}`);
}

Deno.test("The page documents every key of the configuration with its true default", () => {
  const hook = { name: "required", on: ["turn_end"], command: ["required"] };
  const filled = coreSchema.parse({
    agents: { prices: { "<name>": {} }, defaults: { fallbackModels: [{ model: "required" }] } },
    modelPresets: { "<name>": { model: "required" } },
    providers: { "<name>": {} },
    tools: { mcpServers: { "<name>": {} }, plugins: [{ module: "/required" }] },
    hooks: [hook],
  });
  // One of the two is needed; each is null beside the other.
  const { command } = coreSchema.parse({ hooks: [{ ...hook, command: null, module: "/required" }] })
    .hooks[0] ?? {};
  const withoutEither = { ...filled, hooks: [{ ...filled.hooks[0], command }] };
  const keys = keysOf(shapeOf(coreSchema), "");
  assert.ok(keys.length > 60);
  for (const key of keys) checkDefault(key, coreSchema.parse({}), withoutEither);
});

Deno.test.each([...CHANNELS])(
  "The page documents every key of the $displayName section",
  (channel) => {
    const { name } = channel;
    const schema = channel.schema(z);
    const shape = shapeOf(schema);
    const hasInstances = shape.kind === "object" && shape.fields.has("instances");
    const settings = (section: unknown) => ({ channels: { [name]: schema.parse(section) } });
    const filled = settings(hasInstances ? { instances: [{ id: "required" }] } : {});
    for (const key of keysOf(shape, `channels.${name}`)) checkDefault(key, settings({}), filled);
  },
);

Deno.test("The page documents no key that is not there", () => {
  const known = new Set([
    ...keysOf(shapeOf(coreSchema), ""),
    ...CHANNELS.flatMap(({ name, schema }) => keysOf(shapeOf(schema(z)), `channels.${name}`)),
    "channels.<name>.enabled",
    "channels.<name>.allowFrom",
  ]);
  assert.deepEqual([...ROWS.keys()].filter((key) => !known.has(key)), []);
});

/** The schema at a key, as JSON Schema; null where it is not told. */
function schemaAt(schema: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  const [key, ...rest] = path;
  if (!isObject(schema)) return undefined;
  const variants = isList(schema["anyOf"]) ? schema["anyOf"] : [];
  if (key === undefined) return schema;
  const below = isObject(schema["properties"]) ? schema["properties"][key] : undefined;
  const found = below ?? (key === "[]" ? schema["items"] : schema["additionalProperties"]);
  const here = schemaAt(found, rest);
  return here ??
    variants.map((variant) => schemaAt(variant, path)).find((one) => one !== undefined);
}

/** What the page's column says of a switch, a number or a choice; null for all else. */
function typeText(schema: JsonValue | undefined): string | null {
  if (!isObject(schema)) return null;
  if (isList(schema["anyOf"])) {
    const inner = schema["anyOf"].filter((one) => isObject(one) && one["type"] !== "null");
    const text = inner.length === 1 ? typeText(inner[0]) : null;
    if (text === null) return null;
    if (text.startsWith("`")) return `${text.replace(" or ", ", ")} or null`;
    return text.includes(" ") ? `${text}, or null` : `${text} or null`;
  }
  const { type, enum: choices } = schema;
  if (isList(choices)) {
    const words = choices.filter((word) => word !== "").map((word) => `\`${String(word)}\``);
    return new Intl.ListFormat("en", { type: "disjunction" }).format(words)
      .replace(/, or /, " or ");
  }
  if (type === "boolean") return "switch";
  if (type !== "integer" && type !== "number") return null;
  return numberText(schema, type === "integer" ? "whole number" : "number");
}

function numberText(schema: JsonObject, what: string): string {
  const bound = (key: string): number | null => {
    const value = schema[key];
    return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;
  };
  const [least, above, most] = ["minimum", "exclusiveMinimum", "maximum"].map(bound);
  if (least === 0 && most === 65_535) return "port";
  if (above !== null && above !== undefined) {
    return `${what} above ${above}${most === null ? "" : `, at most ${most}`}`;
  }
  if (least === null) return what;
  return most === null ? `${what}, at least ${least}` : `${what} from ${least} to ${most}`;
}

/** The configuration file as JSON Schema, before editors' needs change it. */
function jsonSchemaOf(schema: z.ZodType): JsonValue {
  const made: unknown = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return z.json().parse(JSON.parse(JSON.stringify(made)));
}

Deno.test("The page tells of every key what it takes, as the schema does, and what it means", () => {
  const schemas = [
    ["", coreSchema] as const,
    ...CHANNELS.map(({ name, schema }) => [`channels.${name}`, schema(z)] as const),
  ];
  const wrong = schemas.flatMap(([prefix, schema]) => {
    const json = jsonSchemaOf(schema);
    return keysOf(shapeOf(schema), prefix).flatMap((key) => {
      const { type = "", meaning = "" } = rowOf(key) ?? {};
      const path = key.slice(prefix === "" ? 0 : prefix.length + 1).replaceAll("[]", ".[]");
      const expected = typeText(schemaAt(json, path.split(".")));
      if (meaning === "") return [`${key} has no meaning`];
      const isTrue = expected === null || type === expected || key.includes("instances[]");
      return isTrue ? [] : [`${key}: ${expected}, not ${type}`];
    });
  });
  assert.deepEqual(wrong, []);
});

Deno.test("The page names every known provider", () => {
  for (const key of PROVIDER_KEYS) assert.ok(PAGE.includes(`\`${key}\``), key);
});

Deno.test("The page's minimal example loads, without a warning", async () => {
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(PAGE) ?? [];
  const { config, warnings } = await load({
    files: { [CONFIG_FILE]: example },
    env: { MODEL_API_KEY: "k", FEISHU_APP_SECRET: "s" },
    manifests: [feishu],
  });
  assert.deepEqual(warnings, []);
  assert.equal(config.agents.defaults.provider, "custom");
  assert.equal(config.providers["custom"]?.apiKey, "k");
  assert.partialDeepStrictEqual(config.channels.enabled["feishu"], { appSecret: "s" });
  assert.deepEqual(config.owners.length, 1);
});
