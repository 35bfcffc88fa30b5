/**
 * Deletes a conversation for good, so that a crash on the way leaves at most an empty one.
 * @module
 */

import type { Journal } from "../journal/journal.ts";
import { endedFileName, endedNote } from "./ended_conversation.ts";
import { pendingNote } from "./archived_chunk.ts";
import { goalNoteKeys } from "./goal/goal_desk.ts";
import type { SessionFiles } from "./ports.ts";
import { parseSessionFile } from "./session_file.ts";
import { nanobotFileNames, nanobotSessionKey, sessionFileName } from "./session_name.ts";
import { clearingNote } from "./session_store.ts";

/** What became of it. `busy`: somebody waits for an answer in it. */
export type SessionErased = "deleted" | "missing" | "busy";

/** What it works on. */
export interface SessionErasure {
  readonly files: SessionFiles;
  readonly journal: Pick<
    Journal,
    "waiting" | "interrupted" | "commit" | "unfiledLines" | "dropLines"
  >;
}

/**
 * Deletes the conversation of a key, which nobody may have awake: its file, lines that are in no
 * file, and what waits beside it to be archived. What was summed up of it stays in memory.
 *
 * @throws {JournalError} what the files throw; nothing of it is replayed after that
 */
export async function eraseSession(
  key: string,
  { files, journal }: SessionErasure,
): Promise<SessionErased> {
  const waiting = await journal.waiting(key, 0, 1);
  if (waiting.length > 0 || await journal.interrupted(key) !== null) return "busy";
  const names = await filesOf(key, files);
  const lines = await journal.unfiledLines(key);
  if (names.length === 0 && lines.length === 0) return "missing";
  const ended = { key: endedNote(key), value: null };
  const pending = { key: pendingNote(key), value: null };
  const goals = goalNoteKeys(key).map((note) => ({ key: note, value: null }));
  await journal.commit({
    notes: [{ key: clearingNote(key), value: true }, ended, pending, ...goals],
    usageReset: key,
    recordsReset: key,
  });
  for (const name of names) await files.remove(name);
  await journal.dropLines(lines);
  await journal.commit({ notes: [{ key: clearingNote(key), value: null }] });
  return "deleted";
}

/** The files that hold something of a conversation; those of nanobot too that are this one's. */
async function filesOf(key: string, files: SessionFiles): Promise<readonly string[]> {
  const own = sessionFileName(key);
  const names: string[] = [];
  for (const name of [own, endedFileName(own), `${own}.corrupt`]) {
    if (await files.read(name) !== null) names.push(name);
  }
  for (const name of nanobotFileNames(key)) {
    const text = name === own ? null : await files.read(name);
    if (text === null) continue;
    const told = parseSessionFile(text).metadata?.key ?? nanobotSessionKey(name);
    if (told === key) names.push(name);
  }
  return names;
}
