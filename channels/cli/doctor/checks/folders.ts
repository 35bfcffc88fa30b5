/**
 * Whether the folders of the gateway can be written, and are private.
 * @module
 */

import { asError } from "../../../../actors/kernel/errors.ts";
import { modeOf, nearestFolder, tryWriting } from "../adapters/machine.ts";
import { type Check, fault, type Finding, LOCAL_MS, ok, warning, withConfig } from "../finding.ts";

/** Tries to write into each. */
export const foldersCheck: Check = {
  name: "Folders",
  timeoutMs: LOCAL_MS,
  run: withConfig(async ({ loaded: { locations }, world }) => {
    const { stateFolder, mediaFolder, workspace } = locations;
    const places = [["state", stateFolder], ["media", mediaFolder], [
      "workspace",
      workspace,
    ]] as const;
    const found = await Promise.all(
      places.map(([noun, folder]) => writable(noun, folder, world.newId())),
    );
    return [...found, ...await privacy(stateFolder)];
  }),
};

async function writable(noun: string, folder: string, id: string): Promise<Finding> {
  const nearest = await nearestFolder(folder);
  try {
    await tryWriting(nearest, id);
    return ok(`${noun}: ${folder}${nearest === folder ? "" : " (made at the first start)"}`);
  } catch (error) {
    const why = asError(error).message.replace(/ \(os error \d+\).*$/s, "");
    return fault(
      `${noun}: "${nearest}" cannot be written: ${why}`,
      `make "${nearest}" a folder that you may write to`,
    );
  }
}

async function privacy(stateFolder: string): Promise<readonly Finding[]> {
  const mode = await modeOf(stateFolder);
  if (mode === null || (mode & 0o077) === 0) return [];
  return [warning("others of this machine may open the state folder", `chmod 700 ${stateFolder}`)];
}
