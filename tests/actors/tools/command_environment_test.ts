import assert from "node:assert/strict";
import { commandEnvironment } from "../../../actors/tools/adapters/command_environment.ts";
import { ProcessLevel } from "../../../actors/tools/shell/adapters/process_level.ts";
import { systemNewId } from "../../../actors/kernel/adapters/system_clock.ts";

/** What commands get when this process has exactly these variables. */
function environmentOf(
  variables: Readonly<Record<string, string>>,
  options: Parameters<typeof commandEnvironment>[0],
): Readonly<Record<string, string>> {
  const before = Deno.env.toObject();
  try {
    for (const name of Object.keys(before)) Deno.env.delete(name);
    for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
    return commandEnvironment(options);
  } finally {
    for (const [name, value] of Object.entries(before)) Deno.env.set(name, value);
    for (const name of Object.keys(variables)) if (!(name in before)) Deno.env.delete(name);
  }
}

const NONE = { pathAppend: "", allowedEnvKeys: [] };

Deno.test.each([
  {
    what: "four names, with what programs expect where this process has nothing",
    variables: {},
    options: NONE,
    env: { HOME: "/tmp", LANG: "C.UTF-8", TERM: "dumb", PATH: "/usr/local/bin:/usr/bin:/bin" },
  },
  {
    what: "no secret of this process",
    variables: { HOME: "/home/u", PATH: "/bin", TERM: "xterm", LANG: "de_DE", API_KEY: "secret" },
    options: NONE,
    env: { HOME: "/home/u", LANG: "de_DE", TERM: "xterm", PATH: "/bin" },
  },
  {
    what: "the names that the configuration allows, if they are set",
    variables: { PATH: "/bin", GOPATH: "/go", OTHER: "no" },
    options: { pathAppend: "", allowedEnvKeys: ["GOPATH", "NOT_SET"] },
    env: { HOME: "/tmp", LANG: "C.UTF-8", TERM: "dumb", PATH: "/bin", GOPATH: "/go" },
  },
  {
    what: "folders of the configuration behind the usual ones",
    variables: { PATH: "/bin" },
    options: { pathAppend: "/opt/x/bin:/opt/y", allowedEnvKeys: [] },
    env: { HOME: "/tmp", LANG: "C.UTF-8", TERM: "dumb", PATH: "/bin:/opt/x/bin:/opt/y" },
  },
])("A command's environment is $what", ({ variables, options, env }) => {
  assert.deepEqual(environmentOf(variables, options), env);
});

Deno.test("No login profile puts names back, and one that is not allowed is not there", async () => {
  const home = await Deno.makeTempDir();
  for (const name of [".profile", ".bash_profile", ".bashrc"]) {
    await Deno.writeTextFile(`${home}/${name}`, "export LEAKED=secret\n");
  }
  const env = { ...environmentOf({ PATH: "/usr/bin:/bin" }, NONE), HOME: home };
  await using level = new ProcessLevel({ newId: systemNewId, env });
  const command = "printenv LEAKED; echo $?; echo $PATH";
  const start = { command, folder: "/", hasInput: false, timeoutMs: 5_000 };
  await using process = await level.start(start);
  void process.stderr.cancel();
  assert.equal(await new Response(process.stdout).text(), "1\n/usr/bin:/bin\n");
  await Deno.remove(home, { recursive: true });
});
