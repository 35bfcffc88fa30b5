import assert from "node:assert/strict";
import { z } from "zod";
import { plainText } from "../../../actors/config/descriptions/setting_text.ts";
import { PROVIDER_KEYS } from "../../../actors/config/schema/providers.ts";
import { coreSchema } from "../../../actors/config/schema.ts";
import { manifest as feishu } from "../../../channels/feishu/manifest.ts";
import { channelManifests } from "../../../channels/registry.ts";
import { loadSettingTexts } from "../../../channels/setting_texts.ts";
import {
  sectionOf,
  sectionsOf,
  TABLE_PAGES,
  withTables,
} from "../../../docs/generate/setting_tables.ts";
import { settingPlaces, settingRows } from "../../../docs/generate/setting_rows.ts";
import { CONFIG_FILE, load } from "./_load.ts";

const PAGE = await Deno.readTextFile(new URL("../../../docs/configuration.md", import.meta.url));
const TEXTS = await loadSettingTexts();
const ROWS = settingRows(TEXTS);

Deno.test("Every key of the configuration has its text, and no text is of another", () => {
  const keys = settingPlaces().map(({ key }) => key);
  // Items of a list are told of with the list, unless their keys have texts of their own.
  const items = Object.keys(TEXTS).filter((key) => key.endsWith("[]"));
  assert.ok(keys.length > 300, `${keys.length} keys`);
  assert.deepEqual([...new Set(keys).symmetricDifference(new Set(Object.keys(TEXTS)))], []);
  assert.ok(items.length > 3);
});

Deno.test("Every text is made of whole sentences", () => {
  const odd = Object.entries(TEXTS).filter(([, text]) => !/^[^a-z].*\.$/.test(plainText(text)));
  assert.deepEqual(odd, []);
});

/** The page as its words: how wide its columns are is the formatter's affair. */
function words(page: string): string {
  return page.replaceAll(/ *\n+ */g, "\n").replaceAll(/-{2,}/g, "-").replaceAll(/ +/g, " ");
}

Deno.test.each([...TABLE_PAGES])("The tables of %s are those of schema and texts", async (page) => {
  const text = await Deno.readTextFile(new URL(`../../../${page}`, import.meta.url));
  const [, channel = null] = /channels\/(\w+)\.md$/.exec(page) ?? [];
  if (channel !== null) assert.deepEqual(sectionsOf(text), [`channels.${channel}`]);
  assert.equal(words(await withTables(text)), words(text), "run: deno task docs");
});

Deno.test("The page has a table for every section", () => {
  const sections = new Set(ROWS.map(({ key }) => sectionOf(key)));
  assert.deepEqual(sectionsOf(PAGE).toSorted(), [...sections, "channels.<name>"].toSorted());
});

function valueAt(settings: unknown, path: string): unknown {
  return path.replaceAll("[]", ".0").split(".").reduce<unknown>(
    (value, key) => value instanceof Object ? Reflect.get(value, key) : undefined,
    settings,
  );
}

Deno.test("What the page and editors call usual is what counts without the key", () => {
  const bare = coreSchema.parse({});
  const hook = { name: "h", on: ["turn_end"] };
  const filled = coreSchema.parse({
    agents: { prices: { "<name>": {} }, defaults: { fallbackModels: [{ model: "m" }] } },
    modelPresets: { "<name>": { model: "m" } },
    providers: { "<name>": {} },
    tools: { mcpServers: { "<name>": {} }, plugins: [{ module: "/m" }] },
    hooks: [{ ...hook, command: ["c"] }],
  });
  // One of the two is needed; each is null beside the other.
  const command = coreSchema.parse({ hooks: [{ ...hook, module: "/m" }] }).hooks[0]?.command;
  const sections = Object.fromEntries(channelManifests.map(({ name, schema }) => {
    const instances = name === "feishu" ? { instances: [{ id: "i" }] } : {};
    return [name, { bare: schema(z).parse({}), filled: schema(z).parse(instances) }];
  }));
  for (const { key, usual } of ROWS) {
    if (usual === undefined) continue;
    const [, name = "", inside = ""] = /^channels\.([a-z]+)\.(.*)$/.exec(key) ?? [];
    const found = sections[name] === undefined
      ? valueAt(bare, key) ?? valueAt({ ...filled, hooks: [{ ...filled.hooks[0], command }] }, key)
      : valueAt(sections[name].bare, inside) ?? valueAt(sections[name].filled, inside);
    assert.deepEqual(usual, found, key);
  }
});

Deno.test("The page calls needed what has no usual value, and nothing else", () => {
  const needed = ROWS.filter(({ usual }) => usual === undefined).map(({ key }) => key);
  assert.deepEqual(needed, [
    "agents.defaults.fallbackModels[].model",
    "modelPresets.<name>.model",
    "channels.feishu.instances[].id",
    "tools.plugins[].module",
    "hooks[].name",
    "hooks[].on",
  ]);
});

Deno.test("The page says what a key takes as the schema does", () => {
  const takes = Object.fromEntries(ROWS.map((row) => [row.key, row.takes]));
  assert.partialDeepStrictEqual(takes, {
    "agents.budgets.perDay.usd": "number above 0, or null",
    "agents.defaults.temperature": "number from 0 to 2",
    "agents.defaults.timezone": "IANA time zone",
    "api.timeout": "number above 0, at most 86400",
    "channels.email.saveSent": "switch or null",
    "channels.feishu.reactEmoji": "text or null",
    "channels.slack.mode": "`socket`",
    "gateway.port": "port",
    "owners": "list of text",
    "providers.<name>.extraHeaders": "map of text, or null",
    "providers.<name>.thinkingStyle":
      "`enable_thinking`, `reasoning_split`, `thinking_type` or null",
    "tools.exec.sandbox": "`auto`, `bwrap`, `virtual`, `process` or `none`",
  });
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
