import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { type Ran, run } from "./_screen.ts";

/** A configuration file, and `config` run on it. */
class Home implements AsyncDisposable {
  readonly file: string;
  readonly #folder: AsyncDisposable;

  private constructor(folder: AsyncDisposable & { readonly path: string }) {
    this.#folder = folder;
    this.file = join(folder.path, "config.json");
  }

  static async make(text: string): Promise<Home> {
    const home = new Home(await temporaryFolder());
    await Deno.writeTextFile(home.file, text);
    return home;
  }

  run(...args: readonly string[]): Promise<Ran> {
    return run("config", ...args, "--config", this.file);
  }

  read(): Promise<string> {
    return Deno.readTextFile(this.file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

const CONFIG = `{
    "agents": { "defaults": { "max_tokens": "2048",   "model": "m1" } },
    "providers": { "custom": { "apiBase": "http://127.0.0.1:1/v1", "apiKey": "sk-very-secret",
        "extraHeaders": { "X-Anything": "hush" } } },
    "channels": { "telegram": { "enabled": false, "token": "123:hidden-token" } }
}
`;

Deno.test.each([
  ["agents.defaults.maxTokens", "2048\n"],
  ["agents.defaults.max-tokens", "2048\n"],
  ["agents.defaults.model", "m1\n"],
  ["gateway.port", "18790\n"],
  ["providers.custom.apiKey", "***\n"],
  ["providers.custom.extraHeaders.X-Anything", "***\n"],
  ["channels.telegram.token", "***\n"],
  ["channels.telegram.groupPolicy", "mention\n"],
  ["channels.discord.enabled", "false\n"],
  ["owners", "[]\n"],
])("config get %s prints %j", async (key, expected) => {
  await using home = await Home.make(CONFIG);
  assert.deepEqual(await home.run("get", key), { code: 0, out: expected, err: "" });
});

Deno.test("config get prints everything as it counts, and no secret", async () => {
  await using home = await Home.make(CONFIG);
  const { code, out } = await home.run("get", "--json");
  assert.equal(code, 0);
  assert.equal(JSON.parse(out).providers.custom.apiKey, "***");
  assert.doesNotMatch(out, /very-secret|hidden-token|hush/);
});

Deno.test.each([
  ["gateway.prot", /did you mean gateway\.port\?/],
  ["agents.defualts.model", /did you mean agents\.defaults\?/],
  ["channels.telegrm.token", /did you mean channels\.telegram\?/],
  ["gateway.port.number", /nothing stands below/],
  ["a..b", /write it as tools\.exec\.timeout/],
  ['providers["\\x"]', /write it as tools\.exec\.timeout/],
])("config get and set refuse the key %s", async (key, words) => {
  await using home = await Home.make(CONFIG);
  for (const args of [["get", key], ["set", key, "x"]]) {
    const { code, out, err } = await home.run(...args);
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, /^Error: [^\n]*\n$/);
    assert.match(err, words);
  }
  assert.equal(await home.read(), CONFIG);
});

Deno.test("config set changes one value, keeps the layout, and nobody else can read the file", async () => {
  await using home = await Home.make(CONFIG);
  await Deno.chmod(home.file, 0o644);
  const { code, out } = await home.run("set", "agents.defaults.maxTokens", "4096");
  assert.equal(code, 0);
  assert.match(out, /^Set agents\.defaults\.maxTokens to 4096 in /);
  assert.equal(await home.read(), CONFIG.replace('"2048"', "4096"));
  assert.equal(((await Deno.stat(home.file)).mode ?? 0) & 0o777, 0o600);
});

Deno.test.each<[string, string, unknown]>([
  ["gateway.port", "9000", 9000],
  ["gateway.port", "${PATH_THAT_IS_NOT_SET}", undefined],
  ["gateway.heartbeat.enabled", "off", false],
  ["agents.defaults.reasoningEffort", "null", null],
  ["agents.defaults.reasoningEffort", "high", "high"],
  ["owners", '["telegram:1"]', ["telegram:1"]],
  ["tools.mcpServers", '{"files":{"command":"x"}}', { files: { command: "x" } }],
  ["providers.mine.apiBase", "http://127.0.0.1:2/v1", "http://127.0.0.1:2/v1"],
])("config set %s %s stores %j", async (key, typed, stored) => {
  await using home = await Home.make(CONFIG);
  const { code } = await home.run("set", key, typed);
  assert.equal(code, stored === undefined ? 2 : 0);
  const value = key.split(".").reduce<unknown>(
    (at, part) => at instanceof Object ? Reflect.get(at, part) : undefined,
    JSON.parse(await home.read()),
  );
  assert.deepEqual(value, stored);
});

Deno.test.each([
  ["gateway.port", "http", /write a number/],
  ["gateway.port", "99999999", /gateway\.port is more than/],
  ["gateway.heartbeat.enabled", "perhaps", /write true or false/],
  ["owners", "telegram:1", /write a JSON list/],
  ["agents.defaults.provider", "olama", /did you mean "ollama"\?/],
  ["agents.defaults.timezone", "Mars/Olympus", /is not a time zone/],
  ["channels.telegram.enabled", "true", /allowFrom|token/],
  ["tools.exec.denyPatterns[0]", "x", /a list is set as a whole/],
])("config set %s %s changes nothing, and says why", async (key, value, words) => {
  const text = CONFIG.replace('"123:hidden-token"', '""');
  await using home = await Home.make(text);
  const { code, out, err } = await home.run("set", key, value);
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /^(Error: [^\n]*\n)+$/);
  assert.match(err, words);
  assert.equal(await home.read(), text);
});

Deno.test("config set shows no secret, and begins a file where there is none", async () => {
  await using home = await Home.make("{}");
  await Deno.remove(home.file);
  const { code, out } = await home.run("set", "providers.openrouter.apiKey", "sk-new-secret");
  assert.equal(code, 0);
  assert.doesNotMatch(out, /sk-new-secret/);
  assert.equal(JSON.parse(await home.read()).providers.openrouter.apiKey, "sk-new-secret");
});

Deno.test("config set by many at once loses nobody's change", async () => {
  await using home = await Home.make("{}");
  const ports = ["1", "2", "3", "4"];
  await Promise.all(ports.map((port) => {
    return home.run("set", `providers.p${port}.apiBase`, `http://127.0.0.1:${port}/v1`);
  }));
  const { providers } = JSON.parse(await home.read());
  assert.deepEqual(Object.keys(providers).toSorted(), ports.map((port) => `p${port}`));
});

Deno.test("config set leaves a key that stands twice to a person", async () => {
  const text = '{"gateway": {"port": 1, "port": 2}}';
  await using home = await Home.make(text);
  const { code, err } = await home.run("set", "gateway.port", "3");
  assert.equal(code, 2);
  assert.match(err, /^Error: [^\n]*gateway\.port is set more than once there; keep one\n$/);
  assert.equal(await home.read(), text);
});

Deno.test("config set leaves a file that is not UTF-8 as it is", async () => {
  await using home = await Home.make("{}");
  const bytes = Uint8Array.of(...new TextEncoder().encode('{"owners": ["'), 0xff, 0x22, 0x5d, 0x7d);
  await Deno.writeFile(home.file, bytes);
  const { code, err } = await home.run("set", "gateway.port", "3");
  assert.equal(code, 2);
  assert.match(err, /line 1 is not UTF-8; save the file as UTF-8\n$/);
  assert.deepEqual(await Deno.readFile(home.file), bytes);
});

Deno.test("config check tells what is odd, and what is wrong with 2", async () => {
  await using home = await Home.make('{"gatway": {}, "agents": {"defaults": {"model": "m"}}}');
  const odd = await home.run("check");
  assert.equal(odd.code, 0);
  assert.match(odd.out, /can be used\nWarning: Unknown key gatway [^\n]*did you mean gateway\?\n$/);
  await Deno.writeTextFile(home.file, '{"gateway": {"port": "x"}}');
  const wrong = await home.run("check", "--json");
  assert.equal(wrong.code, 2);
  assert.partialDeepStrictEqual(JSON.parse(wrong.out), {
    usable: false,
    faults: [{ key: "gateway.port", code: "config_value_invalid" }],
  });
});

Deno.test("config path tells the file, also of one that cannot be used", async () => {
  await using home = await Home.make("{ nonsense");
  assert.deepEqual(await home.run("path"), { code: 0, out: `${home.file}\n`, err: "" });
  const { out } = await home.run("path", "--json");
  assert.partialDeepStrictEqual(JSON.parse(out), { configFile: home.file, exists: true });
});
