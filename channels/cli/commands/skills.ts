/**
 * `skills`: what the assistant knows how to do, and installing more of it.
 * @module
 */

import { isAbsolute, join } from "node:path";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { skillsOffline } from "../../../actors/gateway/skill_wiring.ts";
import {
  defaultRegistry,
  fetchPackage,
} from "../../../actors/session/skills/adapters/npm_registry.ts";
import {
  isFolder,
  placeSkill,
  readPackageFolder,
  readSkillText,
  removeSkill,
  type SkillOrigin,
} from "../../../actors/session/skills/adapters/skill_folders.ts";
import { parseNpmSpec, unpackArchive } from "../../../actors/session/skills/install/npm_package.ts";
import {
  type PackagedSkill,
  SkillInstallError,
  skillsIn,
} from "../../../actors/session/skills/install/skill_package.ts";
import { ask, canAsk } from "../adapters/prompt.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { listText, planText, showText } from "../skill_text.ts";

/** Flags of `skills list` and `skills show`. */
export interface LookFlags extends LoadFlags {
  readonly json?: boolean | undefined;
}

/** Flags of `skills remove`. */
export interface RemoveFlags extends LoadFlags {
  readonly yes?: boolean | undefined;
}

/** Flags of `skills install`. */
export interface InstallFlags extends RemoveFlags {
  readonly force?: boolean | undefined;
  readonly registry?: string | undefined;
}

/** Lists them; 0 whether all can be read or not. */
export async function listCommand(flags: LookFlags, terminal: Terminal): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const library = skillsOffline(loaded, systemWorld().clock);
  const listed = await library.list();
  const problems = library.problems();
  if (flags.json !== true) terminal.write(listText(listed, problems));
  else {
    const skills = listed.map(({ skill: { body: _, ...skill }, missing }) => ({
      ...skill,
      missing,
    }));
    terminal.write(`${JSON.stringify({ skills, problems }, null, 2)}\n`);
  }
  return 0;
}

/** Shows one; 1 when there is none. */
export async function showCommand(
  name: string,
  flags: LookFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const listed = await skillsOffline(loaded, systemWorld().clock).list();
  const found = listed.find(({ skill }) => skill.folderName === name);
  if (found === undefined) return missing("show", name, terminal);
  const { files } = await readPackageFolder(found.skill.folder);
  const paths = files.map(({ path }) => path);
  const text = await readSkillText(found.skill.path);
  if (flags.json !== true) terminal.write(showText(found, paths, text));
  else {
    const about = { ...found.skill, body: text, missing: found.missing, files: paths };
    terminal.write(`${JSON.stringify(about, null, 2)}\n`);
  }
  return 0;
}

/** Installs all skills of a source, after a yes; 1 when it is refused or fails. */
export async function installCommand(
  source: string,
  flags: InstallFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const folder = skillsFolder(loaded);
  return await reported(terminal, async () => {
    const { skills, origin } = await fetchSkills(source, flags);
    terminal.write(`From ${origin.source}\n`);
    for (const skill of skills) {
      const isThere = await isFolder(join(folder, skill.name));
      terminal.write(planText(skill, { isThere }));
      if (isThere && flags.force !== true) {
        throw new SkillInstallError(
          `Cannot install "${skill.name}": there is a skill of this name (--force replaces it)`,
        );
      }
    }
    if (!await isAgreed("Install?", flags, terminal)) return 1;
    for (const skill of skills) {
      await placeSkill(folder, skill, { origin, replaces: flags.force === true });
      terminal.write(`Installed ${join(folder, skill.name)}\n`);
    }
    return 0;
  });
}

/** Removes one, after a yes; 1 when there is none, or it comes with the program. */
export async function removeCommand(
  name: string,
  flags: RemoveFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const folder = skillsFolder(loaded);
  if (await isFolder(join(folder, name))) {
    if (!await isAgreed(`Remove ${join(folder, name)}?`, flags, terminal)) return 1;
    if (await removeSkill(folder, name)) {
      terminal.write(`Removed ${name}\n`);
      return 0;
    }
  }
  const listed = await skillsOffline(loaded, systemWorld().clock).list();
  if (!listed.some(({ skill }) => skill.folderName === name)) {
    return missing("remove", name, terminal);
  }
  terminal.writeError(
    `Error: Cannot remove "${name}": it comes with the program; ` +
      "agents.defaults.disabledSkills hides it\n",
  );
  return 1;
}

/** A folder where there is one, or what is named like a path; else an npm package. */
async function fetchSkills(
  source: string,
  { registry }: InstallFlags,
): Promise<{ readonly skills: readonly PackagedSkill[]; readonly origin: SkillOrigin }> {
  const isPath = /^\.{0,2}[/\\]|^~|^\.{1,2}$/.test(source) || isAbsolute(source);
  if (isPath || await isFolder(source)) {
    if (!await isFolder(source)) {
      throw new SkillInstallError(`Cannot install "${source}": there is no such folder`);
    }
    const { name, files } = await readPackageFolder(source);
    return { skills: await skillsIn(files, name), origin: { source } };
  }
  const spec = parseNpmSpec(source);
  if (spec === null) {
    throw new SkillInstallError(`Cannot install "${source}": neither a folder nor an npm package`);
  }
  const fetched = await fetchPackage(spec, registry ?? defaultRegistry());
  const files = await unpackArchive(fetched.archive);
  const origin = {
    source: `npm:${spec.name}@${fetched.version}`,
    integrity: fetched.integrity,
  };
  return { skills: await skillsIn(files, spec.name.replace(/^@[^/]+\//, "")), origin };
}

async function isAgreed(
  question: string,
  { yes }: RemoveFlags,
  terminal: Terminal,
): Promise<boolean> {
  if (yes === true) return true;
  if (!canAsk()) {
    terminal.writeError("Error: Nobody is there to ask; --yes goes on without\n");
    return false;
  }
  return /^(y|yes|是)$/i.test(await ask(`${question} [y/N] `));
}

async function reported(terminal: Terminal, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SkillInstallError)) throw error;
    terminal.writeError(`Error: ${error.message}\n`);
    return 1;
  }
}

function missing(action: string, name: string, terminal: Terminal): number {
  terminal.writeError(`Error: Cannot ${action} "${name}": there is no such skill\n`);
  return 1;
}

function skillsFolder({ locations }: LoadedConfig): string {
  return join(locations.workspace, "skills");
}
