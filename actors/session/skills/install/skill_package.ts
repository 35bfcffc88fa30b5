/**
 * Skills as somebody hands them over: files that are looked at before any of them is put anywhere.
 * @module
 */

import { GatewayError } from "../../../kernel/errors.ts";
import { readFrontMatter } from "../front_matter.ts";
import { isSkillName, type SkillMetadata } from "../skill.ts";
import { skillMetadata } from "../skill_metadata.ts";

/** Files of a package, and bytes of all of them unpacked. */
export const PACKAGE_FILES_MAX = 2_000;
export const PACKAGE_BYTES_MAX: number = 50 * 1024 ** 2;
const PATH_CHARS_MAX = 240;
const PATH_DEPTH_MAX = 12;

/** Folders that are no part of a skill. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...[".git", ".svn", ".hg", "__pycache__", "node_modules"],
]);
/** Notes where an installed skill comes from. */
export const ORIGIN_FILE = ".origin.json";
const SKILL_FILE = "SKILL.md";

/** Why a skill cannot be installed or removed. */
export class SkillInstallError extends GatewayError {
  override readonly name = "SkillInstallError";
  readonly code = "skill_install";
  readonly recovery = "give_up";
}

/** A file of a package. */
export interface PackageFile {
  /** Below the package, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

/** A skill in a package, and what somebody should know of it beforehand. */
export interface PackagedSkill {
  /** Of the folder that it gets. */
  readonly name: string;
  readonly metadata: SkillMetadata;
  /** Below the skill's own folder. */
  readonly files: readonly PackageFile[];
  /** Paths of what can be run. */
  readonly scripts: readonly string[];
}

/** Whether a path is of something that skills do not consist of. */
export function isLeftOut(path: string): boolean {
  return path.split("/").some((part) => LEFT_OUT.has(part)) || path.endsWith(`/${ORIGIN_FILE}`) ||
    path === ORIGIN_FILE;
}

/**
 * Refuses a path that leads out of its folder, or means another file on another system.
 *
 * @throws {SkillInstallError}
 */
export function checkPath(path: string): void {
  const parts = path.split("/");
  const isPlain = parts.every((part) =>
    part !== "" && part !== "." && part !== ".." && !/[\p{Cc}\\:*?"<>|]|[ .]$/u.test(part)
  );
  if (!isPlain || path.length > PATH_CHARS_MAX || parts.length > PATH_DEPTH_MAX) {
    throw new SkillInstallError(`Cannot unpack ${JSON.stringify(path)}: it is no plain path`);
  }
}

/**
 * The skills of a package: the package itself, or each folder in its `skills/`.
 *
 * @param packageName what a package that is one skill is called, unless its SKILL.md says
 * @throws {SkillInstallError} where there is none, or one that could not be read afterwards
 */
export async function skillsIn(
  files: readonly PackageFile[],
  packageName: string,
): Promise<readonly PackagedSkill[]> {
  checkFiles(files);
  if (files.some(({ path }) => path === SKILL_FILE)) return [await skillOf(files, packageName)];
  const folders = new Map<string, PackageFile[]>();
  for (const file of files) {
    const [, folder, path] = /^skills\/([^/]+)\/(.+)$/.exec(file.path) ?? [];
    if (folder === undefined || path === undefined) continue;
    folders.set(folder, [...folders.get(folder) ?? [], { ...file, path }]);
  }
  const skills = [...folders].filter(([, own]) => own.some(({ path }) => path === SKILL_FILE));
  if (skills.length === 0) {
    throw new SkillInstallError(
      `Cannot install "${packageName}": it has no ${SKILL_FILE}, neither in itself nor in a ` +
        "folder of skills/",
    );
  }
  return await Promise.all(skills.map(([folder, own]) => skillOf(own, folder)));
}

function checkFiles(files: readonly PackageFile[]): void {
  const seen = new Set<string>();
  let bytes = 0;
  for (const { path, bytes: { length } } of files) {
    checkPath(path);
    const folded = path.normalize("NFC").toLowerCase();
    if (seen.has(folded)) throw new SkillInstallError(`Cannot unpack "${path}": it is there twice`);
    seen.add(folded);
    bytes += length;
  }
  if (files.length > PACKAGE_FILES_MAX || bytes > PACKAGE_BYTES_MAX) {
    throw new SkillInstallError(
      `Cannot install it: it has ${files.length} files with ${bytes} bytes; at most ` +
        `${PACKAGE_FILES_MAX} and ${PACKAGE_BYTES_MAX} are taken`,
    );
  }
}

async function skillOf(files: readonly PackageFile[], folder: string): Promise<PackagedSkill> {
  const bytes = files.find(({ path }) => path === SKILL_FILE)?.bytes ?? new Uint8Array();
  const { head, problem } = await readFrontMatter(new TextDecoder().decode(bytes));
  const metadata = skillMetadata(head);
  const { name: given } = metadata;
  const name = given !== null && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(given) ? given : folder;
  const wrong = problem ?? (metadata.description === null ? "it has no description" : null);
  if (wrong !== null) throw new SkillInstallError(`Cannot install "${name}": ${wrong}`);
  if (!isSkillName(name)) {
    throw new SkillInstallError(`Cannot install "${name}": a skill's folder cannot be called so`);
  }
  return { name, metadata, files, scripts: files.filter(isScript).map(({ path }) => path) };
}

function isScript({ path, bytes, isExecutable }: PackageFile): boolean {
  return isExecutable || path.startsWith("scripts/") || (bytes[0] === 0x23 && bytes[1] === 0x21) ||
    /\.(?:sh|bash|zsh|py|[cm]?[jt]s|rb|pl|php|ps1|bat|cmd|exe|lua)$/i.test(path);
}
