/**
 * Versions as commits of a bare Git repository of their own, which any Git program can look into
 * (`git --git-dir=memory/.versions log -p`). It knows neither work tree nor index, so that it never
 * meets a repository of the owner, also where the workspace is one or lies in one.
 * @module
 */

import nodeFs from "node:fs";
import { join } from "node:path";
import { getLogger } from "@logtape/logtape";
import type { CommitObject, TreeEntry } from "isomorphic-git";
import { asError } from "../../kernel/errors.ts";
import type { MemoryVersion } from "../protocol.ts";
import type { FoundVersion, NewVersion, VersionStore } from "../ports.ts";

const logger = getLogger(["troupe", "memory", "git_versions"]);

type Git = typeof import("isomorphic-git");

const BRANCH = "main";
const REF = `refs/heads/${BRANCH}`;
const AUTHOR = { name: "Troupe", email: "troupe@localhost" };
const FILE_MODE = "100644";
const FOLDER_MODE = "040000";
/** Before the number of a repository that was found damaged, in the one that followed it. */
const DAMAGED = "damaged-";
const FOLDER_ONLY_FOR_OWNER = 0o700;

/** The library writes files in place; here a name never belongs to half a file. */
const WHOLE_FILES = {
  promises: {
    ...nodeFs.promises,
    async writeFile(path: string, data: string | Uint8Array, options?: nodeFs.WriteFileOptions) {
      const temporary = `${path}.${crypto.randomUUID()}.tmp`;
      await nodeFs.promises.writeFile(temporary, data, options);
      await nodeFs.promises.rename(temporary, path);
    },
  },
};

/** Texts by name, and folders of such. */
interface Folder {
  readonly files: Map<string, string>;
  readonly folders: Map<string, Folder>;
}

/** The repository in a folder that is made with the first version. */
export class GitVersions implements VersionStore {
  readonly #gitdir: string;
  #opening: Promise<Git> | undefined;
  #epoch = 0;

  /** @param gitdir absolute */
  constructor(gitdir: string) {
    this.#gitdir = gitdir;
  }

  get epoch(): number {
    return this.#epoch;
  }

  commit({ files, message, atMs }: NewVersion): Promise<string> {
    return this.#whole(async (git) => {
      await this.#readHead(git); // a version on one that is gone could never be shown
      const tree = await this.#writeFolder(git, foldersOf(files));
      const by = { ...AUTHOR, timestamp: Math.floor(atMs / 1_000), timezoneOffset: 0 };
      const made = { message, tree, ref: REF, author: by, committer: by };
      return await git.commit({ fs: WHOLE_FILES, gitdir: this.#gitdir, ...made });
    });
  }

  log(limit: number): Promise<readonly MemoryVersion[]> {
    return this.#whole(async (git) => {
      if (!await this.#hasVersions(git)) return [];
      const place = { fs: WHOLE_FILES, gitdir: this.#gitdir };
      const commits = await git.log({ ...place, ref: REF, depth: limit });
      return commits.map(({ oid, commit }) => versionOf(oid, commit));
    });
  }

  find(idStart: string): Promise<FoundVersion | null> {
    return this.#whole((git) => this.#find(git, idStart));
  }

  files(id: string): Promise<ReadonlyMap<string, string>> {
    return this.#whole((git) => this.#files(git, id));
  }

