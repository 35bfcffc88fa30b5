import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { systemConfigSource } from "../../../../actors/config/adapters/system_source.ts";
import { loadConfig } from "../../../../actors/config/load_config.ts";
import { systemWorld } from "../../../../actors/gateway/adapters/system_world.ts";
import { thisMachine } from "../../../../actors/gateway/rights/adapters/machine.ts";
import {
  type InstallFlags,
  serviceInstallCommand,
  serviceLogsCommand,
  serviceStatusCommand,
  serviceUninstallCommand,
} from "../../../../channels/cli/commands/service.ts";
import { serviceCheckOn } from "../../../../channels/cli/doctor/checks/service.ts";
import type { DoctorScene } from "../../../../channels/cli/doctor/finding.ts";
import { launchd, LAUNCHD_SCRIPT, launchdPlist } from "../../../../channels/cli/service/launchd.ts";
import { OWN_MARK } from "../../../../channels/cli/service/service_manager.ts";
import { namesIn, variableLine } from "../../../../channels/cli/service/service_plan.ts";
import type { ServiceScene } from "../../../../channels/cli/service/service_scene.ts";
import { systemd, systemdUnit } from "../../../../channels/cli/service/systemd.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { home as configHome, run, Screen } from "../_provider_home.ts";

const PLAN = {
  command: ["/opt/my deno/deno", "run", "--allow-read=/a$b", "mod.ts", "gateway", "100%"],
  folder: "/home/ann/.troupe",
  environmentFile: "/home/ann/.troupe/service.env",
  environment: { PATH: '/usr/bin:/home/a "b"/bin' },
};

/** A home whose service managers write down what they are told. */
class FakeSystem implements AsyncDisposable {
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>;
  readonly home: string;

  static async make(config: object = {}): Promise<FakeSystem> {
    const system = new FakeSystem(await temporaryFolder());
    const tools = { exec: { enable: false } };
    await Deno.writeTextFile(system.config, JSON.stringify({ tools, ...config }));
    const answer = "ActiveState=active\\nMainPID=42\\nExecMainCode=0\\nExecMainStatus=0\\n";
    await system.program("systemctl", `[ "$2" = show ] && printf '${answer}'; exit 0`);
    const print = "\\tstate = running\\n\\tpid = 43\\n\\tlast exit code = 1\\n";
    await system.program("launchctl", `[ "$1" = print ] && printf '${print}'; exit 0`);
    return system;
  }

  private constructor(folder: Awaited<ReturnType<typeof temporaryFolder>>) {
    this.#folder = folder;
    this.home = folder.path;
  }

  /** Puts a program in the PATH, which also writes down how it is called. */
  async program(name: string, script: string): Promise<void> {
    const path = join(this.home, "bin", name);
    await Deno.mkdir(dirname(path), { recursive: true });
    const noting = `echo ${name} "$*" >>'${this.home}/calls'`;
    await Deno.writeTextFile(path, `#!/bin/sh\n${noting}\n${script}\n`, { mode: 0o755 });
  }

  async calls(): Promise<readonly string[]> {
    const text = await Deno.readTextFile(join(this.home, "calls"));
    await Deno.remove(join(this.home, "calls"));
    return text.trim().split("\n");
  }

  /** Whose home it is, on which machine. */
  get scene(): ServiceScene {
    const PATH = `${join(this.home, "bin")}:/usr/bin:/bin`;
    return {
      home: this.home,
      system: "linux",
      userId: 501,
      variables: { PATH, MODEL_KEY: 'k$"1`' },
    };
  }

