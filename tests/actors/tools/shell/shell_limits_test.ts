import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock, systemNewId } from "../../../../actors/kernel/adapters/system_clock.ts";
import { ProcessLevel } from "../../../../actors/tools/shell/adapters/process_level.ts";
import { CommandGuard } from "../../../../actors/tools/shell/guard.ts";
import { SHELL_LIMITS, type ShellLimits } from "../../../../actors/tools/shell/level.ts";
import { Shell } from "../../../../actors/tools/shell/shell.ts";
import type { ShellOutcome } from "../../../../actors/tools/tool.ts";
import { ENV } from "../../../contract/shell_level.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { until } from "../../../support/until.ts";

/** A shell whose guard lets everything through, so that the limits are what ends a command. */
function shellWith(workspace: string, limits: Partial<ShellLimits>): Shell {
  const level = new ProcessLevel({
    newId: systemNewId,
    env: ENV,
    limits: { ...SHELL_LIMITS, ...limits },
  });
  return new Shell({
    clock: systemClock,
    workspace,
    level: () => Promise.resolve(level),
    guard: new CommandGuard({
      workspace,
      home: "/home/nobody-here",
      isRestricted: false,
      folders: [],
      protectedPaths: [],
      denyPatterns: [],
      allowPatterns: [".*"],
      checkHost: () => {},
    }),
    resolveFolder: (path) => Promise.resolve(join(workspace, path)),
  });
}

function run(shell: Shell, command: string, timeoutMs = 20_000): Promise<ShellOutcome> {
  return shell.run(
    { command, workingDir: undefined, timeoutMs, outputBytesMax: 10_000 },
    new AbortController().signal,
  );
}

/** Whether a process runs whose command line holds `mark`. */
async function isRunning(mark: string): Promise<boolean> {
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (line.includes(mark)) return true;
  }
  return false;
}

Deno.test("A command that starts ever more processes is ended, with a word why", async () => {
  await using folder = await temporaryFolder();
  const shell = shellWith(folder.path, { processesMax: 40 });
  // Each one starts two more and waits; nothing but the limit ends it.
  const command = 'grow() { [ "$1" -gt 9 ] && exec sleep 61.5; grow $(($1+1)) & grow $(($1+1)) & ' +
    "wait; }; grow 0";
  const outcome = await run(shell, command);
  assert.equal(outcome.exitCode, null);
  assert.match(outcome.stderr, /more than 40 processes/);
  await until(async () => !await isRunning("61.5"), { what: "the end of all of them" });
});

Deno.test("A command that eats memory is ended, with a word why", async () => {
  await using folder = await temporaryFolder();
  const shell = shellWith(folder.path, { memoryBytesMax: 150_000_000 });
  // Two at once: neither is over the limit alone.
  const eat = "head -c 100000000 /dev/zero | tail -c 100000000 | (sleep 30; cat >/dev/null)";
  const outcome = await run(shell, `(${eat}) & (${eat}) & wait`);
  assert.equal(outcome.exitCode, null);
  assert.match(outcome.stderr, /more than 143 MB of memory/);
});

Deno.test("A process that wants more data than its limit does not get it", async () => {
  await using folder = await temporaryFolder();
  const shell = shellWith(folder.path, { dataBytesMax: 60_000_000 });
  const outcome = await run(shell, "head -c 100000000 /dev/zero | tail -c 100000000 | wc -c");
  assert.doesNotMatch(outcome.stdout, /^100000000/);
});

Deno.test("A file cannot grow past its limit", async () => {
  await using folder = await temporaryFolder();
  const shell = shellWith(folder.path, { fileBytesMax: 1_048_576 });
  await run(shell, "head -c 5000000 /dev/zero > big");
  assert.equal((await Deno.stat(join(folder.path, "big"))).size, 1_048_576);
});

Deno.test("A flood of output is kept at its ends, and ends at the time limit", async () => {
  await using folder = await temporaryFolder();
  const before = memoryBytes();
  const outcome = await run(shellWith(folder.path, {}), "echo first; yes", 1_000);
  assert.equal(outcome.state, "timed_out");
  assert.match(outcome.stdout, /^first\ny\n/);
  assert.ok(outcome.stdout.length < 11_000);
  assert.ok(memoryBytes() - before < 200_000_000);
});

