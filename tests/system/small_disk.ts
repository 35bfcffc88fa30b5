/**
 * Small disks of their own, below a folder, that get into trouble when a test wants it. To mount
 * them takes the rights of root.
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../support/until.ts";

/** Whether disks can be mounted here. */
export const MAY_MOUNT: boolean = Deno.uid() === 0;
/** Whether a disk can be mounted from a file. */
export const MAY_MOUNT_IMAGES: boolean = MAY_MOUNT && exists("/dev/loop-control") &&
  exists("/usr/sbin/mkfs.ext4");

/** A disk in memory that can be filled. */
export class MemoryDisk implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async mount(path: string): Promise<MemoryDisk> {
    await Deno.mkdir(path, { recursive: true });
    assert.ok(await run("mount", "-t", "tmpfs", "-o", "size=3m,mode=0700", "tmpfs", path));
    return new MemoryDisk(path);
  }

  /** Takes all the room there is. */
  async fill(): Promise<void> {
    await run("dd", "if=/dev/zero", `of=${join(this.path, "filler")}`, "bs=4096");
  }

  /** Gives the room back. */
  async clear(): Promise<void> {
    await Deno.remove(join(this.path, "filler"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    assert.ok(await run("umount", "-l", this.path));
  }
}

/** An ext4 disk in a file, whose kernel can be made to refuse writes. */
export class ImageDisk implements AsyncDisposable {
  readonly path: string;
  readonly #image: string;

  private constructor(path: string, image: string) {
    this.path = path;
    this.#image = image;
  }

  /** Makes the image beside the folder. */
  static async mount(path: string): Promise<ImageDisk> {
    const image = `${path}.img`;
    await Deno.mkdir(path, { recursive: true });
    assert.ok(await run("truncate", "-s", "24M", image));
    assert.ok(await run("mkfs.ext4", "-q", image));
    const disk = new ImageDisk(path, image);
    await disk.mountAgain();
    return disk;
  }

  /** Refuses what is written to the files that are there, also through open ones. */
  async refuse(): Promise<void> {
    assert.ok(await run("chattr", "+i", ...await this.#files()));
  }

  /** Takes writes again. */
  async allow(): Promise<void> {
    assert.ok(await run("chattr", "-i", ...await this.#files()));
  }

  /** Becomes read-only under its users, as the kernel lets it after an error; for good. */
  async fail(): Promise<void> {
    assert.ok(await run("mount", "-o", "remount,abort", this.path));
  }

  /** What was mended and mounted anew can be written. Who used it must be about to end. */
  async mountAgain(): Promise<void> {
    await run("umount", this.path);
    // A process with mounts of its own, as a sandbox is, holds the disk until it ends.
    await until(async () => !await this.#isInUse(), { what: `the end of all use of ${this.path}` });
    await run("e2fsck", "-p", this.#image);
    assert.ok(await run("mount", "-o", "loop", this.#image, this.path));
    await Deno.chmod(this.path, 0o700);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    assert.ok(await run("umount", "-l", this.path));
  }

  async #isInUse(): Promise<boolean> {
    const { stdout } = await new Deno.Command("losetup", { args: ["-j", this.#image] }).output();
    return stdout.length > 0;
  }

  async #files(): Promise<string[]> {
    const entries = await Array.fromAsync(Deno.readDir(this.path));
    return entries.filter(({ isFile }) => isFile).map(({ name }) => join(this.path, name));
  }
}

async function run(command: string, ...args: readonly string[]): Promise<boolean> {
  const process = new Deno.Command(command, { args: [...args], stdout: "null", stderr: "null" });
  return (await process.output()).success;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path) !== null;
  } catch {
    return false;
  }
}
