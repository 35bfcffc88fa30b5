/**
 * What people are told of skills that Dream proposes.
 * @module
 */

import { PROPOSED_SKILLS } from "./scope.ts";

/** Names them, and says what is to be done. */
export function proposedText(names: readonly string[]): string {
  return `Proposed skills: ${names.join(", ")}. They stand in ${PROPOSED_SKILLS}/ of the ` +
    "workspace and are not used; read one and move its folder to skills/ to accept it.";
}
