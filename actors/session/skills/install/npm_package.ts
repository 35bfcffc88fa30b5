/**
 * A package of the npm registry: which version, whether what came is what was promised, and what is
 * in it. Nothing of it is run.
 * @module
 */

import { z } from "zod";
import { asError } from "../../../kernel/errors.ts";
import {
  isLeftOut,
  PACKAGE_BYTES_MAX,
  type PackageFile,
  SkillInstallError,
} from "./skill_package.ts";

/** A package and what is wanted of it. */
export interface NpmSpec {
  readonly name: string;
  /** A version or a tag. */
  readonly wanted: string;
}

/** Where a version's archive is, and how to know it. */
export interface NpmVersion {
  readonly version: string;
  readonly archiveUrl: string;
  /** As `sha512-<base64>`. */
  readonly integrity: string;
}

const SPEC = /^(?:npm:)?((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:@([\w.+-]+))?$/;

/** Reads `name`, `@scope/name@1.2.3` or `npm:name@tag`; null for anything else. */
export function parseNpmSpec(text: string): NpmSpec | null {
  const [, name, wanted = "latest"] = SPEC.exec(text) ?? [];
  return name === undefined ? null : { name, wanted };
}

const aboutSchema = z.object({
  "dist-tags": z.record(z.string(), z.string()).catch({}),
  versions: z.record(
    z.string(),
    z.object({ dist: z.object({ tarball: z.url(), integrity: z.string().optional() }) }),
  ),
});

/**
 * Finds the version in what the registry says of a package.
 *
 * @throws {SkillInstallError} where it is not there, or cannot be told apart from another archive
 */
export function chooseVersion(about: unknown, { name, wanted }: NpmSpec): NpmVersion {
  const parsed = aboutSchema.safeParse(about);
  if (!parsed.success) {
    throw new SkillInstallError(`Cannot install "${name}": the registry's answer is not one`);
  }
  const { versions, "dist-tags": tags } = parsed.data;
  const version = Object.hasOwn(tags, wanted) ? tags[wanted] : wanted;
  const found = version !== undefined && Object.hasOwn(versions, version)
    ? versions[version]
    : undefined;
  if (version === undefined || found === undefined) {
    throw new SkillInstallError(
      `Cannot install "${name}": there is no version or tag "${wanted}" (name one exactly)`,
    );
  }
  const { tarball: archiveUrl, integrity = "" } = found.dist;
  if (!/\bsha512-/.test(integrity)) {
    throw new SkillInstallError(
      `Cannot install "${name}": the registry gives no SHA-512 to know its archive by`,
    );
  }
  return { version, archiveUrl, integrity };
}

/** @throws {SkillInstallError} when the archive is another one */
export async function checkIntegrity(
  archive: Uint8Array<ArrayBuffer>,
  integrity: string,
): Promise<void> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", archive)).toBase64();
  if (integrity.split(/\s+/).includes(`sha512-${digest}`)) return;
  throw new SkillInstallError("Cannot install it: what came is not what the registry promised");
}

/**
 * The files of an archive, without its outermost folder.
 *
 * @throws {SkillInstallError} for links and the like, too much, and what is no archive
 */
export async function unpackArchive(
  archive: Uint8Array<ArrayBuffer>,
): Promise<readonly PackageFile[]> {
  const { unpackTar } = await import("modern-tar");
  try {
    const entries = await unpackTar(await unzipped(archive), { strict: true });
    return entries.flatMap(({ header, data }): PackageFile[] => {
      if (header.type === "directory" || header.type === "pax-global-header") return [];
      if (header.type !== "file") {
        throw new SkillInstallError(
          `Cannot unpack "${header.name}": it is a ${header.type}; skills hold plain files only`,
        );
      }
      const path = header.name.replace(/^[^/]+\//, "");
      if (isLeftOut(path)) return [];
      const isExecutable = ((header.mode ?? 0) & 0o111) !== 0;
      return [{ path, bytes: data ?? new Uint8Array(), isExecutable }];
    });
  } catch (error) {
    if (error instanceof SkillInstallError) throw error;
    throw new SkillInstallError(`Cannot unpack it: ${asError(error).message}`, { cause: error });
  }
}

/** All of it, as long as it does not swell beyond what is taken. */
async function unzipped(archive: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const stream = new Blob([archive]).stream().pipeThrough(new DecompressionStream("gzip"));
  for await (const chunk of stream) {
    bytes += chunk.length;
    // Headers and padding come on top of the files.
    if (bytes > 2 * PACKAGE_BYTES_MAX) {
      throw new SkillInstallError(`Cannot unpack it: it has more than ${PACKAGE_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
