/**
 * Everything that `doctor` looks at, in the order in which it tells. A new check is a file in
 * `checks/` and a line here.
 * @module
 */

import { channelsCheck } from "./checks/channels.ts";
import { clockCheck } from "./checks/clock.ts";
import { configCheck } from "./checks/config.ts";
import { denoCheck } from "./checks/deno.ts";
import { diskCheck } from "./checks/disk.ts";
import { foldersCheck } from "./checks/folders.ts";
import { gatewayCheck } from "./checks/gateway.ts";
import { journalCheck } from "./checks/journal.ts";
import { jobsCheck } from "./checks/jobs.ts";
import { mcpCheck } from "./checks/mcp.ts";
import { memoryCheck } from "./checks/memory.ts";
import { modelCheck } from "./checks/model.ts";
import { namesCheck } from "./checks/names.ts";
import { ownersCheck } from "./checks/owners.ts";
import { rightsCheck } from "./checks/rights.ts";
import { serviceCheck } from "./checks/service.ts";
import { shellCheck } from "./checks/shell.ts";
import { skillsCheck } from "./checks/skills.ts";
import { toolsCheck } from "./checks/tools.ts";
import { workspaceCheck } from "./checks/workspace.ts";
import type { Check } from "./finding.ts";

/** The table. */
export const CHECKS: readonly Check[] = [
  denoCheck,
  configCheck,
  rightsCheck,
  foldersCheck,
  diskCheck,
  gatewayCheck,
  journalCheck,
  ownersCheck,
  namesCheck,
  clockCheck,
  modelCheck,
  channelsCheck,
  shellCheck,
  toolsCheck,
  mcpCheck,
  workspaceCheck,
  memoryCheck,
  jobsCheck,
  skillsCheck,
  serviceCheck,
];
