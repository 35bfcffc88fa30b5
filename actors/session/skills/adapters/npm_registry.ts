/**
 * Fetching from an npm registry.
 * @module
 */

import { asError } from "../../../kernel/errors.ts";
import {
  checkIntegrity,
  chooseVersion,
  type NpmSpec,
  type NpmVersion,
} from "../install/npm_package.ts";
import { SkillInstallError } from "../install/skill_package.ts";

const NPM_HOST = "npmjs.org";
const TIMEOUT_MS = 60_000;
/** Packages with very many versions say much of each. */
const ABOUT_BYTES_MAX = 30 * 1024 ** 2;
const ARCHIVE_BYTES_MAX = 20 * 1024 ** 2;

/** The registry that npm itself would ask: `NPM_CONFIG_REGISTRY`, or the public one. */
export function defaultRegistry(): string {
  return Deno.env.get("NPM_CONFIG_REGISTRY") ?? `https://registry.${NPM_HOST}/`;
}

/** An archive that is what the registry promised. */
export interface FetchedPackage extends NpmVersion {
  readonly archive: Uint8Array<ArrayBuffer>;
}

/** @throws {SkillInstallError} when it is not there, too large, or another than promised */
export async function fetchPackage(spec: NpmSpec, registry: string): Promise<FetchedPackage> {
  const base = new URL(registry.endsWith("/") ? registry : `${registry}/`);
  const about = await fetched(new URL(spec.name.replace("/", "%2f"), base), ABOUT_BYTES_MAX, {
    accept: "application/vnd.npm.install-v1+json; q=1, application/json; q=0.8",
  });
  const version = chooseVersion(jsonOf(about, spec.name), spec);
  const url = new URL(version.archiveUrl);
  if (url.protocol !== "https:" && url.origin !== base.origin) {
    throw new SkillInstallError(`Cannot fetch "${url.href}": it is neither HTTPS nor the registry`);
  }
  const archive = await fetched(url, ARCHIVE_BYTES_MAX, {});
  await checkIntegrity(archive, version.integrity);
  return { ...version, archive };
}

async function fetched(
  url: URL,
  bytesMax: number,
  headers: Readonly<Record<string, string>>,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      const what = response.status === 404 ? "there is no such package" : `HTTP ${response.status}`;
      throw new SkillInstallError(`Cannot fetch "${url.href}": ${what}`);
    }
    return await bounded(response, url, bytesMax);
  } catch (error) {
    if (error instanceof SkillInstallError) throw error;
    const text = `Cannot fetch "${url.href}": ${asError(error).message}`;
    throw new SkillInstallError(text, { cause: error });
  }
}

async function bounded(
  response: Response,
  url: URL,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new SkillInstallError(`Cannot fetch "${url.href}": it has more than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function jsonOf(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    const text = `Cannot install "${name}": the registry's answer is no JSON`;
    throw new SkillInstallError(text, { cause: error });
  }
}