  async #find(git: Git, idStart: string): Promise<FoundVersion | null> {
    const gitdir = this.#gitdir;
    await this.#readHead(git); // else what is damaged would look unknown
    try {
      const oid = await git.expandOid({ fs: WHOLE_FILES, gitdir, oid: idStart });
      const { commit } = await git.readCommit({ fs: WHOLE_FILES, gitdir, oid });
      return { version: versionOf(oid, commit), parentId: commit.parent[0] ?? null };
    } catch (error) {
      if (error instanceof git.Errors.AmbiguousError) return await this.#findAmong(idStart);
      const isNone = error instanceof git.Errors.NotFoundError ||
        error instanceof git.Errors.ObjectTypeError;
      if (isNone) return null;
      throw error;
    }
  }

  async #files(git: Git, id: string): Promise<ReadonlyMap<string, string>> {
    const { commit } = await git.readCommit({ fs: WHOLE_FILES, gitdir: this.#gitdir, oid: id });
    const files = new Map<string, string>();
    await this.#readFolder(git, commit.tree, "", files);
    return files;
  }

  /** Files and folders have ids as well, which may begin alike. */
  async #findAmong(idStart: string): Promise<FoundVersion | null> {
    const git = await this.#open();
    if (!await this.#hasVersions(git)) return null;
    const log = await git.log({ fs: WHOLE_FILES, gitdir: this.#gitdir, ref: REF });
    const [found, ...more] = log.filter(({ oid }) => oid.startsWith(idStart));
    if (found === undefined || more.length > 0) return null;
    const { oid, commit } = found;
    return { version: versionOf(oid, commit), parentId: commit.parent[0] ?? null };
  }

  /** Does it; where the repository turns out to be damaged, in a new one. */
  async #whole<T>(work: (git: Git) => Promise<T>): Promise<T> {
    const git = await this.#open();
    try {
      return await work(git);
    } catch (thrown) {
      if (!await this.#isReadable() || !await this.#isDamaged(git)) throw thrown;
      await this.#beginAnew(asError(thrown).message);
      return await work(await this.#open());
    }
  }

  /** Whether not even the row of versions, or the newest of them, can be read. */
  async #isDamaged(git: Git): Promise<boolean> {
    try {
      const head = await this.#readHead(git);
      if (head === null) return false;
      await git.log({ fs: WHOLE_FILES, gitdir: this.#gitdir, ref: REF });
      await this.#files(git, head);
      return false;
    } catch {
      return true; // why, the caller has
    }
  }

  /** To the library, what the disk does not give just now is missing as well. */
  async #isReadable(): Promise<boolean> {
    try {
      await Deno.readFile(join(this.#gitdir, "HEAD"));
      for await (const { name, isDirectory } of Deno.readDir(join(this.#gitdir, "objects"))) {
        if (isDirectory) await Array.fromAsync(Deno.readDir(join(this.#gitdir, "objects", name)));
      }
      return true;
    } catch (thrown) {
      return thrown instanceof Deno.errors.NotFound;
    }
  }

  /** The newest version's id, once it was read; null without any. */
  async #readHead(git: Git): Promise<string | null> {
    if (!await this.#hasVersions(git)) return null;
    const place = { fs: WHOLE_FILES, gitdir: this.#gitdir };
    const oid = await git.resolveRef({ ...place, ref: REF });
    await git.readCommit({ ...place, oid });
    return oid;
  }

  /** The damaged repository goes into a folder of the new one, where it is hidden as well. */
  async #beginAnew(reason: string): Promise<void> {
    const gitdir = this.#gitdir;
    const outside = `${gitdir}.${crypto.randomUUID()}`;
    await Deno.rename(gitdir, outside);
    this.#opening = undefined;
    this.#epoch++;
    await this.#open();
    const former = await Array.fromAsync(Deno.readDir(outside), ({ name }) => name);
    let number = 1;
    for (const name of former.filter((name) => name.startsWith(DAMAGED))) {
      await Deno.rename(join(outside, name), join(gitdir, name));
      number = Math.max(number, 1 + (Number(name.slice(DAMAGED.length)) || 0));
    }
    const aside = join(gitdir, `${DAMAGED}${number}`);
    await Deno.rename(outside, aside);
    logger.error(
      "The memory's versions were damaged and begin anew, the old ones are in {aside}: " +
        "{reason}",
      { aside, reason },
    );
  }

  #open(): Promise<Git> {
    this.#opening ??= this.#load().catch((error: unknown) => {
      this.#opening = undefined; // the next call tries again
      throw error;
    });
    return this.#opening;
  }

  async #load(): Promise<Git> {
    const { default: git } = await import("isomorphic-git");
    await nodeFs.promises.mkdir(this.#gitdir, { recursive: true, mode: FOLDER_ONLY_FOR_OWNER });
    await git.init({ fs: WHOLE_FILES, gitdir: this.#gitdir, bare: true, defaultBranch: BRANCH });
    return git;
  }

  async #hasVersions(git: Git): Promise<boolean> {
    const branches = await git.listBranches({ fs: WHOLE_FILES, gitdir: this.#gitdir });
    return branches.includes(BRANCH);
  }

  async #writeFolder(git: Git, { files, folders }: Folder): Promise<string> {
    const gitdir = this.#gitdir;
    const tree: TreeEntry[] = [];
    for (const [path, text] of files) {
      const oid = await git.writeBlob({
        fs: WHOLE_FILES,
        gitdir,
        blob: new TextEncoder().encode(text),
      });
      tree.push({ mode: FILE_MODE, path, oid, type: "blob" });
    }
    for (const [path, folder] of folders) {
      const oid = await this.#writeFolder(git, folder);
      tree.push({ mode: FOLDER_MODE, path, oid, type: "tree" });
    }
    return await git.writeTree({ fs: WHOLE_FILES, gitdir, tree });
  }

  async #readFolder(
    git: Git,
    oid: string,
    prefix: string,
    files: Map<string, string>,
  ): Promise<void> {
    const gitdir = this.#gitdir;
    const { tree } = await git.readTree({ fs: WHOLE_FILES, gitdir, oid });
    for (const { path, oid, type } of tree) {
      const full = join(prefix, path);
      if (type === "tree") await this.#readFolder(git, oid, full, files);
      else {
        const { blob } = await git.readBlob({ fs: WHOLE_FILES, gitdir, oid });
        files.set(full, new TextDecoder().decode(blob));
      }
    }
  }
}

function versionOf(id: string, { message, committer }: CommitObject): MemoryVersion {
  const [subject = "", , ...body] = message.trimEnd().split("\n");
  return { id, atMs: committer.timestamp * 1_000, subject, body: body.join("\n") };
}

function foldersOf(files: ReadonlyMap<string, string>): Folder {
  const root: Folder = { files: new Map(), folders: new Map() };
  for (const [path, text] of files) {
    const names = path.split("/");
    const name = names.pop() ?? path;
    let folder = root;
    for (const part of names) {
      const inner = folder.folders.get(part) ?? { files: new Map(), folders: new Map() };
      folder.folders.set(part, inner);
      folder = inner;
    }
    folder.files.set(name, text);
  }
  return root;
}
