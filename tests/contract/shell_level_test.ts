import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { ProcessLevel } from "../../actors/tools/shell/adapters/process_level.ts";
import { VirtualLevel } from "../../actors/tools/shell/adapters/virtual_level.ts";
import { ENV, type ShellGround, testConfinement, testShellLevel } from "./shell_level.ts";

testShellLevel({
  name: "process",
  open: () => Promise.resolve(new ProcessLevel({ newId: systemNewId, env: ENV })),
  hasPrograms: true,
});

const virtual = {
  name: "virtual",
  open: ({ scope }: ShellGround) =>
    Promise.resolve(
      new VirtualLevel({ clock: systemClock, scope, env: ENV, hostEnv: hostEnv() }),
    ),
};

testShellLevel({ ...virtual, hasPrograms: false });
testConfinement(virtual);

function hostEnv(): Record<string, string> {
  const names = ["DENO_DIR", "HOME", "XDG_CACHE_HOME"];
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
