/**
 * What `skills` says.
 * @module
 */

import type { PackagedSkill } from "../../actors/session/skills/install/skill_package.ts";
import type { ListedSkill, SkillNeeds, SkillProblem } from "../../actors/session/skills/skill.ts";

const FILES_SHOWN_MAX = 50;

/** All skills, one a line, and below them what could not be read. */
export function listText(
  listed: readonly ListedSkill[],
  problems: readonly SkillProblem[],
): string {
  const lines = listed.map(({ skill, missing }) => {
    const marks = [
      skill.source,
      ...(skill.isAlways ? ["always on"] : []),
      ...(missing.length === 0 ? [] : [`lacks ${missing.join(", ")}`]),
    ];
    return `${skill.folderName} (${marks.join("; ")}): ${skill.description}`;
  });
  const broken = problems.map(({ path, reason }) => `Left out ${path}: ${reason}`);
  return `${[...lines, ...broken].join("\n") || "There are no skills"}\n`;
}

/** A skill with its files and its text. */
export function showText(
  { skill, missing }: ListedSkill,
  files: readonly string[],
  text: string,
): string {
  return [
    `${skill.folderName}: ${skill.description}`,
    `Folder: ${skill.folder} (${skill.source})`,
    `In every prompt: ${skill.isAlways ? "yes, its whole text" : "no, name and description only"}`,
    `Needs: ${needsText(skill.needs)}${
      missing.length === 0 ? "" : `; lacks ${missing.join(", ")}`
    }`,
    `Files: ${clipped(files)}`,
    "",
    // What moves a terminal's cursor or colours it is left out.
    text.replaceAll(/[^\P{Cc}\n\t]/gu, "").trimEnd(),
    "",
  ].join("\n");
}

/** What would be installed, before it is. */
export function planText(skill: PackagedSkill, { isThere }: { readonly isThere: boolean }): string {
  const { name, metadata, files, scripts } = skill;
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  return [
    `${name}: ${metadata.description ?? ""}`,
    `  ${files.length} ${files.length === 1 ? "file" : "files"}, ${bytes} bytes`,
    `  In every prompt: ${metadata.isAlways ? "YES, its whole text" : "name and description only"}`,
    `  Scripts, which run with the rights of the shell's level: ${clipped(scripts)}`,
    `  Needs: ${needsText(metadata.needs)}`,
    ...(isThere ? ["  There is a skill of this name already"] : []),
    "",
  ].join("\n");
}

function needsText({ bins, anyBins, env, os, tools }: SkillNeeds): string {
  const parts = [
    ...bins.map((name) => `program ${name}`),
    ...(anyBins.length === 0 ? [] : [`one of the programs ${anyBins.join(", ")}`]),
    ...env.map((name) => `variable ${name}`),
    ...tools.map((name) => `tool ${name}`),
    ...(os.length === 0 ? [] : [`system ${os.join(" or ")}`]),
  ];
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

function clipped(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length - FILES_SHOWN_MAX;
  const shown = names.slice(0, FILES_SHOWN_MAX).join(", ");
  return more > 0 ? `${shown}, and ${more} more` : shown;
}
