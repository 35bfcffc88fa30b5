/**
 * The program as one file, built as `deno task compile` builds it.
 * @module
 */

import { join } from "node:path";
import { z } from "zod";

/** A binary, or why there is none here. */
export type Build =
  | { readonly state: "built"; readonly path: string }
  | { readonly state: "no_base"; readonly reason: string };

const ROOT = new URL("../../", import.meta.url);

/** What Deno says when it cannot get the binary that it puts the program into. */
const NO_BASE = /Setting up base binary|error sending request|dl\.deno\.land/;

const taskSchema = z.object({ tasks: z.object({ compile: z.string() }) });

/**
 * Builds the binary in `folder`. `TROUPE_DENO_COMPILE` names a command that stands in for
 * `deno compile` where its base cannot be downloaded.
 *
 * @throws {TypeError} when the build fails for any other reason
 */
export async function buildBinary(folder: string): Promise<Build> {
  const path = join(folder, "troupe");
  const [command, args] = await compileCommand(path);
  const { success, stderr } = await new Deno.Command(command, {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
  }).output();
  if (success) return { state: "built", path };
  const said = new TextDecoder().decode(stderr);
  if (!NO_BASE.test(said)) throw new TypeError(`Cannot compile the program: ${said}`);
  const reason = "deno compile cannot download its base; TROUPE_DENO_COMPILE may name a command";
  return { state: "no_base", reason };
}

/** The task's own words, with another compiler and output where asked. */
async function compileCommand(output: string): Promise<[command: string, args: string[]]> {
  const { tasks } = taskSchema.parse(
    JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT))),
  );
  const words = tasks.compile.split(" ");
  if (words.shift() !== "deno" || words.shift() !== "compile") {
    throw new TypeError(`Cannot read the task "compile": "${tasks.compile}"`);
  }
  words[words.indexOf("--output") + 1] = output;
  const own = Deno.env.get("TROUPE_DENO_COMPILE");
  return own === undefined ? [Deno.execPath(), ["compile", ...words]] : [own, words];
}
