/**
 * A program for tests: stands for a gateway that is killed. Opens the shell as the gateway does, at
 * the level of its first argument (network: second, folders: third and fourth), starts the commands
 * in the rest, says so, and lives on.
 * @module
 */

import { join } from "node:path";
import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { NetBoundary } from "../../actors/tools/net/boundary.ts";
import { openShellLevel } from "../../actors/tools/shell/adapters/open_shell.ts";
import { ENV } from "../contract/shell_level.ts";
import { LEVELS, NETWORKS } from "./killed_owner.ts";

const [levelName, networkName, workspace = "", stateFolder = "", ...commands] = Deno.args;
const choice = await openShellLevel({
  clock: systemClock,
  newId: systemNewId,
  wanted: LEVELS.parse(levelName),
  network: NETWORKS.parse(networkName),
  scope: {
    workspace,
    isRestricted: true,
    readableRoots: [],
    writableRoots: [],
    readOnlyPaths: [join(workspace, "sessions")],
    hiddenPaths: [],
  },
  programFolders: [],
  stateFolder,
  env: ENV,
  boundary: new NetBoundary({ allowedRanges: [], allowedHosts: [] }),
});
if (choice.state === "none") throw new Error(choice.problem);
for (const command of commands) {
  const start = { command, folder: workspace, hasInput: true, timeoutMs: 60_000 };
  await choice.level.start(start);
}
await Deno.stdout.write(new TextEncoder().encode("started\n"));
await new Promise((resolve) => setTimeout(resolve, 60_000));
