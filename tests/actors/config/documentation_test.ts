import assert from "node:assert/strict";
import { z } from "zod";
import { PROVIDER_KEYS } from "../../../actors/config/schema/providers.ts";
import { coreSchema } from "../../../actors/config/schema.ts";
import { type Shape, shapeOf } from "../../../actors/config/shape.ts";
import { manifest as feishu } from "../../../channels/feishu/manifest.ts";
import { channelEntries } from "../../../channels/registry.ts";
import { CONFIG_FILE, load } from "./_load.ts";

const PAGE = await Deno.readTextFile(new URL("../../../docs/configuration.md", import.meta.url));

const CHANNELS = channelEntries.map(({ manifest }) => manifest);

/** Rows of tables whose first cell is one key, with the text of the third cell. */
const DOCUMENTED: ReadonlyMap<string, string> = new Map(
  PAGE.matchAll(/^\| `([\w.<>]+)` +\| [^|]* \| `([^|]*)` +\|/gm).map((
    [, key = "", value = ""],
  ) => [key, value]),
);

/** Paths of all values that a shape takes; free keys are `<name>`. */
function keysOf(shape: Shape, path: string): readonly string[] {
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
  return path.split(".").reduce<unknown>(
    (value, key) => value instanceof Object ? Reflect.get(value, key) : undefined,
    settings,
  );
}

Deno.test("The page documents every key of the configuration with its true default", () => {
  const defaults = coreSchema.parse({
    agents: { prices: { "<name>": {} } },
    modelPresets: { "<name>": { model: "required" } },
    providers: { "<name>": {} },
    tools: { mcpServers: { "<name>": {} } },
  });
  const keys = keysOf(shapeOf(coreSchema), "");
  assert.ok(keys.length > 60);
  for (const key of keys) {
    const documented = DOCUMENTED.get(key);
    assert.ok(documented !== undefined, `${key} has a row`);
    assert.deepEqual(JSON.parse(documented), valueAt(defaults, key), `the default of ${key}`);
  }
});

Deno.test.each([...CHANNELS])(
  "The page documents every key of the $displayName section",
  (channel) => {
    const { name } = channel;
    const schema = channel.schema(z);
    const defaults = { channels: { [name]: schema.parse({}) } };
    for (const key of keysOf(shapeOf(schema), `channels.${name}`)) {
      const documented = DOCUMENTED.get(key);
      assert.ok(documented !== undefined, `${key} has a row`);
      assert.deepEqual(JSON.parse(documented), valueAt(defaults, key), `the default of ${key}`);
    }
  },
);

Deno.test("The page documents no key that is not there", () => {
  const known = new Set([
    ...keysOf(shapeOf(coreSchema), ""),
    ...CHANNELS.flatMap(({ name, schema }) => keysOf(shapeOf(schema(z)), `channels.${name}`)),
    "channels.<name>.enabled",
    "channels.<name>.allowFrom",
  ]);
  assert.deepEqual([...DOCUMENTED.keys()].filter((key) => !known.has(key)), []);
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
