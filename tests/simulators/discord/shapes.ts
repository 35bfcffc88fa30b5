/**
 * What there is, as it goes over the wire.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import {
  CHANNEL_TYPES,
  type SimChannel,
  type SimMessage,
  type SimUser,
  type World,
} from "./world.ts";

/** An account. */
export function userJson({ id, username, globalName, isBot }: SimUser): JsonObject {
  return {
    id,
    username,
    global_name: globalName,
    discriminator: "0",
    avatar: null,
    ...(isBot && { bot: true }),
  };
}

/** A channel. */
export function channelJson({ id, type, guildId, parentId, name }: SimChannel): JsonObject {
  return {
    id,
    type,
    ...(guildId !== null && { guild_id: guildId, name }),
    ...(parentId !== null && { parent_id: parentId }),
    ...(type === CHANNEL_TYPES.thread && { thread_metadata: { archived: false, locked: false } }),
  };
}

/** A message, as lists and answers show it. Events add the server. */
export function messageJson(message: SimMessage, world: World, cdn: string): JsonObject {
  const { id, channelId, author, texts, files, type, mentionIds, referenceId } = message;
  const referenced = referenceId === null ? undefined : world.messages.get(referenceId);
  return {
    id,
    channel_id: channelId,
    author: userJson(author),
    content: texts.at(-1) ?? "",
    timestamp: new Date(message.sentAtMs).toISOString(),
    edited_timestamp: texts.length > 1 ? new Date(world.nowMs).toISOString() : null,
    tts: false,
    mention_everyone: false,
    mentions: mentionIds.flatMap((userId) => {
      const user = world.users.get(userId);
      return user === undefined ? [] : [userJson(user)];
    }),
    mention_roles: [],
    attachments: files.map(({ id: fileId, name, bytes, contentType, duration }) => ({
      id: fileId,
      filename: name.replace(/[^\w.-]/g, "_"),
      size: bytes.length,
      url: `${cdn}/attachments/${channelId}/${fileId}/${encodeURIComponent(name)}?ex=1`,
      proxy_url: "",
      content_type: contentType,
      ...(duration !== null && { duration_secs: duration }),
    })),
    embeds: [],
    pinned: false,
    flags: 0,
    components: [],
    type,
    ...(referenceId !== null && {
      message_reference: { type: 0, channel_id: channelId, message_id: referenceId },
      referenced_message: referenced === undefined || referenced.isDeleted
        ? null
        : messageJson({ ...referenced, referenceId: null }, world, cdn),
    }),
    ...message.extras,
  };
}