  get config(): string {
    return join(this.home, "config.json");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

const hasShell = Deno.build.os !== "windows";
const NAMED = { name: "troupe" };

Deno.test("A service of systemd is installed, looked at and taken away", {
  ignore: !hasShell,
}, async () => {
  await using system = await FakeSystem.make();
  const { config, scene } = system;
  const screen = new Screen();
  const flags = { ...NAMED, config };
  const install = (more: Partial<InstallFlags>) =>
    serviceInstallCommand({ ...flags, ...more }, screen, scene);
  assert.equal(await install({}), 0);
  assert.deepEqual(await system.calls(), [
    "systemctl --user daemon-reload",
    "systemctl --user enable troupe.service",
    "systemctl --user restart troupe.service",
  ]);
  const file = join(system.home, ".config/systemd/user/troupe.service");
  const unit = await Deno.readTextFile(file);
  assert.match(unit, /^ExecStart=\S+ run --no-prompt --cached-only .*mod\.ts"? gateway --config/m);
  assert.match(unit, /--allow-env=\S*INVOCATION_ID/);

  assert.equal(await serviceStatusCommand({ ...NAMED, json: true }, screen, scene), 0);
  assert.match(screen.out, /"installed": true[^]*"pid": 42/);
  assert.equal(await serviceUninstallCommand(NAMED, screen, scene), 0);
  assert.deepEqual((await system.calls()).slice(1), [
    "systemctl --user disable --now troupe.service",
    "systemctl --user daemon-reload",
    "systemctl --user reset-failed troupe.service",
  ]);
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  assert.equal(await serviceStatusCommand(NAMED, screen, scene), 1);
});

Deno.test("doctor looks at the installed service and the variables that it needs", {
  ignore: !hasShell,
}, async () => {
  await using system = await FakeSystem.make({
    providers: { custom: { apiBase: "http://127.0.0.1:9/v1", apiKey: "${MODEL_KEY}" } },
  });
  const { config, scene } = system;
  const look = async () => {
    const source = systemConfigSource({ ...scene.variables, TROUPE_HOME: system.home });
    const loaded = await loadConfig({ source, manifests: [], configPath: config });
    const examined: DoctorScene = {
      ...{ source, loaded, configFile: config, faults: [], machine: thisMachine() },
      ...{ running: null, silence: null, isOffline: true, world: systemWorld() },
    };
    const found = await serviceCheckOn(() => scene).run(examined, new AbortController().signal);
    return found.map(({ state, detail }) => `${state}: ${detail}`);
  };
  assert.deepEqual(await look(), ["ok: none is installed"]);
  const flags = { ...NAMED, config, copyEnv: true };
  Deno.env.set("MODEL_KEY", "k"); // a look at the configuration takes it away
  assert.equal(await serviceInstallCommand(flags, new Screen(), scene), 0);
  const file = join(system.home, ".config/systemd/user/troupe.service");
  assert.deepEqual(await look(), [`ok: runs, process 42 (${file})`]);
  await Deno.remove(join(system.home, "service.env"));
  await system.program("systemctl", "printf 'ActiveState=failed\\nMainPID=0\\n'");
  const [state = "", variables = ""] = await look();
  assert.match(state, /^warning: installed, and does not run: failed/);
  assert.match(
    variables,
    /^warning: ".*service\.env" lacks MODEL_KEY, which the next start needs$/,
  );
});

Deno.test("A service of launchd is installed with all rights and taken away", {
  ignore: !hasShell,
}, async () => {
  await using system = await FakeSystem.make();
  const { config, scene: linux } = system;
  const scene = { ...linux, system: "darwin" };
  const screen = new Screen();
  const flags = { name: "second", config, allRights: true };
  assert.equal(await serviceInstallCommand(flags, screen, scene), 0);
  const file = join(system.home, "Library/LaunchAgents/dev.second.gateway.plist");
  assert.deepEqual(await system.calls(), [
    "launchctl bootout gui/501/dev.second.gateway",
    `launchctl bootstrap gui/501 ${file}`,
  ]);
  assert.match(await Deno.readTextFile(file), /<string>-A<\/string>/);
  assert.equal(await serviceStatusCommand({ name: "second" }, screen, scene), 0);
  assert.match(screen.out, /running, process 43, last exit code 1/);
  await system.calls();
  await system.program("tail", "exit 0");
  assert.equal(await serviceLogsCommand({ name: "second", lines: 5 }, scene), 0);
  assert.deepEqual(await system.calls(), [`tail -n 5 ${system.home}/Library/Logs/second.log`]);
  assert.equal(await serviceUninstallCommand({ name: "second" }, screen, scene), 0);
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
});

Deno.test("A service gets the variables that the configuration names by a file of its own", {
  ignore: !hasShell,
}, async () => {
  Deno.env.set("TROUPE_SERVICE_TEST", 'k$"1`');
  const apiKey = "${TROUPE_SERVICE_TEST}";
  await using system = await FakeSystem.make({ providers: { openai: { apiKey } } });
  const { config } = system;
  const variables = { ...system.scene.variables, TROUPE_SERVICE_TEST: 'k$"1`' };
  const scene = { ...system.scene, variables };
  const screen = new Screen();
  const install = (copyEnv: boolean) => {
    Deno.env.set("TROUPE_SERVICE_TEST", 'k$"1`'); // each look at the configuration takes it away
    return serviceInstallCommand({ ...NAMED, config, copyEnv }, screen, scene);
  };
  await assert.rejects(install(false), /service\.env" lacks TROUPE_SERVICE_TEST/);
  assert.equal(await install(true), 0);
  assert.equal(await install(false), 0);
  const file = join(system.home, "service.env");
  assert.equal(await Deno.readTextFile(file), 'TROUPE_SERVICE_TEST="k\\$\\"1\\`"\n');
  assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
  const unit = join(system.home, ".config/systemd/user/troupe.service");
  assert.doesNotMatch(await Deno.readTextFile(unit), /k\$/);
});

Deno.test("A file that somebody else wrote is neither replaced nor removed", async () => {
  await using system = await FakeSystem.make();
  const file = join(system.home, ".config/systemd/user/troupe.service");
  await Deno.mkdir(dirname(file), { recursive: true });
  await Deno.writeTextFile(file, "[Unit]\n");
  const { config, scene } = system;
  const screen = new Screen();
  const install = serviceInstallCommand({ ...NAMED, config }, screen, scene);
  await assert.rejects(install, { code: "service_foreign", exitCode: 2 });
  await assert.rejects(serviceUninstallCommand(NAMED, screen, scene), /somebody else wrote it/);
  assert.equal(await Deno.readTextFile(file), "[Unit]\n");
});

Deno.test("What its manager refuses is said in one line", { ignore: !hasShell }, async () => {
  await using system = await FakeSystem.make();
  await system.program("systemctl", "echo 'Failed to connect to bus' >&2; exit 1");
  const { config, scene } = system;
  const install = serviceInstallCommand({ ...NAMED, config }, new Screen(), scene);
  await assert.rejects(install, /daemon-reload" ended with 1: Failed to connect to bus$/);
  const windows = { ...scene, system: "windows" };
  await assert.rejects(serviceUninstallCommand(NAMED, new Screen(), windows), /on "windows"/);
});

Deno.test("service install --print shows the file of either manager and changes nothing", async () => {
  await using place = await configHome({});
  for (const manager of ["systemd", "launchd"]) {
    const shown = await run(place, "service", "install", "--print", "--manager", manager);
    assert.equal(shown.code, 0, shown.err);
    assert.ok(shown.out.includes(OWN_MARK));
    assert.ok(shown.out.includes(place.config));
    assert.match(shown.out, /MALLOC_ARENA_MAX(=|<\/key>\s*<string>)1\b/);
  }
  const entries = (await Array.fromAsync(Deno.readDir(place.folder))).map(({ name }) => name);
  assert.deepEqual(entries.filter((name) => name === "service.env"), []);
});

Deno.test("The unit restarts what failed or asked for it, and not what would fail again", () => {
  const unit = systemdUnit(PLAN);
  for (
    const line of [
      "Restart=on-failure",
      "RestartForceExitStatus=75",
      "RestartPreventExitStatus=2",
      "NoNewPrivileges=yes",
      "UMask=0077",
      String.raw`Environment="PATH=/usr/bin:/home/a \"b\"/bin"`,
      'ExecStart="/opt/my deno/deno" run "--allow-read=/a$$b" mod.ts gateway 100%%',
    ]
  ) assert.ok(unit.split("\n").includes(line), `${line}\n${unit}`);
});

Deno.test("The unit finds a program and a file of variables whatever their paths hold", () => {
  const unit = systemdUnit({
    ...PLAN,
    command: ["/opt/$x/deno", "$y"],
    environmentFile: "/a [b]*%/service.env",
  });
  assert.match(unit, /^ExecStart="\/opt\/\$x\/deno" "\$\$y"$/m);
  assert.match(unit, /^EnvironmentFile=-\/a \\\[b\\\]\\\*%%\/service\.env$/m);
});

Deno.test("The property list is well-formed whatever stands in its words", () => {
  const plist = launchdPlist({ ...PLAN, folder: "/a<b>&c" }, { label: "l", logFile: "/log" });
  assert.ok(plist.includes("<string>/a&lt;b&gt;&amp;c</string>"));
  assert.match(plist, /<key>SuccessfulExit<\/key>\n\s*<false\/>/);
});

Deno.test.each([[0, 0], [2, 0], [75, 75], [1, 1]])(
  "Under launchd, a gateway that ends with %d ends with %d",
  { ignore: !hasShell },
  async (code, expected) => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "service.env");
    await Deno.writeTextFile(file, variableLine("WORD", 'a $b "c"'));
    const check = `[ "$WORD" = 'a $b "c"' ] || exit 9; exit ${code}`;
    const args = ["-c", LAUNCHD_SCRIPT, file, "/bin/sh", "-c", check];
    const end = await new Deno.Command("/bin/sh", { args }).output();
    assert.equal(end.code, expected);
  },
);

Deno.test("Under launchd, a gateway that is told to end is waited for", {
  ignore: !hasShell,
}, async () => {
  const work = `trap 'echo ended well; exit 0' TERM; echo ready; while :; do sleep 0.05; done`;
  const args = ["-c", LAUNCHD_SCRIPT, "/none", "/bin/sh", "-c", work];
  const child = new Deno.Command("/bin/sh", { args, stdout: "piped" }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  assert.match((await lines.next()).value ?? "", /ready/);
  child.kill("SIGTERM");
  assert.match((await lines.next()).value ?? "", /ended well/);
  await lines.return?.();
  assert.equal((await child.status).code, 0);
});

Deno.test("How a service is is read from what its manager tells", () => {
  const { read } = systemd("troupe", "/home/ann");
  assert.deepEqual(read("ActiveState=failed\nMainPID=0\nExecMainCode=1\nExecMainStatus=2\n"), {
    isRunning: false,
    pid: null,
    lastExitCode: 2,
    state: "failed",
  });
  const agent = launchd("troupe", "/Users/ann", 501);
  assert.deepEqual(
    agent.read("\tstate = running\n\tpid = 43\n\tlast exit code = (never exited)\n"),
    {
      isRunning: true,
      pid: 43,
      lastExitCode: null,
      state: "running",
    },
  );
});

Deno.test("Names are found in a file of variables", () => {
  const names = namesIn('A=1\n# B=2\n  export C="x"\nD = 3\n');
  assert.deepEqual([...names], ["A", "C"]);
});
