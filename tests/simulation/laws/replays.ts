/**
 * Laws about what the journal has recorded of turns.
 * @module
 */

import type { ReplayReport } from "../../../actors/session/replay/replay_session.ts";
import type { FinishedWorld } from "../world.ts";
import type { Law } from "./law.ts";

/** Each session comes out the same once more, line by line and request by request. */
function replaysIdentically({ record: { replays } }: FinishedWorld): string[] {
  return [...replays].flatMap(([key, report]) => {
    const difference = differenceIn(report);
    return difference === null ? [] : [`the replay of ${key} differs: ${difference}`];
  });
}

function differenceIn(report: ReplayReport): string | null {
  if (report.state === "gone") return null;
  if (report.state === "different") return JSON.stringify(report.divergence);
  return report.linesAfter === 0 ? null : `${report.linesAfter} lines more than recorded`;
}

/** By their names. */
export const replayLaws: Readonly<Record<string, Law>> = { replaysIdentically };
