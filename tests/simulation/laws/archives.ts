/**
 * Laws about what conversations leave behind.
 * @module
 */

import { endedConversations, endedFileName } from "../../../actors/session/ended_conversation.ts";
import { parseSessionFile } from "../../../actors/session/session_file.ts";
import { sessionFileName } from "../../../actors/session/session_name.ts";
import { pendingNote, readPending } from "../../../actors/session/archived_chunk.ts";
import { namesIn } from "../summaries.ts";
import type { FinishedWorld } from "../world.ts";
import type { Law } from "./law.ts";

/**
 * What the model is not shown any more, as it was summed up or the conversation began anew, is in
 * memory once, or waits to get there; what it is shown is not. What was parked is for neither.
 */
function archivesEachMessageOnce(world: FinishedWorld): string[] {
  const names = world.memory.entries.flatMap(({ content }) => namesIn(content));
  const archived = Map.groupBy(names, (name) => `#${name}`);
  const parked = new Set(world.watch.allLines().flatMap(({ setsAside }) => setsAside));
  const sessions = new Map(
    world.watch.sessionKeys.map((sessionKey) => [sessionKey, stateOf(world, sessionKey)]),
  );
  return world.watch.allLines().flatMap(({ lineId, line: { sessionKey }, marks: [mark] }) => {
    const session = sessions.get(sessionKey);
    if (mark === undefined || session === undefined || parked.has(lineId)) return [];
    const times = archived.get(mark)?.length ?? 0;
    if (times > 1) return [`${mark} is archived ${times} times`];
    if (times === 0) {
      const isKept = session.shown.has(lineId) || session.waiting.has(lineId) ||
        session.pending.has(mark);
      return isKept ? [] : [`${mark} was lost`];
    }
    return session.shown.has(lineId) && !session.isPending
      ? [`${mark} is archived, and still shown`]
      : [];
  });
}

interface SessionState {
  /** Ids of lines that the model is shown, if they are not parked. */
  readonly shown: ReadonlySet<string>;
  /** Ids of lines that wait to be archived. */
  readonly waiting: ReadonlySet<string>;
  /** What is said by the stretch that is on its way: it waits in the journal. */
  readonly pending: ReadonlySet<string>;
  /** A stretch is on its way. */
  readonly isPending: boolean;
}

function stateOf({ disk, watch, record }: FinishedWorld, sessionKey: string): SessionState {
  const name = sessionFileName(sessionKey);
  const { metadata } = parseSessionFile(disk.texts.get(name) ?? "");
  const shown = watch.story(sessionKey).slice(metadata?.lastConsolidated ?? 0);
  const ended = endedConversations(disk.texts.get(endedFileName(name)) ?? "").flat();
  const note = record.rows.notes.find(({ key }) => key === pendingNote(sessionKey));
  const entries = readPending(note?.value ?? null)?.entries ?? [];
  return {
    pending: new Set(entries.flatMap(({ content }) => namesIn(content).map((said) => `#${said}`))),
    shown: new Set(shown.map(({ lineId }) => lineId)),
    waiting: new Set(ended.flatMap(({ lineId }) => lineId ?? [])),
    isPending: note !== undefined,
  };
}

/** By their names. */
export const archiveLaws: Readonly<Record<string, Law>> = { archivesEachMessageOnce };
