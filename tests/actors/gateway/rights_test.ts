import assert from "node:assert/strict";
import { flagsOf, rightsOf } from "../../../actors/gateway/rights/flags.ts";
import { curtail } from "../../../actors/gateway/rights/missing_rights.ts";
import type { Need } from "../../../actors/gateway/rights/need.ts";
import { gatherFacts, type Machine } from "../../../actors/gateway/rights/rights_facts.ts";
import { partsOf } from "../../../actors/gateway/rights/rights_table.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { manifest as feishu } from "../../../channels/feishu/manifest.ts";
import { loadSettings } from "../config/_load.ts";

const MACHINE: Machine = {
  denoPath: "/bin/deno",
  appFolder: "/app",
  tempFolder: "/tmp",
  userHome: "/home/u",
  hasHomeVariable: true,
  variables: ["HOME", "EDITOR", "MY_KEY"],
  hasSocketRight: true,
  real: (path) => path,
  has: () => true,
};

const CONFIG = {
  agents: { defaults: { model: "m", provider: "custom", workspace: "/work space" } },
  providers: { custom: { apiKey: "k", apiBase: "https://models.example.org/v1" } },
  channels: {
    feishu: {
      enabled: true,
      appId: "cli_0123456789abcdef",
      appSecret: "s",
      domain: "https://own.example.org:8443",
      allowFrom: ["*"],
      instances: [{
        id: "second",
        name: "Second",
        appId: "cli_0123456789abcde0",
        appSecret: "s",
        domain: "lark",
      }],
    },
  },
  tools: { exec: { sandbox: "virtual" } },
};

async function loaded(change: object = {}): Promise<LoadedConfig> {
  return await loadSettings({ ...CONFIG, ...change }, { manifests: [feishu] });
}

async function rights(change: object = {}) {
  return rightsOf(partsOf(gatherFacts(await loaded(change), MACHINE)));
}

Deno.test("The rights of a configuration name its hosts, folders and variables, and no others", async () => {
  const { net, read, write, run, env, sys } = await rights();
  assert.deepEqual(net.filter((host) => !host.startsWith("unix:")), [
    "127.0.0.1:0",
    "models.example.org:443",
    "own.example.org:8443",
    "open.larksuite.com:443",
    "msg-frontier.larksuite.com:443",
    "msg-frontier-sg.larksuite.com:443",
    "127.0.0.1:18790",
  ]);
  assert.ok(read.includes("/app/actors") && !read.includes("/app"));
  assert.ok(write.includes("/work space") && !write.includes("/"));
  assert.deepEqual([run, env, sys], [["/bin/deno"], ["HOME"], []]);
});

Deno.test("A compiled program needs what its tools need, whose hosts it is itself", async () => {
  const rightsOfCompiled = async (web: boolean) => {
    const plugins = [{
      module: "/plug/a.js",
      rights: { read: ["workspace"], net: ["a.example.org:443"] },
    }];
    const tools = { plugins, web: { enable: web }, exec: { sandbox: "virtual" } };
    const machine = { ...MACHINE, denoPath: "/bin/troupe", appFolder: null };
    return rightsOf(partsOf(gatherFacts(await loaded({ tools }), machine)));
  };
  const { net, read, run, sys } = await rightsOfCompiled(true);
  assert.deepEqual([net, run, sys], [["*"], ["/bin/troupe"], ["uid", "gid"]]);
  assert.ok(read.includes("/plug"));
  assert.ok((await rightsOfCompiled(false)).net.includes("a.example.org:443"));
});

Deno.test("Where no variable names the user's home, the system may be asked", async () => {
  const machine = { ...MACHINE, hasHomeVariable: false };
  assert.deepEqual(rightsOf(partsOf(gatherFacts(await loaded(), machine))).sys, ["homedir"]);
});

Deno.test("A path that no flag can hold is told with what to do", async () => {
  const defaults = { ...CONFIG.agents.defaults, workspace: "/work, space" };
  const found = await rights({ agents: { defaults } });
  assert.throws(() => flagsOf(found), {
    code: "path_unnameable",
    message: /"\/work, space".*TROUPE_HOME, agents\.defaults\.workspace.*--all-rights/,
  });
});

