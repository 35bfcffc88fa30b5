/**
 * Files and folders that need not be there.
 * @module
 */

/** What is read of a file or folder; null where there is none. Other faults of the disk are thrown. */
export async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** The same for what is read at once. */
export function orNullSync<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Whether anything stands at a path, be it a link that leads nowhere. */
export async function exists(path: string): Promise<boolean> {
  return await orNull(Deno.lstat(path)) !== null;
}

/** Removes a file or an empty folder; nothing happens where there is none. */
export async function removeIfThere(path: string): Promise<void> {
  await orNull(Deno.remove(path));
}
