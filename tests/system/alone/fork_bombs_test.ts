// These run by themselves: what a bomb takes of the machine, it takes from everybody.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../actors/kernel/adapters/system_clock.ts";
import { NetBoundary } from "../../../actors/tools/net/boundary.ts";
import { BwrapLevel } from "../../../actors/tools/shell/adapters/bwrap_level.ts";
import { SHELL_LIMITS } from "../../../actors/tools/shell/level.ts";
import { ENV, runAt, shellGround } from "../../contract/shell_level.ts";
import { until } from "../../support/until.ts";

Deno.test("A fork bomb in the sandbox is ended, with a word why", async () => {
  await using ground = await shellGround();
  await using level = await BwrapLevel.open({
    clock: systemClock,
    scope: ground.scope,
    env: ENV,
    network: "none",
    boundary: new NetBoundary({ allowedRanges: [], allowedHosts: [] }),
    limits: { ...SHELL_LIMITS, processesMax: 60 },
  });
  const ran = await runAt(level, "echo bomb > mark; :(){ :|:& };:; sleep 61.125", ground.workspace);
  assert.equal(ran.exitCode, null);
  assert.match(ran.note ?? "", /more than 60 processes/);
  await until(async () => !await isRunning("61.125"), { what: "the end of all of them" });
});

Deno.test.each([
  {
    name: "a fork bomb",
    command: "bomb(){ bomb|bomb& };bomb; sleep 61.375",
    note: /more than 40 processes/,
  },
  {
    name: "a fork bomb of threads",
    command: "python3 -c 'import subprocess as s, threading as t\n" +
      'for n in range(60): t.Thread(target=lambda: s.run(["sleep", "61.375"])).start()\'',
    note: /more than 40 processes/,
  },
  {
    name: "memory, in parts",
    command: "eat() { head -c 100000000 /dev/zero | tail -c 100000000 | (sleep 61.375; cat); }; " +
      "eat & eat & wait",
    note: /more than 143 MB of memory/,
  },
])(
  "With the right to run bubblewrap and no other, what a command starts is bounded: $name",
  async ({
    command,
    note,
  }) => {
    await using ground = await shellGround();
    const program = fileURLToPath(new URL("../../support/narrow_shell.ts", import.meta.url));
    const rights = ["--allow-run=bwrap", "--allow-read", "--allow-write", "--allow-sys"];
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-prompt", "--cached-only", "--no-check", ...rights, program],
        ...["bwrap", ground.workspace, command, "20000"],
      ],
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    assert.match(new TextDecoder().decode(stdout), note);
    await until(async () => !await isRunning("61.375"), { what: "the end of all of them" });
  },
);

/** Whether a process runs whose command line holds `mark`. */
async function isRunning(mark: string): Promise<boolean> {
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (line.includes(mark)) return true;
  }
  return false;
}
