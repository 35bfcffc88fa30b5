import assert from "node:assert/strict";
import { describeDreamSchedule, dreamSchedule } from "../../../actors/config/dream_schedule.ts";
import { loadSettings, refusalOf } from "./_load.ts";

Deno.test.each(["memoryWindow", "memory_window"])(
  "A retired %s is dropped with a warning and all else kept",
  async (key) => {
    const { config, warnings } = await loadSettings({
      agents: { defaults: { maxTokens: 1234, [key]: 42 } },
    });
    assert.equal(config.agents.defaults.maxTokens, 1234);
    assert.equal(config.agents.defaults.contextWindowTokens, 65_536);
    assert.ok(!JSON.stringify(config).includes("memoryWindow"));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /memoryWindow is no longer used/);
  },
);

Deno.test.each([
  [{ exec: { restrictToWorkspace: false } }],
  [{ exec: { restrict_to_workspace: false, timeout: 5 } }],
])("The restriction in %j moves up", async (tools) => {
  const { config, warnings } = await loadSettings({ tools });
  assert.equal(config.tools.restrictToWorkspace, false);
  assert.match(warnings.join(), /tools\.restrictToWorkspace: rename it/);
});

Deno.test("The present place of the restriction wins over the old one", async () => {
  const { config, warnings } = await loadSettings({
    tools: { restrict_to_workspace: true, exec: { restrictToWorkspace: false } },
  });
  assert.equal(config.tools.restrictToWorkspace, true);
  assert.match(warnings.join(), /is ignored, as both are there/);
});

Deno.test.each([
  [{ myEnabled: false, mySet: true }, { enable: false, allowSet: true }],
  [{ my_enabled: false, my_set: true }, { enable: false, allowSet: true }],
  [{ myEnabled: false, my: { enable: true } }, { enable: true, allowSet: false }],
  [{ mySet: true, my: { allow_set: false } }, { enable: true, allowSet: false }],
  [{ mySet: true, my: {} }, { enable: true, allowSet: true }],
])("The switches of my in %j are %j", async (tools, my) => {
  assert.deepEqual((await loadSettings({ tools })).config.tools.my, my);
});

Deno.test("MCP servers of the old block are read, and the new ones win by name", async () => {
  const { config, warnings } = await loadSettings({
    mcp: { servers: { a: { command: "old" }, b: { command: "old", tool_timeout: 7 } } },
    tools: { mcp_servers: { a: { command: "new" } } },
  });
  assert.equal(config.tools.mcpServers["a"]?.command, "new");
  assert.equal(config.tools.mcpServers["b"]?.command, "old");
  assert.equal(config.tools.mcpServers["b"]?.toolTimeout, 7);
  assert.deepEqual(warnings, ["mcp.servers is the old name of tools.mcpServers: rename it"]);
});

Deno.test("A wrong value under an old name is refused under both names", async () => {
  const error = await refusalOf(loadSettings({ tools: { myEnabled: "perhaps" } }));
  assert.match(error.message, /tools\.my\.enable \(from tools\.myEnabled\) is text/);
});

Deno.test.each([
  [{ tools: null }],
  [{ tools: 5 }],
  [{ tools: { exec: null } }],
  [{ tools: { exec: [] } }],
  [{ tools: { myEnabled: true, my: 3 } }],
  [{ agents: { defaults: "x" } }],
  [{ channels: [] }],
  [{ providers: "x" }],
])("Settings %j are refused, whatever they migrate", async (settings) => {
  const error = await refusalOf(loadSettings(settings));
  assert.equal(error.code, "config_value_invalid");
  assert.equal(error.faults.length, 1);
});

Deno.test("Dream runs every two hours, every N hours, or by an older expression", async () => {
  const schedule = async (dream: unknown) => {
    const { agents } = (await loadSettings({ agents: { defaults: { dream } } })).config;
    return {
      schedule: dreamSchedule(agents.defaults.dream, "Asia/Shanghai"),
      shown: describeDreamSchedule(agents.defaults.dream),
    };
  };
  assert.deepEqual(await schedule({}), {
    schedule: { type: "every", everyMs: 7_200_000 },
    shown: "every 2h",
  });
  assert.deepEqual(await schedule({ interval_h: 3 }), {
    schedule: { type: "every", everyMs: 10_800_000 },
    shown: "every 3h",
  });
  assert.deepEqual(await schedule({ cron: "0 4 * * *", intervalH: 3 }), {
    schedule: { type: "cron", expression: "0 4 * * *", timezone: "Asia/Shanghai" },
    shown: "cron 0 4 * * * (legacy)",
  });
});
