/**
 * What a skill is: a folder with instructions for one kind of work.
 * @module
 */

/** Where a skill comes from; one of the workspace stands in place of a bundled one of its name. */
export type SkillSource = "workspace" | "bundled";

/** What must be there for a skill to work. */
export interface SkillNeeds {
  /** Programs, each of which commands must find. */
  readonly bins: readonly string[];
  /** Programs, one of which is enough. */
  readonly anyBins: readonly string[];
  /** Variables that commands must have. */
  readonly env: readonly string[];
  /** Systems that it is made for, as Deno names them; none: every one. */
  readonly os: readonly string[];
  /** Tools of ours. */
  readonly tools: readonly string[];
}

/** What the front matter of a `SKILL.md` says. */
export interface SkillMetadata {
  /** For people: a skill is known by its folder. */
  readonly name: string | null;
  /** When to use it, cleaned and cut to size; null without one. */
  readonly description: string | null;
  /** Stands in every prompt with its whole text. */
  readonly isAlways: boolean;
  readonly needs: SkillNeeds;
}

/** A skill that can be read. */
export interface Skill extends Omit<SkillMetadata, "description"> {
  /** Of its folder. */
  readonly folderName: string;
  readonly description: string;
  readonly source: SkillSource;
  /** Absolute path of the folder, symlinks resolved. */
  readonly folder: string;
  /** Absolute path of its SKILL.md, symlinks resolved. */
  readonly path: string;
  /** The instructions, if they stand in every prompt. */
  readonly body: string;
}

/** A skill with what it lacks here: `CLI: gh`, `ENV: TOKEN`. */
export interface ListedSkill {
  readonly skill: Skill;
  readonly missing: readonly string[];
}

/** A folder that should hold a skill and does not. */
export interface SkillProblem {
  readonly path: string;
  /** Half a sentence. */
  readonly reason: string;
}

/** Letters of a folder's name that can neither be read as Markdown nor leave the line. */
const FOLDER_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]| (?! )){0,62}[\p{L}\p{N}]$|^[\p{L}\p{N}]$/u;

/** Whether a folder of this name can be a skill. */
export function isSkillName(name: string): boolean {
  return FOLDER_NAME.test(name) && !name.includes("__");
}
