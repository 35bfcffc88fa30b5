/**
 * Whether the workspace has the files that a new one starts with.
 * @module
 */

import { join } from "node:path";
import { hasFile, lacksFolder } from "../../../../actors/gateway/adapters/local_folders.ts";
import { missingFolderLines } from "../../../../actors/gateway/extra_folders.ts";
import { WORKSPACE_TEMPLATE } from "../../../../actors/session/adapters/workspace_template.ts";
import { type Check, LOCAL_MS, ok, warning, withConfig } from "../finding.ts";

/** Looks for them. */
export const workspaceCheck: Check = {
  name: "Workspace",
  timeoutMs: LOCAL_MS,
  run: withConfig(async ({ loaded: { config, locations: { workspace } } }) => {
    const folders = missingFolderLines(config.tools, lacksFolder).map((line) =>
      warning(line, null)
    );
    if (lacksFolder(workspace)) return [ok(`${workspace} is made at the first start`), ...folders];
    const names = [...WORKSPACE_TEMPLATE.keys()];
    const there = await Promise.all(names.map((name) => hasFile(join(workspace, name))));
    const missing = names.filter((_name, index) => there[index] === false);
    return [
      missing.length === 0
        ? ok("its files are there")
        : warning(`${missing.join(", ")} are missing`, "the next start makes them anew"),
      ...folders,
    ];
  }),
};
