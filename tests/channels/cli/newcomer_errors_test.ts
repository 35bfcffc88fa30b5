import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { takeLocks } from "../../../actors/gateway/locks.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { type Ran, run } from "./_screen.ts";

/** What somebody did wrong, and the words that put it right. */
interface Slip {
  readonly what: string;
  /** The configuration file; nothing for none. */
  readonly config?: string;
  /** `{config}` is its path, `{home}` its folder. */
  readonly args: readonly string[];
  readonly code: number;
  readonly fix: RegExp;
}

const MAIN = fileURLToPath(new URL("../../../mod.ts", import.meta.url));

const IN_CONFIG = ["--config", "{config}"];

const SLIPS: readonly Slip[] = [
  {
    what: "a mistyped command",
    args: ["gatway"],
    code: 2,
    fix: /Did you mean gateway\?.*"troupe --help"/,
  },
  {
    what: "a mistyped flag",
    args: ["status", "--jason"],
    code: 2,
    fix: /Did you mean --json\?.*"troupe status --help"/,
  },
  {
    what: "a command without its argument",
    args: ["channels", "login"],
    code: 2,
    fix: /argument 'channel'; see "troupe channels login --help"/,
  },
  {
    what: "a configuration that is not there",
    args: ["gateway", "--config", "{home}/confg.json"],
    code: 2,
    fix: /confg\.json": there is no such file; check the path of --config/,
  },
  {
    what: "a home that cannot be made",
    args: ["config", "set", "gateway.port", "1", "--config", "/proc/troupe/config.json"],
    code: 1,
    fix: /'\/proc\/troupe' \(see that the folder above it is there, or name another place\)/,
  },
  {
    what: "a comma too many",
    config: '{\n  "gateway": {\n    "port": 1,\n  }\n}',
    args: ["gateway", ...IN_CONFIG],
    code: 2,
    fix: /line 4/,
  },
  {
    what: "a comment in the file",
    config: '{\n  // my bot\n  "gateway": {}\n}',
    args: ["gateway", ...IN_CONFIG],
    code: 2,
    fix: /a comment \(JSON has none\) at line 2, column 3; correct it there/,
  },
  {
    what: "a word for a number",
    config: '{"gateway": {"port": "eighty"}}',
    args: ["gateway", ...IN_CONFIG],
    code: 2,
    fix: /gateway\.port is text instead of a number; write a number/,
  },
  {
    what: "a provider that nobody knows",
    config: '{"agents": {"defaults": {"provider": "openrooter"}}}',
    args: ["agent", "-m", "hi", ...IN_CONFIG],
    code: 2,
    fix: /agents\.defaults\.provider .*did you mean "openrouter"\?/,
  },
  {
    what: "a key in a variable that is not set",
    config: '{"providers": {"openai": {"apiKey": "${NO_SUCH_KEY_AT_ALL}"}}}',
    args: ["gateway", ...IN_CONFIG],
    code: 2,
    fix: /names the environment variable NO_SUCH_KEY_AT_ALL, which is not set; set it/,
  },
  {
    what: "a channel without its token",
    config: '{"channels": {"telegram": {"enabled": true, "allowFrom": ["1"]}}}',
    args: ["gateway", ...IN_CONFIG],
    code: 2,
    fix: /channels\.telegram\.token/,
  },
  {
    what: "a time zone that is none",
    config: '{"agents": {"defaults": {"timezone": "Berlin"}}}',
    args: ["gateway", ...IN_CONFIG],
    code: 2,
    fix: /agents\.defaults\.timezone is not a time zone, such as/,
  },
  {
    what: "the folder of the configuration as the workspace",
    config: '{"agents": {"defaults": {"workspace": "."}}}',
    args: ["gateway", ...IN_CONFIG],
    code: 2,
    fix: /agents\.defaults\.workspace/,
  },
  {
    what: "a file as the workspace",
    config: '{"gateway": {"port": 0}}',
    args: ["gateway", ...IN_CONFIG, "--workspace", "{config}"],
    code: 2,
    fix: /Cannot use workspace .*make it a folder that can be written, or set another/,
  },
  {
    what: "a channel that nobody knows",
    args: ["channels", "login", "telegramm"],
    code: 1,
    fix: /did you mean telegram\?/,
  },
  {
    what: "a sign-in at a provider that takes a key",
    args: ["provider", "login", "codex"],
    code: 1,
    fix: /there are openai-codex, github-copilot/,
  },
  {
    what: "a trial of a provider that nobody knows",
    config: "{}",
    args: ["providers", "test", "olama", ...IN_CONFIG],
    code: 1,
    fix: /did you mean "ollama"\?/,
  },
  {
    what: "a trial without any key",
    config: "{}",
    args: ["providers", "test", ...IN_CONFIG],
    code: 1,
    fix: /no key and no address is set; put one into .*config\.json/,
  },
  {
    what: "a set-up without a terminal",
    args: ["onboard", "--config", "{home}/new.json"],
    code: 2,
    fix: /there is no terminal; give --yes, and --provider, --model and --api-key/,
  },
  {
    what: "a key that is no setting",
    config: "{}",
    args: ["config", "set", "agents.defaults.modle", "x", ...IN_CONFIG],
    code: 2,
    fix: /did you mean agents\.defaults\.model\?/,
  },
  {
    what: "a word where a list stands",
    config: "{}",
    args: ["config", "set", "owners", "me", ...IN_CONFIG],
    code: 2,
    fix: /write a JSON list, such as/,
  },
  {
    what: "a conversation that there is not",
    config: "{}",
    args: ["sessions", "show", "cli:nobody", ...IN_CONFIG],
    code: 1,
    fix: /see troupe sessions list/,
  },
  {
    what: "a message that did not fail",
    config: "{}",
    args: ["retry", "in-1", ...IN_CONFIG],
    code: 1,
    fix: /see troupe failed/,
  },
  {
    what: "a job without a time",
    config: "{}",
    args: ["cron", "add", "water the plants", ...IN_CONFIG],
    code: 2,
    fix: /give --every, --cron or --at/,
  },
  {
    what: "a folder as the configuration",
    args: ["config", "set", "gateway.port", "1", "--config", "{home}"],
    code: 2,
    fix: /it cannot be read; check its type and permissions/,
  },
  {
    what: "a backup into a folder that there is not",
    config: "{}",
    args: ["backup", "{home}/no/such.tar.gz", ...IN_CONFIG],
    code: 1,
    fix: /name a folder that is there and can be written/,
  },
  {
    what: "a server that is not configured",
    config: "{}",
    args: ["mcp", "test", "files", ...IN_CONFIG],
    code: 1,
    fix: /there are none/,
  },
];