Deno.test("Flags name paths with a space, and a path covers what is below it", async () => {
  const flags = flagsOf(await rights());
  assert.ok(
    flags.some((flag) => flag.startsWith("--allow-write=") && flag.includes("/work space")),
  );
  const always = ["--no-prompt", "--cached-only", "--unstable-npm-lazy-caching", "--ignore-env"];
  assert.deepEqual(flags.slice(0, 4), always);
  const below = [
    { right: "read", value: "/a" },
    { right: "read", value: "/a/b" },
    { right: "read", value: "/ab" },
  ] as const;
  const part = { part: "p", needs: below, without: "", switches: { type: "none" } } as const;
  assert.deepEqual(rightsOf([part]).read, ["/a", "/ab"]);
});

Deno.test("A filtered network needs every host, and says so as one flag", async () => {
  const { net, run } = await rights({ tools: { exec: { sandbox: "bwrap" } } });
  assert.deepEqual([net, run], [["*"], ["/bin/deno", "bwrap"]]);
  const none = await rights({ tools: { exec: { sandbox: "bwrap", network: "none" } } });
  assert.ok(!none.net.includes("*"));
});

Deno.test("A channel without its hosts is switched off and named; the rest stays", async () => {
  const config = await loaded();
  const parts = partsOf(gatherFacts(config, MACHINE));
  const lacks = (need: Need) => need.value === "open.larksuite.com:443";
  const { loaded: left, lines, isHealthOff } = curtail(config, parts, (need) => !lacks(need));
  assert.deepEqual(Object.keys(left.config.channels.enabled), []);
  assert.equal(isHealthOff, false);
  assert.deepEqual(lines, [
    "Rights: --allow-net=open.larksuite.com:443 is missing for channel feishu: the channel is off",
  ]);
});

Deno.test("A gateway without its folders does not start", async () => {
  const config = await loaded();
  const parts = partsOf(gatherFacts(config, MACHINE));
  assert.throws(
    () => curtail(config, parts, ({ right }) => right !== "write"),
    { code: "rights_missing", message: /^Cannot start: Rights: --allow-write=/ },
  );
});

Deno.test("With all rights nothing is said and nothing is off", async () => {
  const config = await loaded();
  const { loaded: left, lines } = curtail(
    config,
    partsOf(gatherFacts(config, MACHINE)),
    () => true,
  );
  assert.deepEqual([left, lines], [config, []]);
});

Deno.test("A hook needs its program, and its files looked at; a module needs no program", async () => {
  const hooks = [
    { name: "script", on: ["turn_end"], command: ["python3", "/srv/hook.py"] },
    { name: "own", on: ["turn_end"], command: ["~/hook.sh"] },
    { name: "module", on: ["turn_end"], module: "/opt/hooks/a.ts" },
  ];
  const { run, read } = await rights({ hooks, tools: { exec: { enable: false } } });
  assert.deepEqual(run.filter((program) => program !== MACHINE.denoPath), [
    "python3",
    "/home/u/hook.sh",
  ]);
  for (const place of ["/srv/hook.py", "/home/u/hook.sh", "/opt/hooks"]) {
    assert.ok(read.includes(place), place);
  }
});

Deno.test("An MCP server needs its program or its host, and what programs find themselves by", async () => {
  const mcpServers = {
    files: { command: "npx", args: ["-y", "some-server"] },
    wiki: { url: "https://wiki.example.org/mcp" },
    home: { url: "http://10.0.0.7:8123/sse" },
    nothing: {},
  };
  const { run, net, env } = await rights({ tools: { exec: { enable: false }, mcpServers } });
  assert.ok(run.includes("npx") && run.includes("sh"), "the server, and what ends it");
  const remote = { wiki: mcpServers.wiki };
  const none = await rights({ tools: { exec: { enable: false }, mcpServers: remote } });
  assert.ok(!none.run.includes("sh"));
  assert.ok(net.includes("wiki.example.org:443") && net.includes("10.0.0.7:8123"));
  assert.deepEqual(env, ["HOME"]);
});

Deno.test.each(
  [
    { tried: "virtual", part: "shell (virtual)" },
    { tried: "bwrap", part: "shell (bwrap)" },
    { tried: undefined, part: "shell (bwrap)" },
  ] as const,
)("Rights for auto go by what was tried, and else by what is there: $tried", async ({
  tried,
  part,
}) => {
  const config = await loaded({ tools: { exec: { sandbox: "auto" } } });
  const parts = partsOf(gatherFacts(config, { ...MACHINE, triedLevel: tried }));
  const found = parts.find((candidate) => candidate.part.startsWith("shell"));
  assert.equal(found?.part, part);
  assert.equal(found?.remark?.includes("proxy"), part === "shell (bwrap)" ? true : undefined);
});
