import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { ProcessLevel } from "../../actors/tools/shell/adapters/process_level.ts";
import { VirtualLevel } from "../../actors/tools/shell/adapters/virtual_level.ts";
import {
  ENV,
  runAt,
  SECRET,
  type ShellGround,
  shellGround,
  testConfinement,
  testShellLevel,
} from "./shell_level.ts";

const NARROWED = fileURLToPath(
  new URL("../../actors/tools/shell/adapters/narrowed_entry.ts", import.meta.url),
);

testShellLevel({
  name: "process",
  open: () => Promise.resolve(new ProcessLevel({ newId: systemNewId, env: ENV })),
  hasPrograms: true,
});

const virtual = {
  name: "virtual",
  open: ({ scope }: ShellGround) =>
    Promise.resolve(new VirtualLevel({ clock: systemClock, scope, env: ENV })),
};

testShellLevel({ ...virtual, hasPrograms: false });
testConfinement(virtual);

/** As in a compiled program, which has no flags for its processes. */
const narrowed = {
  name: "virtual, narrowed from inside,",
  open: ({ scope }: ShellGround) =>
    Promise.resolve(
      new VirtualLevel({
        ...{ clock: systemClock, scope, env: ENV },
        narrowed: [Deno.execPath(), "run", "-A", "--no-check", "--cached-only", NARROWED],
      }),
    ),
};

testConfinement(narrowed); // what it does else is the same interpreter's

Deno.test("Level virtual works, and keeps inside, in a folder that no flag can name", async () => {
  await using ground = await shellGround("troupe, level-");
  await using level = await virtual.open(ground);
  const ran = await runAt(level, "echo new > a.txt; cat a.txt notes.md", ground.workspace);
  assert.deepEqual([ran.stdout, ran.exitCode], ["new\none\ntwo\nthree\n", 0]);
  const attack = `cat '${join(ground.outside, "config.json")}' link; echo x > sessions/new`;
  const { stdout } = await runAt(level, attack, ground.workspace);
  assert.ok(!stdout.includes(SECRET));
  await assert.rejects(Deno.stat(join(ground.workspace, "sessions/new")), Deno.errors.NotFound);
});
