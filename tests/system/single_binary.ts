/**
 * The program as one file, built as `deno task compile` builds it.
 * @module
 */

import { join } from "node:path";
import { compileProgram } from "../../.ci/compile/compile.ts";

/** A binary, or why there is none here. */
export type Build =
  | { readonly state: "built"; readonly path: string }
  | { readonly state: "no_base"; readonly reason: string };

/** What Deno says when it cannot get the binary that it puts the program into. */
const NO_BASE = /Setting up base binary|error sending request|dl\.deno\.land/;

/**
 * Builds the binary in `folder`, with these rights for good or with all. `TROUPE_DENO_COMPILE` names
 * a command that stands in for `deno compile` where its base cannot be downloaded.
 *
 * @throws {TypeError} when the build fails for any other reason
 */
export async function buildBinary(folder: string, rights?: readonly string[]): Promise<Build> {
  const path = join(folder, "troupe");
  const own = Deno.env.get("TROUPE_DENO_COMPILE");
  const compiler = own === undefined ? undefined : [own];
  const { success, said } = await compileProgram({ output: path, rights, compiler });
  if (success) return { state: "built", path };
  if (!NO_BASE.test(said)) throw new TypeError(`Cannot compile the program: ${said}`);
  const reason = "deno compile cannot download its base; TROUPE_DENO_COMPILE may name a command";
  return { state: "no_base", reason };
}
