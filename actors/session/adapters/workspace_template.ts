/**
 * What a new workspace starts with.
 * @module
 */

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { getLogger } from "@logtape/logtape";
import { asError } from "../../kernel/errors.ts";
import { DiskTextFiles } from "../../kernel/adapters/text_files.ts";
import { TEMPLATE_TEXTS } from "./template_texts.ts";

const logger = getLogger(["troupe", "session", "workspace_template"]);

/** Each file's path in the workspace, and its text. */
export const WORKSPACE_TEMPLATE: ReadonlyMap<string, string> = new Map(
  Object.entries(TEMPLATE_TEXTS),
);

/**
 * SHA-256 of each text that was ever in the template: a file with one of them was never changed by
 * anybody. A change of the template adds its digest here, and removes none.
 */
export const TEMPLATE_DIGESTS: ReadonlySet<string> = new Set([
  // AGENTS.md
  "1bdc3baef9b61f63e2a8e65a121c6b40ba9d864fea415d4bf375916651a5f1a5",
  "f5ee605d9768ec1a3b6fe0fe6fb16c32ccea829fa5f0bb9c7bc7654138cebd41",
  "7e2a216e376165f0346dd44f45e8aa9fa6b54c2bceea1b8f6a2aa71537dcbfda",
  "7c614451b8592ba21c980d7b9b42499cba12acfa86117b92d3df1fb5ae6d72ca",
  // SOUL.md
  "3c3ec0a00505f108308a0aefd13baf2d952ca2b174803da10f68f49ad2c1e6d2",
  // USER.md
  "16180fcec6fb9e6f61868dd67a23de2bf3ae83c3e92d18032350f75f6ed91897",
  "1e7f47ecadc466368cc398ac20ab07f920565cd0a77cff7f136eb8ca12a88b3c",
  // TOOLS.md
  "cf6009a1cc378226c7dc9407d1a00b76aeabf3e7ec6a8f915023aeaae0a19460",
  "de1893855c0bdcf2eb0fbdf3c82754c83437fb7a16e659930005c3d92c3f2f5c",
  "a7627ebaba07e7d1c359178eac643dc98527567a998e10701fe8204c71adf3d8",
  "37000ac4b376b1e773a45451c3161a534152b6769227a5c3222a6f9e56731403",
  "4dd119c9192971b40c34fa9959b324b011b57ba7b5767c788d7be8537328951a",
  "889e3965dbfe3d48c09af1b89d6043146fb95a762baed437652bbd6d0a9adcb3",
  // HEARTBEAT.md
  "cb19b8e902fe066fbc81fcc6e35a6bbafef4f4a8b73fdde3d257e228dd098588",
  "2c442baf8ec498777fece950445cc27ba2d7b14657a213e7398dd4dabfbe8e46",
  // memory/MEMORY.md
  "c58d523f17b14848a467163c91bf35248a3304fd53aa6066a9767dcc4435db90",
  "7c27a0d4398156efce2d0743086d42e7982a76b00bce09a33a7fabb4e126aec8",
]);

/** What became of a workspace's files; paths are relative to it. */
export interface SyncedWorkspace {
  readonly made: readonly string[];
  /** Files of an older template, which nobody had changed. */
  readonly renewed: readonly string[];
}

/** Folders that a workspace has from the start. */
const FOLDERS = ["memory", "sessions", "skills"] as const;

/**
 * Makes the workspace's folders, and those of its files that are missing, and brings those up to
 * date that are as an older template made them; what anybody wrote is never changed.
 *
 * @param workspace absolute path
 */
export async function syncWorkspace(workspace: string): Promise<SyncedWorkspace> {
  for (const folder of FOLDERS) await Deno.mkdir(join(workspace, folder), { recursive: true });
  const made: string[] = [];
  const renewed: string[] = [];
  for (const [path, text] of WORKSPACE_TEMPLATE) {
    if (await createFile(join(workspace, path), text)) made.push(path);
    else if (await renewFile(workspace, path, text)) renewed.push(path);
  }
  return { made, renewed };
}

/** The digest by which a text of the template is known. */
export function templateDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Anything but a plain file of ours stays; so does what changes while we look. */
async function renewFile(workspace: string, path: string, text: string): Promise<boolean> {
  const files = new DiskTextFiles(workspace);
  const isOld = async () => {
    const found = await files.read(path);
    return found !== null && found !== text && TEMPLATE_DIGESTS.has(templateDigest(found));
  };
  try {
    if (!(await Deno.lstat(join(workspace, path))).isFile) return false;
    return await isOld() && await files.replaceIf(path, text, isOld);
  } catch (error) {
    // No reason not to start: the prompt names what cannot be read.
    const { message: reason } = asError(error);
    logger.warn("Cannot see whether {path} is as an older template made it: {reason}", {
      ...{ path, reason },
    });
    return false;
  }
}

async function createFile(path: string, text: string): Promise<boolean> {
  await Deno.mkdir(dirname(path), { recursive: true });
  try {
    await Deno.writeTextFile(path, text, { createNew: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}
