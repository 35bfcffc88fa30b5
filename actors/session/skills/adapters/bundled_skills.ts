/**
 * The skills that come with the program, where tools can read them.
 * @module
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { orNull } from "../../../kernel/adapters/missing.ts";

/** A compiled program's copy, beside the configuration. */
export const SKILLS_COPY = "bundled-skills";
/** They are files of the program; in the compiled one, files inside of it. */
const INSIDE = fileURLToPath(new URL("../../../../workspace-template/skills", import.meta.url));

/**
 * Where they are, absolute. Commands see nothing of what is inside a compiled program, so that they
 * are copied out of it.
 *
 * @param configFolder where the copy goes
 */
export function bundledSkillsFolder(configFolder: string): string {
  return Deno.build.standalone ? join(configFolder, SKILLS_COPY) : INSIDE;
}

/** Makes the copy as it should be, if there has to be one. */
export async function placeBundledSkills(configFolder: string): Promise<void> {
  if (Deno.build.standalone) await copyFolder(INSIDE, bundledSkillsFolder(configFolder));
}

/** Makes a folder hold what another one does, and nothing else. Files that are right stay. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  const entries = await Array.fromAsync(Deno.readDir(from));
  const wanted = new Set(entries.map(({ name }) => name));
  for await (const { name } of Deno.readDir(to)) {
    if (!wanted.has(name)) await Deno.remove(join(to, name), { recursive: true });
  }
  for (const { name, isDirectory } of entries) {
    const [source, target] = [join(from, name), join(to, name)];
    if (isDirectory) await copyFolder(source, target);
    else await copyFile(source, target);
  }
}

async function copyFile(source: string, target: string): Promise<void> {
  const text = await Deno.readTextFile(source);
  if (await orNull(Deno.readTextFile(target)) === text) return;
  await Deno.mkdir(dirname(target), { recursive: true });
  await Deno.writeTextFile(target, text);
}
