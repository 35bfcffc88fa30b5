/**
 * Programs and variables of this machine, for commands that look at skills without a gateway.
 * @module
 */

import { findingCommand, foundNames, type Requirements } from "../requirements.ts";

/** Those of the names that a command with this environment has outside of any sandbox. */
export async function findOnMachine(
  wanted: Requirements,
  env: Readonly<Record<string, string>>,
): Promise<Requirements> {
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", findingCommand(wanted)],
    clearEnv: true,
    env: { ...env },
    stdin: "null",
    stderr: "null",
  }).output();
  return foundNames(new TextDecoder().decode(stdout));
}
