/**
 * Whether the configuration file can be used, and is nobody else's to read.
 * @module
 */

import { modeOf } from "../adapters/machine.ts";
import {
  type Check,
  type DoctorScene,
  fault,
  type Finding,
  LOCAL_MS,
  ok,
  warning,
} from "../finding.ts";

/** Looks at the file. */
export const configCheck: Check = {
  name: "Configuration",
  timeoutMs: LOCAL_MS,
  run: async (scene) => {
    const { configFile, loaded, faults } = scene;
    const mode = await modeOf(configFile);
    const readable = modeFinding(configFile, mode);
    if (loaded === null) {
      return [
        ...faults.map((line) => fault(line, "config check says when it is right")),
        ...readable,
      ];
    }
    const isThere = await scene.source.readTextFile(configFile) !== null;
    return [
      isThere
        ? ok(configFile)
        : warning(`there is no ${configFile}: defaults count`, "run onboard, which makes one"),
      ...loaded.warnings.map((sentence) => warning(sentence, null)),
      ...overridesOf(loaded),
      ...readable,
    ];
  },
};

function overridesOf({ overrides }: NonNullable<DoctorScene["loaded"]>): readonly Finding[] {
  if (overrides.length === 0) return [];
  const named = overrides.map(({ key, variable }) => `${key} (${variable})`).join(", ");
  return [ok(`from the environment: ${named}`)];
}

function modeFinding(file: string, mode: number | null): readonly Finding[] {
  if (mode === null || (mode & 0o077) === 0) return [];
  const octal = mode.toString(8).padStart(3, "0");
  return [
    warning(
      `others of this machine may open it (mode ${octal}), and it may hold keys`,
      `chmod 600 ${file}`,
    ),
  ];
}
