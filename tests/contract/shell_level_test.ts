import { fileURLToPath } from "node:url";
import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { ProcessLevel } from "../../actors/tools/shell/adapters/process_level.ts";
import { VirtualLevel } from "../../actors/tools/shell/adapters/virtual_level.ts";
import { ENV, type ShellGround, testConfinement, testShellLevel } from "./shell_level.ts";

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
