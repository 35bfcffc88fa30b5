/**
 * Skills that Dream proposes. What conversations made of them is not to be trusted: a proposal has
 * the few lines of front matter that it needs, and none that would put it into every prompt.
 * @module
 */

import type { DreamSkills, SkillCheck } from "../../memory/ports.ts";
import { readFrontMatter } from "./front_matter.ts";
import type { SkillNeeds } from "./skill.ts";
import type { SkillLibrary } from "./skill_library.ts";
import { skillMetadata } from "./skill_metadata.ts";

/** What the skill-creator's check allows. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const NAME_CHARS_MAX = 64;
const DESCRIPTION_CHARS_MAX = 500;
const TEXT_CHARS_MAX = 20_000;

/** The skills of `library`, and what may be proposed beside them. */
export function dreamSkills(library: () => Pick<SkillLibrary, "list">): DreamSkills {
  return {
    async known() {
      const listed = await library().list();
      return listed.map(({ skill: { folderName: name, description } }) => ({ name, description }));
    },
    check: checkProposal,
  };
}

/** The text as it may be proposed, or what is wrong with it, for a model. */
export async function checkProposal(name: string, text: string): Promise<SkillCheck> {
  if (!NAME.test(name) || name.length > NAME_CHARS_MAX) {
    return wrong(`"${name}" is no name: small letters, digits and single hyphens, 64 at most`);
  }
  if (text.length > TEXT_CHARS_MAX) return wrong(`it has more than ${TEXT_CHARS_MAX} characters`);
  const { head, problem, body } = await readFrontMatter(text);
  if (problem !== null) return wrong(problem);
  if (head === null) {
    return wrong("it does not begin with front matter (---, name, description, ---)");
  }
  const { description, needs } = skillMetadata(head);
  if (description === null) return wrong("its front matter has no description");
  if (description.length > DESCRIPTION_CHARS_MAX) {
    return wrong(`its description has more than ${DESCRIPTION_CHARS_MAX} characters`);
  }
  if (body.trim() === "") return wrong("it says nothing below its front matter");
  const lines = [`name: ${name}`, `description: ${JSON.stringify(description)}`, metadata(needs)];
  return { state: "fine", text: `---\n${lines.join("\n")}\n---\n\n${body.trim()}\n` };
}

/** As JSON, which is YAML: what it needs, and whose it is. */
function metadata({ bins, anyBins, env, os, tools }: SkillNeeds): string {
  const requires = { bins, anyBins, env, tools };
  const kept = Object.entries(requires).filter(([, names]) => names.length > 0);
  const own = {
    proposedBy: "dream",
    ...(kept.length > 0 && { requires: Object.fromEntries(kept) }),
    ...(os.length > 0 && { os }),
  };
  return `metadata: ${JSON.stringify({ troupe: own })}`;
}

function wrong(problem: string): SkillCheck {
  return { state: "wrong", problem };
}
