import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import {
  changeSection,
  readSection,
  type SectionPlace,
} from "../../../channels/cli/section_file.ts";

const FEISHU: SectionPlace = { channel: "feishu", instance: null };
const WORK: SectionPlace = { channel: "feishu", instance: "work" };

function change(text: string | null, changes: JsonObject, place: SectionPlace = FEISHU): string {
  return changeSection(text, "config.json", { place, changes });
}

function read(text: string | null, place: SectionPlace = FEISHU): JsonObject {
  return readSection(text, "config.json", place);
}

Deno.test("changeSection makes a file where there is none", () => {
  assert.equal(
    change(null, { enabled: true, appId: "cli_1" }),
    `{
  "channels": {
    "feishu": {
      "enabled": true,
      "appId": "cli_1"
    }
  }
}
`,
  );
});

Deno.test("changeSection leaves everything else as it is, to the letter", () => {
  const text = `{
    "agents":   {"defaults": {"model": "x" } },
    "channels": {
        "telegram": { "token":"t" },
        "feishu": {
            "app_id": "cli_old",  "allow_from": [ "ou_1",
               "ou_2" ],
            "appSecret": "\${SECRET}"
        }
    }
}`;
  assert.equal(
    change(text, { appId: "cli_new", enabled: true }),
    text.replace('"cli_old"', '"cli_new"').replace(
      '"${SECRET}"\n',
      '"${SECRET}",\n            "enabled": true\n',
    ),
  );
});

Deno.test("changeSection keeps tabs and the line ends of Windows", () => {
  const text =
    '{\r\n\t"channels": {\r\n\t\t"feishu": {\r\n\t\t\t"enabled": false\r\n\t\t}\r\n\t}\r\n}\r\n';
  assert.equal(
    change(text, { enabled: true, appId: "cli_1" }),
    text.replace("false\r\n", 'true,\r\n\t\t\t"appId": "cli_1"\r\n'),
  );
});

Deno.test("changeSection writes an instance, by its id", () => {
  const text = JSON.stringify({
    channels: { feishu: { instances: [{ id: "home", app_id: "cli_h" }], allowFrom: ["*"] } },
  });
  const added = change(text, { enabled: true, appId: "cli_w" }, WORK);
  assert.deepEqual(JSON.parse(added).channels.feishu.instances, [
    { id: "home", app_id: "cli_h" },
    { id: "work", enabled: true, appId: "cli_w" },
  ]);
  const changed = change(added, { appId: "cli_2" }, { channel: "feishu", instance: "home" });
  assert.equal(JSON.parse(changed).channels.feishu.instances[0].app_id, "cli_2");
});

Deno.test("changeSection makes the list of instances, also in a new file", () => {
  assert.deepEqual(JSON.parse(change(null, { appId: "cli_w" }, WORK)), {
    channels: { feishu: { instances: [{ id: "work", appId: "cli_w" }] } },
  });
});

Deno.test("readSection gives the keys in camelCase, and nothing where nothing is", () => {
  assert.deepEqual(read('{"channels":{"feishu":{"app_id":"a","appId":"b","react_emoji":null}}}'), {
    appId: "b",
    reactEmoji: null,
  });
  for (const text of [null, "{}", '{"channels":null}', '{"channels":{"feishu":5}}']) {
    assert.deepEqual(read(text), {});
  }
});

Deno.test("readSection gives an instance what it inherits, without credentials", () => {
  const feishu = {
    app_id: "cli_main",
    appSecret: "s",
    domain: "lark",
    instances: [{ id: "work", app_id: "cli_w", reactEmoji: "OK" }],
  };
  const text = JSON.stringify({ channels: { feishu } });
  assert.deepEqual(read(text, WORK), {
    domain: "lark",
    id: "work",
    appId: "cli_w",
    reactEmoji: "OK",
  });
  assert.deepEqual(read(text, { channel: "feishu", instance: "new" }), { domain: "lark" });
});

Deno.test("changeSection refuses a file that is no JSON", () => {
  assert.throws(() => change("{ // comment\n}", { appId: "x" }), { message: /malformed JSON/ });
});

Deno.test("changeSection changes what it is told and nothing else, whatever the file holds", () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
  const other = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), json, { maxKeys: 4 });
  fc.assert(fc.property(
    other,
    other,
    fc.dictionary(fc.constantFrom("appId", "enabled", "domain"), json),
    fc.constantFrom(0, 2, 4, "\t"),
    (root, section, changes, indent) => {
      const before = { ...root, channels: { ...root, feishu: section } };
      const after = JSON.parse(change(JSON.stringify(before, null, indent), changes));
      const expected = { ...before, channels: { ...root, feishu: { ...section, ...changes } } };
      assert.deepEqual(after, JSON.parse(JSON.stringify(expected)));
    },
  ));
});
