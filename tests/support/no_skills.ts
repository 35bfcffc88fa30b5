/**
 * A memory beside which there are no skills.
 * @module
 */

import type { DreamSkills } from "../../actors/memory/ports.ts";
import { checkProposal } from "../../actors/session/skills/proposed_skill.ts";

/** Knows of none; proposals are judged as in a gateway. */
export const NO_SKILLS: DreamSkills = {
  known: () => Promise.resolve([]),
  check: checkProposal,
};
