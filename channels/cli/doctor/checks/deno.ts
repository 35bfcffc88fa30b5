/**
 * Whether the program runs on a Deno that it was made for.
 * @module
 */

import { runtime } from "../adapters/machine.ts";
import { type Check, type Finding, LOCAL_MS, ok, warning } from "../finding.ts";

/** From here on everything works. */
const WANTED = [2, 9] as const;

/** Looks at the version. */
export const denoCheck: Check = {
  name: "Deno",
  timeoutMs: LOCAL_MS,
  run: () => Promise.resolve([versionFinding(runtime())]),
};

/** What a version comes to. */
export function versionFinding(
  { version, isCompiled }: ReturnType<typeof runtime>,
): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isRecent = major > WANTED[0] || (major === WANTED[0] && minor >= WANTED[1]);
  const where = isCompiled ? " (inside the compiled program)" : "";
  if (isRecent) return ok(`${version}${where}`);
  return warning(
    `${version}${where} is older than ${
      WANTED.join(".")
    }: web tools cannot pin the addresses that they check`,
    isCompiled ? "use a newer build of the program" : "run: deno upgrade",
  );
}
