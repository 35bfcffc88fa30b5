import assert from "node:assert/strict";
import { loadSettings, refusalOf } from "./_load.ts";

Deno.test("An enabled channel's section is complete with its defaults", async () => {
  const { config } = await loadSettings({
    channels: { pigeon: { enabled: true, wingToken: "t" } },
  });
  assert.deepEqual(config.channels.enabled, {
    pigeon: {
      enabled: true,
      allowFrom: [],
      wingToken: "t",
      port: 4_000,
      groupPolicy: "mention",
      lofts: {},
      homing: { maxHops: 3 },
    },
  });
});

Deno.test("An enabled channel that lacks something is refused with its own words", async () => {
  const error = await refusalOf(loadSettings({ channels: { pigeon: { enabled: true } } }));
  assert.equal(error.code, "config_channel_incomplete");
  assert.equal(
    error.message,
    'Cannot load "/home/ada/.troupe/config.json": ' +
      "channels.pigeon.wingToken is missing: read it off the ring",
  );
});

Deno.test.each([
  [{ enabled: true, wingToken: "t", port: 0 }, "channels.pigeon.port"],
  [{ enabled: true, wing_token: 5 }, "channels.pigeon.wingToken"],
  [{ enabled: true, wingToken: "t", group_policy: "none" }, "channels.pigeon.groupPolicy"],
  [{ enabled: true, wingToken: "t", allowFrom: [7] }, "channels.pigeon.allowFrom[0]"],
  [{ enabled: true, wingToken: "t", lofts: { a: 1 } }, "channels.pigeon.lofts.a"],
  [[], "channels.pigeon"],
  [null, "channels.pigeon"],
])("Section %j is refused at %s", async (section, key) => {
  const error = await refusalOf(loadSettings({ channels: { pigeon: section } }));
  assert.deepEqual(error.faults.map((fault) => fault.key), [key]);
});

Deno.test("A disabled section is kept as it is written, however wrong", async () => {
  const pigeon = { enabled: false, wing_token: 5, nest: { deep: "${NOPE}" } };
  const { config, warnings } = await loadSettings({ channels: { pigeon, drum: {} } });
  assert.deepEqual(config.channels.others, { pigeon, drum: {} });
  assert.deepEqual(config.channels.enabled, {});
  assert.deepEqual(warnings, []);
});

Deno.test("Sections of unknown channels are kept, and warned of when enabled", async () => {
  const channels = {
    pigoen: { enabled: true, a_b: [1] },
    smoke: { enabled: "no" },
    telepathy: { enabled: true },
  };
  const { config, warnings } = await loadSettings({ channels });
  assert.deepEqual(config.channels.others, channels);
  assert.deepEqual(warnings, [
    "channels.pigoen is enabled, but there is no such channel: did you mean channels.pigeon?",
    "channels.telepathy is enabled, but there is no such channel: there are drum, pigeon",
  ]);
});

Deno.test("A typing error in an enabled section is a warning with the nearest key", async () => {
  const { warnings } = await loadSettings({
    channels: { pigeon: { enabled: true, wingToken: "t", groupPolcy: "open" } },
  });
  assert.deepEqual(warnings, [
    "Unknown key channels.pigeon.groupPolcy is ignored: did you mean channels.pigeon.groupPolicy?",
  ]);
});

Deno.test("One channel's fault does not hide another's", async () => {
  const error = await refusalOf(loadSettings({
    channels: { pigeon: { enabled: true }, drum: { enabled: true, rhythm: 4 } },
  }));
  assert.deepEqual(error.faults.map(({ key }) => key), ["channels.pigeon", "channels.drum.rhythm"]);
});