/** What this thread holds; the process has others, with tests of their own. */
function memoryBytes(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

Deno.test.each([
  { name: "ignores the signals", command: "trap '' TERM HUP INT; sleep 62.25; sleep 62.25" },
  { name: "has left the group", command: "setsid sleep 62.25 & setsid setsid sleep 62.25 & wait" },
  { name: "was left behind", command: "(nohup setsid sleep 62.25 >/dev/null 2>&1 &); sleep 60" },
])("At its time limit a command ends that $name", async ({ command }) => {
  await using folder = await temporaryFolder();
  const outcome = await run(shellWith(folder.path, {}), command, 500);
  assert.equal(outcome.state, "timed_out");
  await until(async () => !await isRunning("62.25"), { what: "the end of what it started" });
});

Deno.test("What a command leaves running does not hold it up, and does not stay", async () => {
  await using folder = await temporaryFolder();
  const shell = shellWith(folder.path, {});
  const outcome = await run(shell, "setsid sleep 63.75 & echo done");
  assert.deepEqual([outcome.exitCode, outcome.stdout], [0, "done\n"]);
  await until(async () => !await isRunning("63.75"), { what: "the end of the escapee" });
});

/** Runs a command at the level `process` in a program that may run a shell, and little else. */
async function runNarrowly(command: string, livesMs: number): Promise<string> {
  const program = fileURLToPath(new URL("../../../support/narrow_shell.ts", import.meta.url));
  const flags = ["--no-prompt", "--cached-only", "--no-check", "--allow-run=sh"];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, program, "process", "/", command, String(livesMs)],
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert.ok(success, decode(stderr));
  return decode(stdout);
}

Deno.test.each(["sleep 64.25 & sleep 64.25", "setsid setsid sleep 64.25 & trap '' TERM; wait"])(
  "With the right to run a shell and no other, all of a command is ended: %s",
  async (command) => {
    assert.equal(await runNarrowly(command, 500), "ended by its owner");
    await until(async () => !await isRunning("64.25"), { what: "the end of all of it" });
  },
);

Deno.test.each([
  // Each parent ends at once, so that nothing is left below the command itself.
  {
    name: "a fork bomb that belongs to nobody",
    command: 'bomb() { [ "$1" -gt 9 ] && exec sleep 65.25; ' +
      "(bomb $(($1+1)) &); (bomb $(($1+1)) &); }; bomb 0; sleep 65.25",
    note: /more than 40 processes/,
  },
  {
    name: "memory, in parts",
    command: "eat() { head -c 100000000 /dev/zero | tail -c 100000000 | (sleep 65.25; cat); }; " +
      "eat & eat & wait",
    note: /more than 143 MB of memory/,
  },
])("With the right to run a shell and no other, what a command starts is bounded: $name", async ({
  command,
  note,
}) => {
  assert.match(await runNarrowly(command, 20_000), note);
  await until(async () => !await isRunning("65.25"), { what: "the end of all of it" });
});

Deno.test("The system itself bounds how many processes a command may start", async () => {
  await using folder = await temporaryFolder();
  const { stdout } = await run(shellWith(folder.path, { processesMax: 123 }), "ulimit -u; env");
  const [, , , all = ""] = (await Deno.readTextFile("/proc/loadavg")).split(" ");
  const [limit = "", ...rest] = stdout.split("\n");
  const spare = Number(limit) - Number(all.split("/")[1]);
  assert.ok(spare > 0 && spare < 2_000, `${limit} for ${all}`);
  assert.doesNotMatch(rest.join("\n"), /SHELL_/);
});

Deno.test("A shell that ends ends what runs in it, and runs nothing more", async () => {
  await using folder = await temporaryFolder();
  const shell = shellWith(folder.path, {});
  const running = assert.rejects(run(shell, "sleep 66.25"), { code: "not_available" });
  await until(() => isRunning("66.25"), { what: "the command" });
  await shell[Symbol.asyncDispose]();
  assert.equal(await isRunning("66.25"), false);
  await running;
  await assert.rejects(run(shell, "true"), { code: "not_available" });
});
