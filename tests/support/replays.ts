/**
 * Replays every session that a home's journal has recorded: so each end-to-end test is a replay test.
 * @module
 */

import { join } from "node:path";
import { z } from "zod";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { replayIn } from "../../actors/gateway/session_desk.ts";
import { journalPath, openJournal } from "../../actors/gateway/state_journal.ts";
import { exists } from "../../actors/kernel/adapters/missing.ts";
import type { ReplayReport } from "../../actors/session/replay/replay_session.ts";
import {
  parseMessageLine,
  splitSessionText,
  type StoredMessage,
} from "../../actors/session/session_file.ts";
import { sessionFileName, sessionKeyOf } from "../../actors/session/session_name.ts";

/**
 * Replays them, in this process, while no gateway runs there.
 *
 * @throws {Error} when one comes out differently, or a turn of it was not recorded
 * @returns how many were replayed
 */
export async function replayHome(stateFolder: string, workspace: string): Promise<number> {
  if (!await exists(journalPath(stateFolder))) return 0;
  const world = systemWorld();
  await using journal = openJournal(stateFolder, world);
  let replayed = 0;
  for (const key of await keysIn(join(workspace, "sessions"))) {
    const report = await replayIn(key, { workspace, journal, defer: world.defer });
    const path = join(workspace, "sessions", sessionFileName(key));
    const left = leftOut(await Deno.readTextFile(path), report);
    const isSame = report.state === "gone" ||
      report.state === "identical" && report.linesAfter === 0;
    if (!isSame || left.length > 0) {
      const told = JSON.stringify({ ...report, left }, null, 2);
      throw new Error(`The replay of ${key} is not the whole of it: ${told}`);
    }
    if (report.state === "identical") replayed++;
  }
  return replayed;
}

/** Lines before the replay's beginning that turns of this conversation wrote. */
function leftOut(text: string, report: ReplayReport): readonly string[] {
  const { lines, metadata } = splitSessionText(text);
  const copied = forked.safeParse(metadata?.metadata).data?.forked_from.lines ?? 0;
  const before = report.state === "gone" ? lines.length : report.linesBefore;
  return lines.slice(copied, before).filter((line) => hasLineId(parseMessageLine(line)));
}

function hasLineId(stored: StoredMessage | null): boolean {
  return stored !== null && stored.lineId !== null;
}

const forked = z.object({ forked_from: z.object({ lines: z.number() }) });

async function keysIn(folder: string): Promise<string[]> {
  if (!await exists(folder)) return [];
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  return names.flatMap((name) => sessionKeyOf(name) ?? []).toSorted();
}
