/**
 * Folders of skills: reading one that somebody names, and putting skills into the workspace.
 * @module
 */

import { basename, dirname, join } from "node:path";
import { exists } from "../../../kernel/adapters/missing.ts";
import { isSkillName } from "../skill.ts";
import {
  isLeftOut,
  ORIGIN_FILE,
  PACKAGE_BYTES_MAX,
  PACKAGE_FILES_MAX,
  type PackagedSkill,
  type PackageFile,
  SkillInstallError,
} from "../install/skill_package.ts";

/** Where a skill came from. */
export interface SkillOrigin {
  /** As it was named. */
  readonly source: string;
  readonly integrity?: string | undefined;
}

/** Whether there is a folder. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    throw error;
  }
}

/**
 * All files of a folder.
 *
 * @returns also the folder's own name
 * @throws {SkillInstallError} for links and the like, and for too much
 */
export async function readPackageFolder(
  path: string,
): Promise<{ readonly name: string; readonly files: readonly PackageFile[] }> {
  const root = await Deno.realPath(path);
  const files: PackageFile[] = [];
  let bytes = 0;
  const walk = async (folder: string, prefix: string): Promise<void> => {
    for await (const entry of Deno.readDir(folder)) {
      const own = `${prefix}${entry.name}`;
      if (isLeftOut(own)) continue;
      const absolute = join(folder, entry.name);
      if (entry.isDirectory) {
        await walk(absolute, `${own}/`);
        continue;
      }
      if (!entry.isFile) {
        throw new SkillInstallError(
          `Cannot install "${path}": "${own}" is a link or no file; skills hold plain files only`,
        );
      }
      const { size, mode } = await Deno.lstat(absolute);
      bytes += size;
      if (bytes > PACKAGE_BYTES_MAX || files.length >= PACKAGE_FILES_MAX) {
        throw new SkillInstallError(
          `Cannot install "${path}": more than ${PACKAGE_FILES_MAX} files or ` +
            `${PACKAGE_BYTES_MAX} bytes`,
        );
      }
      const isExecutable = ((mode ?? 0) & 0o111) !== 0;
      files.push({ path: own, bytes: await Deno.readFile(absolute), isExecutable });
    }
  };
  await walk(root, "");
  const sorted = files.toSorted((a, b) => a.path < b.path ? -1 : 1);
  return { name: basename(root), files: sorted };
}

/**
 * Puts a skill into the folder of skills, whole or not at all.
 *
 * @throws {SkillInstallError} when one is there and `replaces` is false
 */
export async function placeSkill(
  skillsFolder: string,
  { name, files }: PackagedSkill,
  { origin, replaces }: { readonly origin: SkillOrigin; readonly replaces: boolean },
): Promise<void> {
  const target = join(skillsFolder, name);
  if (!replaces && await exists(target)) {
    throw new SkillInstallError(
      `Cannot install "${name}": there is a skill of this name (--force replaces it)`,
    );
  }
  await Deno.mkdir(skillsFolder, { recursive: true });
  // A name with a dot is no skill: what is left of a crash does no harm.
  const fresh = await Deno.makeTempDir({ dir: skillsFolder, prefix: ".installing-" });
  try {
    for (const { path, bytes, isExecutable } of files) {
      await Deno.mkdir(dirname(join(fresh, path)), { recursive: true });
      const mode = isExecutable ? 0o755 : 0o644;
      await Deno.writeFile(join(fresh, path), bytes, { createNew: true, mode });
    }
    const note = `${JSON.stringify(origin, null, 2)}\n`;
    await Deno.writeTextFile(join(fresh, ORIGIN_FILE), note, { createNew: true });
    if (Deno.build.os !== "windows") await Deno.chmod(fresh, 0o755);
    if (replaces && await exists(target)) await moveAway(target, skillsFolder);
    await Deno.rename(fresh, target);
  } catch (error) {
    await Deno.remove(fresh, { recursive: true });
    throw error;
  }
}

/** Removes a skill of the workspace; false where there is none. A link goes, not what it leads to. */
export async function removeSkill(skillsFolder: string, name: string): Promise<boolean> {
  const target = join(skillsFolder, name);
  if (!isSkillName(name) || !await exists(target)) return false;
  await moveAway(target, skillsFolder);
  return true;
}

/** Out of sight at once, and then away. */
async function moveAway(target: string, skillsFolder: string): Promise<void> {
  const away = await Deno.makeTempDir({ dir: skillsFolder, prefix: ".removing-" });
  await Deno.rename(target, join(away, "skill"));
  await Deno.remove(away, { recursive: true });
}

/** The whole of a SKILL.md. */
export async function readSkillText(path: string): Promise<string> {
  return await Deno.readTextFile(path);
}
