/**
 * The files that were sent in a conversation. Where memories are kept apart its tools see no
 * others: channels put the files of all chats into one folder.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Conversation } from "./conversation.ts";
import type { ArchivePort } from "./ports.ts";

/** Field of a person's line: the paths of what came with it. */
const SENT_FIELD = "sent_files";
/** What came with older messages is out of reach of tools: looking for it would read them all. */
const MESSAGES_MAX = 200;

/** What goes into the line of a message where memories are kept apart. */
export function sentFields(archive: ArchivePort | undefined, inbound: Inbound): JsonObject {
  const isApart = archive !== undefined && !archive.scopeOf(inbound).isGlobal;
  return isApart && inbound.media.length > 0 ? { [SENT_FIELD]: [...inbound.media] } : {};
}

/** Absolute paths of the files that came with the newest messages. */
export function sentFiles({ messages }: Pick<Conversation, "messages">): readonly string[] {
  return messages.slice(-MESSAGES_MAX).flatMap(({ extras }) => {
    const paths = extras[SENT_FIELD];
    return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
  });
}
