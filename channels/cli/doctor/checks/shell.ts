/**
 * At which level commands of the assistant run, and that what it denies is denied.
 * @module
 */

import { lacksFolder } from "../../../../actors/gateway/adapters/local_folders.ts";
import { wireShell } from "../../../../actors/gateway/shell_wiring.ts";
import { type Check, fault, ok, skipped, warning, withConfig } from "../finding.ts";

/** Attacks a file, a port and the gateway's state from inside, as every start does. */
export const shellCheck: Check = {
  name: "Shell",
  timeoutMs: 60_000,
  run: withConfig(async ({ loaded, world }) => {
    if (!loaded.config.tools.exec.enable) return [ok("off (tools.exec.enable)")];
    const { workspace, stateFolder } = loaded.locations;
    if ([workspace, stateFolder].some(lacksFolder)) {
      return [skipped("it is tried once there is a workspace: after the first start")];
    }
    await using shell = wireShell(loaded, world);
    const [level, line] = [await shell.level, await shell.line];
    if (level === null) return [fault(line, null)];
    if (level === "process") {
      return [
        warning(
          `${line}: commands can read what you can, keys included`,
          "install bubblewrap, and leave tools.exec.sandbox out",
        ),
      ];
    }
    return [
      ok(`${line}; reading and writing outside, and private addresses, were tried and denied`),
    ];
  }),
};
