/**
 * What somebody probably meant by a name that there is not.
 * @module
 */

import { nearestName } from "../../../actors/config/spelling.ts";

/** Goes on after `Cannot find "telegrm": `. */
export function didYouMean(written: string, known: readonly string[]): string {
  const nearest = nearestName(written, known);
  const list = known.length === 0 ? "there are none" : `there are ${known.join(", ")}`;
  return nearest === null ? list : `did you mean ${nearest}? (${list})`;
}