/** Runs it in a folder of its own; what a person reads, wherever it stands. */
async function slip({ config, args }: Slip): Promise<Ran> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "config.json");
  if (config !== undefined) await Deno.writeTextFile(file, config);
  const filled = args.map((arg) => arg.replace("{config}", file).replace("{home}", folder.path));
  return await run(...filled);
}

function assertHelpful({ code, out, err }: Ran, expected: Pick<Slip, "code" | "fix">): void {
  const said = err === "" ? out : err;
  assert.equal(code, expected.code, said);
  assert.match(said, expected.fix);
  assert.match(said, /^(Error: |✗ )[^\n]*\n$/, "one line");
  assert.doesNotMatch(said, /\bat .*\.ts:\d+|Uncaught|undefined|\[object/, "no stack");
}

Deno.test.each([...SLIPS])("A newcomer's slip gives one line with the fix: $what", async (one) => {
  assertHelpful(await slip(one), one);
});

/** The same by the program itself, as it is started from a terminal. */
async function slipOutside(
  flags: readonly string[],
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  await using home = await temporaryFolder();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--cached-only", "--no-prompt", ...flags, MAIN, ...args],
    env: { TROUPE_HOME: home.path, NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

Deno.test("A newcomer's slip gives one line with the fix: no rights for the program", async () => {
  const ran = await slipOutside([], ["gateway"]);
  assertHelpful(ran, { code: 2, fix: /give it -A \(deno run -A mod\.ts\)/ });
});

Deno.test("A newcomer's slip gives one line with the fix: packages that were never fetched", async () => {
  await using cache = await temporaryFolder();
  const ran = await slipOutside(["-A"], ["status"], { DENO_DIR: cache.path });
  assertHelpful(ran, { code: 2, fix: /run `deno install` in the program's folder/ });
});

Deno.test("The program itself says of a slip what its commands say", async () => {
  const ran = await slipOutside(["-A"], ["agent", "-m", "hi", "--config", "confg.json"]);
  assertHelpful(ran, { code: 2, fix: /there is no such file; check the path of --config/ });
});

Deno.test("A newcomer's slip gives one line with the fix: a second gateway", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "config.json");
  const workspace = join(folder.path, "workspace");
  await Deno.writeTextFile(file, JSON.stringify({ agents: { defaults: { workspace } } }));
  const stateFolder = join(folder.path, "state");
  const { clock } = systemWorld();
  using _held = await takeLocks({ stateFolder, workspace }, { clock, command: "gateway" });
  const ran = await run("gateway", "--config", file);
  const out = ran.out.split("\n").filter((line) => !/^(Troupe|Config:) /.test(line)).join("\n");
  const fix = /process \d+ \(troupe gateway, since .*stop that one first, or use another config/;
  assertHelpful({ ...ran, out }, { code: 2, fix });
});
