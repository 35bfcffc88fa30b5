import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { NetBoundary } from "../../actors/tools/net/boundary.ts";
import { BwrapLevel } from "../../actors/tools/shell/adapters/bwrap_level.ts";
import { ENV, type ShellGround, testConfinement, testShellLevel } from "../contract/shell_level.ts";

const boundary = new NetBoundary({ allowedRanges: [], allowedHosts: [] });

for (const network of ["filtered", "none"] as const) {
  const traits = {
    name: `bwrap with network ${network}`,
    open: ({ scope }: ShellGround) =>
      BwrapLevel.open({ clock: systemClock, scope, env: ENV, network, boundary }),
  };
  testShellLevel({ ...traits, hasPrograms: true });
  testConfinement(traits);
}
