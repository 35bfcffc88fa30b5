/**
 * Files of a folder for the shell interpreter where the platform cannot deny parts of a folder: each
 * call is looked at before it is made. Links are no way around: the interpreter's own files follow
 * none, and no programs run beside it.
 * @module
 */

import { dirname, join, relative } from "node:path";
import type { IFileSystem, ReadWriteFs } from "just-bash";

/** What may not be done. All paths absolute and resolved. */
export interface FileRules {
  readonly readOnlyPaths: readonly string[];
  /** Neither read nor changed. */
  readonly hiddenPaths: readonly string[];
}

type Call<Name extends keyof ReadWriteFs> = ReadWriteFs[Name] extends
  (...args: infer Args) => infer R ? { readonly args: Args; readonly result: R }
  : never;

/** Passes calls on to the files of `root`, as far as the rules allow. */
export class GuardedFiles implements IFileSystem {
  readonly #inner: ReadWriteFs;
  readonly #root: string;
  /** What may not be changed, the hidden included; in comparable form. */
  readonly #fixed: readonly string[];
  readonly #hidden: readonly string[];

  constructor(inner: ReadWriteFs, root: string, { readOnlyPaths, hiddenPaths }: FileRules) {
    this.#inner = inner;
    this.#root = root;
    this.#hidden = hiddenPaths.map(comparable);
    this.#fixed = [...readOnlyPaths.map(comparable), ...this.#hidden];
  }

  async readFile(...[path, options]: Call<"readFile">["args"]): Promise<string> {
    this.#mayRead(path);
    return await this.#inner.readFile(path, options);
  }

  async readFileBytes(path: string): Call<"readFileBytes">["result"] {
    this.#mayRead(path);
    return await this.#inner.readFileBytes(path);
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    this.#mayRead(path);
    return await this.#inner.readFileBuffer(path);
  }

  async writeFile(...[path, content, options]: Call<"writeFile">["args"]): Promise<void> {
    this.#mayChange(path);
    await this.#inner.writeFile(path, content, options);
  }

  async appendFile(...[path, content, options]: Call<"appendFile">["args"]): Promise<void> {
    this.#mayChange(path);
    await this.#inner.appendFile(path, content, options);
  }

  async exists(path: string): Promise<boolean> {
    return !this.#isHidden(path) && await this.#inner.exists(path);
  }

  async stat(path: string): Call<"stat">["result"] {
    this.#mayRead(path);
    return await this.#inner.stat(path);
  }

  async lstat(path: string): Call<"lstat">["result"] {
    this.#mayRead(path);
    return await this.#inner.lstat(path);
  }

  async mkdir(...[path, options]: Call<"mkdir">["args"]): Promise<void> {
    this.#mayChange(path);
    await this.#inner.mkdir(path, options);
  }

  async readdir(path: string): Promise<string[]> {
    this.#mayRead(path);
    return await this.#inner.readdir(path);
  }

  async readdirWithFileTypes(path: string): Call<"readdirWithFileTypes">["result"] {
    this.#mayRead(path);
    return await this.#inner.readdirWithFileTypes(path);
  }

  async rm(...[path, options]: Call<"rm">["args"]): Promise<void> {
    this.#mayTakeAway(path);
    await this.#inner.rm(path, options);
  }

  async cp(...[source, target, options]: Call<"cp">["args"]): Promise<void> {
    this.#mayRead(source);
    this.#mayChange(target);
    // A tree takes along what lies in it, and may reach what lies below its target.
    if (this.#holds(source, this.#hidden)) throw refusal("open", source);
    const below = this.#fixed.filter((path) => isIn(path, this.#formsOf(target)));
    for (const path of below) {
      const [form = ""] = this.#formsOf(target);
      if (await this.#hasLike(source, relative(form, path))) throw refusal("open", target);
    }
    await this.#inner.cp(source, target, options);
  }

  async mv(source: string, target: string): Promise<void> {
    this.#mayTakeAway(source);
    this.#mayTakeAway(target);
    await this.#inner.mv(source, target);
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#mayChange(path);
    await this.#inner.chmod(path, mode);
  }

  async symlink(target: string, linkPath: string): Promise<void> {
    this.#mayChange(linkPath);
    await this.#inner.symlink(target, linkPath);
  }

  /** Whoever has another name of a file can change it. */
  async link(existingPath: string, newPath: string): Promise<void> {
    this.#mayChange(existingPath);
    this.#mayChange(newPath);
    await this.#inner.link(existingPath, newPath);
  }

  async readlink(path: string): Promise<string> {
    this.#mayRead(path);
    return await this.#inner.readlink(path);
  }

  async realpath(path: string): Promise<string> {
    this.#mayRead(path);
    return await this.#inner.realpath(path);
  }

  async utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    this.#mayChange(path);
    await this.#inner.utimes(path, atime, mtime);
  }

  resolvePath(base: string, path: string): string {
    return this.#inner.resolvePath(base, path);
  }

  getAllPaths(): string[] {
    return this.#inner.getAllPaths().filter((path) => !this.#isHidden(path));
  }

  #mayRead(path: string): void {
    if (this.#isHidden(path)) throw refusal("open", path);
  }

  #mayChange(path: string): void {
    if (this.#formsOf(path).some((form) => isIn(form, this.#fixed))) throw refusal("open", path);
  }

  /** Nothing that lies in it may be fixed either. */
  #mayTakeAway(path: string): void {
    this.#mayChange(path);
    if (this.#holds(path, this.#fixed)) throw refusal("unlink", path);
  }

  #isHidden(path: string): boolean {
    return this.#formsOf(path).some((form) => isIn(form, this.#hidden));
  }

  #holds(path: string, places: readonly string[]): boolean {
    const forms = this.#formsOf(path);
    return places.some((place) => isIn(place, forms));
  }

  /** Whether a tree has something where another has what is fixed, in whatever case. */
  async #hasLike(folder: string, inside: string): Promise<boolean> {
    let place = folder;
    for (const name of inside.split(/[/\\]/)) {
      const names: readonly string[] = await this.#inner.readdir(place).catch(() => []);
      const found = names.find((other) => comparable(other) === name);
      if (found === undefined) return false;
      place = join(place, found);
    }
    return true;
  }

  /** As it is written, and as the disk has it. */
  #formsOf(path: string): readonly string[] {
    const real = join(this.#root, path);
    return [comparable(real), comparable(asOnDisk(real))];
  }
}

/** Disks that do not tell cases apart take each of these for the same. */
function comparable(path: string): string {
  return path.normalize("NFKC").toUpperCase().replace(/[/\\]+$/, "");
}

/** With short names and other spellings resolved, as far as there is something. */
function asOnDisk(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(asOnDisk(above), path.slice(above.length));
  }
}

/** Whether a place is one of these folders, or lies in one. */
function isIn(place: string, folders: readonly string[]): boolean {
  return folders.some((folder) =>
    place === folder || place.startsWith(`${folder}/`) || place.startsWith(`${folder}\\`)
  );
}

/** As the interpreter's own files say it. */
function refusal(call: string, path: string): TypeError {
  return new TypeError(`EACCES: permission denied, ${call} '${path}'`);
}
