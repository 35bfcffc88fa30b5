/**
 * Replays every session that a home's journal has recorded: so each end-to-end test is a replay test.
 * @module
 */

import { join } from "node:path";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { replayIn } from "../../actors/gateway/session_desk.ts";
import { journalPath, openJournal } from "../../actors/gateway/state_journal.ts";
import { exists } from "../../actors/kernel/adapters/missing.ts";
import { sessionKeyOf } from "../../actors/session/session_name.ts";

/**
 * Replays them, in this process, while no gateway runs there.
 *
 * @throws {Error} when one comes out differently
 * @returns how many were replayed
 */
export async function replayHome(stateFolder: string, workspace: string): Promise<number> {
  if (!await exists(journalPath(stateFolder))) return 0;
  const world = systemWorld();
  await using journal = openJournal(stateFolder, world);
  let replayed = 0;
  for (const key of await keysIn(join(workspace, "sessions"))) {
    const report = await replayIn(key, { workspace, journal, defer: world.defer });
    if (report.state === "gone") continue;
    const isWhole = report.state === "identical" && report.linesAfter === 0;
    if (!isWhole) {
      throw new Error(`The replay of ${key} differs: ${JSON.stringify(report, null, 2)}`);
    }
    replayed++;
  }
  return replayed;
}

async function keysIn(folder: string): Promise<string[]> {
  if (!await exists(folder)) return [];
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  return names.flatMap((name) => sessionKeyOf(name) ?? []).toSorted();
}
