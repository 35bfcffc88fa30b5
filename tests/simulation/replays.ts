/**
 * Runs what the journal of a finished world has recorded of its sessions once more.
 * @module
 */

import { setImmediate } from "node:timers";
import { MemoryJournal } from "../../actors/journal/memory_journal.ts";
import { type ReplayReport, replaySession } from "../../actors/session/replay/replay_session.ts";
import { sessionKeyOf } from "../../actors/session/session_name.ts";
import type { Surroundings } from "./surroundings.ts";

/** What came of the replay of each session, by its key. */
export async function replayWorld(
  { record: { rows }, disk, time: clock }: Surroundings,
): Promise<ReadonlyMap<string, ReplayReport>> {
  const defer = (callback: () => void) => void setImmediate(callback);
  await using journal = new MemoryJournal({ clock, defer, rows });
  const reports = new Map<string, ReplayReport>();
  for (const [name, text] of disk.texts) {
    const key = sessionKeyOf(name);
    if (key === null) continue;
    const read = () => Promise.resolve(text);
    reports.set(key, await replaySession({ key, read, journal, defer }));
  }
  return reports;
}
