/**
 * How the platform tells of people, chats and messages: to the bot as JSON, to a test as it looks.
 * @module
 */

import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { ShownEntity } from "./entities.ts";
import type { Button, Chat, Person, StoredMessage } from "./world.ts";

/** A message of the bot's on the screen. */
export interface MessageView {
  readonly id: number;
  readonly text: string;
  readonly entities: readonly ShownEntity[];
  readonly threadId: number | undefined;
  readonly replyToId: number | undefined;
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined;
  readonly fileKind: string | undefined;
  /** Every text it had, oldest first. */
  readonly texts: readonly string[];
  readonly buttons: readonly Button[];
}

/** A chat in a message. */
export function chatIn({ id, type, isForum }: Chat, { firstName }: Person): JsonObject {
  return type === "private"
    ? { id, type, first_name: firstName }
    : { id, type, title: "Team", is_forum: isForum };
}

/** A person in a message. */
export function personIn({ id, firstName, username }: Person): JsonObject {
  const base = { id, is_bot: false, first_name: firstName };
  return username === undefined ? base : { ...base, username };
}

/** Names and commands, which the platform marks by itself. */
export function entitiesIn(text: string): JsonValue[] {
  const mentions = [...text.matchAll(/@\w+/g)].map(({ 0: name, index }) => ({
    type: "mention",
    offset: index,
    length: name.length,
  }));
  const command = /^\/\w+(?:@\w+)?/.exec(text)?.[0];
  return command === undefined
    ? mentions
    : [{ type: "bot_command", offset: 0, length: command.length }, ...mentions];
}

/** The message as it looks now. */
export function viewOf(message: StoredMessage): MessageView {
  const { id, text, entities, threadId, replyToId, file, fileKind, texts, buttons } = message;
  return { id, text, entities, threadId, replyToId, file, fileKind, buttons, texts: [...texts] };
}
