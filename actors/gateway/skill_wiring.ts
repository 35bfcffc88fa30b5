/**
 * The skills, from the configuration: where they are, and what they may count on.
 * @module
 */

import { join } from "node:path";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Clock } from "../kernel/clock.ts";
import { bundledSkillsFolder } from "../session/skills/adapters/bundled_skills.ts";
import { findOnMachine } from "../session/skills/adapters/local_programs.ts";
import { diskSkills } from "../session/skills/adapters/disk_skills.ts";
import {
  findingCommand,
  foundNames,
  RequirementCheck,
  type Requirements,
} from "../session/skills/requirements.ts";
import { SkillLibrary } from "../session/skills/skill_library.ts";
import { commandEnvironment } from "../tools/adapters/command_environment.ts";
import { judgePath, type PathRules } from "../tools/path_policy.ts";
import type { ToolProcesses } from "../tools/tool.ts";
import { realFolderOr, systemName } from "./adapters/local_folders.ts";
import { pathRules } from "./tool_wiring.ts";

/** A shell that does not answer by then has other troubles. */
const FIND_TIMEOUT_MS = 10_000;
const FIND_OUTPUT_BYTES_MAX = 100_000;

/** What skills are wired with. */
export interface SkillWiringOptions {
  readonly loaded: LoadedConfig;
  readonly clock: Clock;
  readonly rules: PathRules;
  readonly hasTool: (name: string) => boolean;
  readonly shell: {
    readonly processes: ToolProcesses | undefined;
    readonly works: Promise<boolean>;
  };
}

/** The library of skills that all prompts share. */
export function wireSkills(options: SkillWiringOptions): SkillLibrary {
  const { clock, hasTool, shell } = options;
  const find = (wanted: Requirements) => findWith(shell, wanted);
  return libraryOf(options, new RequirementCheck({ clock, os: systemName(), hasTool, find }));
}

/** The same for a command: programs are those of this machine, and all tools count as there. */
export function skillsOffline(loaded: LoadedConfig, clock: Clock): SkillLibrary {
  const rules = pathRules(loaded, realFolderOr(loaded.locations.workspace));
  const env = commandEnvironment(loaded.config.tools.exec);
  const find = (wanted: Requirements) => findOnMachine(wanted, env);
  const hasTool = () => true;
  return libraryOf(
    { loaded, rules },
    new RequirementCheck({ clock, os: systemName(), hasTool, find }),
  );
}

function libraryOf(
  { loaded, rules }: Pick<SkillWiringOptions, "loaded" | "rules">,
  requirements: RequirementCheck,
): SkillLibrary {
  const { config, locations } = loaded;
  return new SkillLibrary({
    disk: diskSkills,
    roots: [
      { path: join(rules.workspace, "skills"), source: "workspace" },
      { path: bundledSkillsFolder(locations.configFolder), source: "bundled" },
    ],
    disabled: config.agents.defaults.disabledSkills,
    refusal: (path) => refusalOf(path, rules),
    requirements,
  });
}

/** Why tools may not read a skill, in half a sentence. */
function refusalOf(path: string, rules: PathRules): string | null {
  const verdict = judgePath(path, "read", rules);
  if (verdict === "allowed") return null;
  return verdict === "outside"
    ? `it is a link to "${path}", which tools may not read (name its folder in tools.readableFolders)`
    : `it is a link to "${path}", which tools may not read (${verdict})`;
}

/** Without a shell nothing is found, as nothing could be run. */
async function findWith(
  { processes, works }: SkillWiringOptions["shell"],
  wanted: Requirements,
): Promise<Requirements> {
  if (processes === undefined || !await works) return { bins: [], env: [] };
  const { stdout } = await processes.run({
    command: findingCommand(wanted),
    workingDir: undefined,
    timeoutMs: FIND_TIMEOUT_MS,
    outputBytesMax: FIND_OUTPUT_BYTES_MAX,
  }, new AbortController().signal);
  return foundNames(stdout);
}
