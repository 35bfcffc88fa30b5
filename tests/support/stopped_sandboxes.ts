/**
 * A program for tests: starts commands in bubblewrap and ends each as it starts. It is started with
 * the right to run `bwrap` and nothing else.
 * @module
 */

import { setTimeout as pause } from "node:timers/promises";
import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { NetBoundary } from "../../actors/tools/net/boundary.ts";
import { BwrapLevel } from "../../actors/tools/shell/adapters/bwrap_level.ts";
import { Lifeline } from "../../actors/tools/shell/adapters/lifeline.ts";
import { ENV } from "../contract/shell_level.ts";

const workspace = Deno.env.get("WORKSPACE") ?? "";
await using level = await BwrapLevel.open({
  clock: systemClock,
  scope: {
    workspace,
    isRestricted: true,
    readableRoots: [],
    writableRoots: [],
    readOnlyPaths: [],
    hiddenPaths: [],
  },
  env: ENV,
  network: "none",
  boundary: new NetBoundary({ allowedRanges: [], allowedHosts: [] }),
  lifeline: new Lifeline(systemNewId, "bwrap"),
});
for (const pauseMs of [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 8, 8]) {
  const start = { command: "sleep 4711", folder: workspace, hasInput: false, timeoutMs: 60_000 };
  await using process = await level.start(start);
  void process.stdout.cancel();
  void process.stderr.cancel();
  await pause(pauseMs);
}
