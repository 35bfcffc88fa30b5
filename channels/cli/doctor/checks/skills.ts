/**
 * Whether the skills can be read, and have what they need.
 * @module
 */

import { skillsOffline } from "../../../../actors/gateway/skill_wiring.ts";
import { type Check, LOCAL_MS, ok, warning, withConfig } from "../finding.ts";

/**
 * Looks at those of the workspace. What bundled ones lack is a matter of what somebody wants to
 * use, and is told without a warning.
 */
export const skillsCheck: Check = {
  name: "Skills",
  timeoutMs: LOCAL_MS,
  run: withConfig(async ({ loaded, world }) => {
    const library = skillsOffline(loaded, world.clock);
    const listed = await library.list();
    const broken = library.problems().map(({ path, reason }) =>
      warning(`${path} is left out: ${reason}`, "correct its SKILL.md, or remove the folder")
    );
    const lacking = listed.filter(({ missing }) => missing.length > 0);
    const own = lacking.filter(({ skill: { source } }) => source === "workspace").map(
      ({ skill: { folderName }, missing }) =>
        warning(
          `"${folderName}" lacks ${missing.join(", ")}`,
          "install it, set tools.exec.allowedEnvKeys, or hide it: agents.defaults.disabledSkills",
        ),
    );
    const bundled = lacking.filter(({ skill: { source } }) => source === "bundled")
      .map(({ skill: { folderName }, missing }) => `${folderName} lacks ${missing.join(", ")}`);
    const usable = `${listed.length - lacking.length} of ${listed.length} can be used`;
    return [ok([usable, ...bundled].join("; ")), ...broken, ...own];
  }),
};
