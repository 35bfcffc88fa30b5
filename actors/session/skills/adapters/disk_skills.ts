/**
 * Skills on the disk.
 * @module
 */

import { join } from "node:path";
import type { SkillDisk } from "../skill_library.ts";

/** The disk itself; folders are looked at at once, as each look is shorter than a thread's way. */
export const diskSkills: SkillDisk = {
  state(path) {
    const info = infoOf(path);
    if (info === null) return null;
    const { mtime, ctime, size, ino, nlink } = info;
    return [mtime?.getTime(), ctime?.getTime(), size, ino, nlink].join(":");
  },
  folders(path) {
    if (infoOf(path) === null) return [];
    return [...Deno.readDirSync(path)]
      .filter(({ name, isDirectory, isSymlink }) =>
        isDirectory || (isSymlink && infoOf(join(path, name))?.isDirectory === true)
      )
      .map(({ name }) => name);
  },
  async read(path, bytesMax) {
    // Opening a pipe would wait for ever.
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) throw new Deno.errors.IsADirectory(`"${path}" is no file`);
    if (size > bytesMax) throw new RangeError(`it has more than ${bytesMax} bytes`);
    return await Deno.readFile(path);
  },
  realPath: (path) => Deno.realPath(path),
};

/** null for what is not there, a link that leads nowhere or in a circle among it. */
function infoOf(path: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return null;
    }
    if (error instanceof Deno.errors.FilesystemLoop) return null;
    throw error;
  }
}
