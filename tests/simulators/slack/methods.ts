/**
 * The Web API methods that bots use, by the documentation.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import { blocksSchema } from "./blocks.ts";
import { Refusal } from "./refusal.ts";
import type { Conversation, Person, StoredFile, StoredMessage, World } from "./world.ts";

/** What methods work with. */
export interface MethodScene {
  readonly world: World;
  readonly botUserId: string;
  readonly botId: string;
  readonly team: string;
  /** Address of the platform, without a slash at its end. */
  readonly url: string;
  /** Gives out an address for one socket. */
  readonly socketAddress: () => string;
  /** Something that documented limits forbid. */
  readonly breach: (what: string) => void;
}

/** Arguments as they come: all of them are texts. */
export type Args = Readonly<Record<string, string>>;

/** A method: gives what stands beside `ok` in its answer. */
export type Method = (args: Args, scene: MethodScene) => JsonObject;

/** Slack cuts longer ones, with a warning. */
const POST_CHARS_MAX = 40_000;
const UPDATE_CHARS_MAX = 4_000;
/** Cumulative; not documented, but seen. */
const BLOCK_CHARS_MAX = 12_000;
const PAGE_ITEMS_MAX = 999;

const metadataSchema = z.strictObject({
  event_type: z.string().min(1),
  event_payload: z.record(z.string(), z.json()),
});

/** All methods. `app`: made with the app-level token. */
export const METHODS: Readonly<
  Record<string, { readonly as: "bot" | "app"; readonly run: Method }>
> = {
  "auth.test": { as: "bot", run: authTest },
  "apps.connections.open": { as: "app", run: (_, { socketAddress }) => ({ url: socketAddress() }) },
  "chat.postMessage": { as: "bot", run: postMessage },
  "chat.postEphemeral": { as: "bot", run: postEphemeral },
  "chat.update": { as: "bot", run: update },
  "chat.delete": { as: "bot", run: remove },
  "reactions.add": { as: "bot", run: (args, scene) => react(args, scene, true) },
  "reactions.remove": { as: "bot", run: (args, scene) => react(args, scene, false) },
  "conversations.history": { as: "bot", run: history },
  "conversations.replies": { as: "bot", run: replies },
  "conversations.list": { as: "bot", run: listChannels },
  "conversations.open": { as: "bot", run: openChat },
  "users.conversations": { as: "bot", run: ownConversations },
  "users.info": { as: "bot", run: userInfo },
  "users.list": { as: "bot", run: listUsers },
  "files.getUploadURLExternal": { as: "bot", run: uploadAddress },
  "files.completeUploadExternal": { as: "bot", run: completeUpload },
  "files.info": { as: "bot", run: fileInfo },
};

function authTest(_: Args, { botUserId, botId, team, url }: MethodScene): JsonObject {
  return {
    url: `${url}/`,
    team,
    user: "troupe",
    team_id: "T0001",
    user_id: botUserId,
    bot_id: botId,
  };
}

function postMessage(args: Args, scene: MethodScene): JsonObject {
  const { world, botUserId } = scene;
  const channel = conversationOf(args, scene);
  const threadTs = args["thread_ts"];
  if (threadTs !== undefined && world.find(channel.id, threadTs) === undefined) {
    throw new Refusal("thread_not_found");
  }
  const shown = contentOf(args, scene, POST_CHARS_MAX);
  const message = world.add({
    channel: channel.id,
    user: botUserId,
    ...shown,
    ...(threadTs !== undefined && { threadTs }),
  });
  return { channel: channel.id, ts: message.ts, message: messageJson(message, scene) };
}

function postEphemeral(args: Args, scene: MethodScene): JsonObject {
  const channel = conversationOf(args, scene);
  const onlyFor = args["user"] ?? "";
  if (!scene.world.people.has(onlyFor)) throw new Refusal("user_not_in_channel");
  const shown = contentOf(args, scene, POST_CHARS_MAX);
  const message = scene.world.add({
    channel: channel.id,
    user: scene.botUserId,
    ...shown,
    onlyFor,
  });
  return { message_ts: message.ts };
}

function update(args: Args, scene: MethodScene): JsonObject {
  const message = ownMessage(args, scene, "cant_update_message");
  const { text, blocks, metadata } = contentOf(args, scene, UPDATE_CHARS_MAX);
  message.text = text;
  message.blocks = blocks;
  message.metadata = metadata;
  message.edits++;
  return { channel: message.channel, ts: message.ts, text };
}

function remove(args: Args, scene: MethodScene): JsonObject {
  const message = ownMessage(args, scene, "cant_delete_message");
  message.isDeleted = true;
  return { channel: message.channel, ts: message.ts };
}

function ownMessage(args: Args, scene: MethodScene, refusal: string): StoredMessage {
  const message = scene.world.find(args["channel"] ?? "", args["ts"] ?? "");
  if (message === undefined || message.onlyFor !== undefined) {
    throw new Refusal("message_not_found");
  }
  if (message.user !== scene.botUserId) throw new Refusal(refusal);
  return message;
}

function react(args: Args, { world, botUserId }: MethodScene, isAdding: boolean): JsonObject {
  const { name = "", channel = "", timestamp = "" } = args;
  if (!/^[a-z0-9_+-]+$/.test(name)) throw new Refusal("invalid_name");
  const message = world.find(channel, timestamp);
  if (message === undefined) throw new Refusal("message_not_found");
  const key = `${botUserId}:${name}`;
  if (message.reactions.has(key) === isAdding) {
    throw new Refusal(isAdding ? "already_reacted" : "no_reaction");
  }
  if (isAdding) message.reactions.add(key);
  else message.reactions.delete(key);
  return {};
}

/** Newest first, threads left out but for their first message. */
function history(args: Args, scene: MethodScene): JsonObject {
  const channel = conversationOf(args, scene);
  const messages = scene.world.messages.filter((message) =>
    message.channel === channel.id &&
    (message.threadTs === undefined || message.threadTs === message.ts)
  );
  return pageOf(args, messages.toReversed(), scene);
}

/** Oldest first, the thread's first message always with them. */
function replies(args: Args, scene: MethodScene): JsonObject {
  const channel = conversationOf(args, scene);
  const threadTs = args["ts"] ?? "";
  if (scene.world.find(channel.id, threadTs) === undefined) throw new Refusal("thread_not_found");
  const messages = scene.world.messages.filter((message) =>
    message.channel === channel.id && (message.ts === threadTs || message.threadTs === threadTs)
  );
  return pageOf(args, messages, scene);
}

function pageOf(args: Args, all: readonly StoredMessage[], scene: MethodScene): JsonObject {
  const oldest = args["oldest"] ?? "";
  const isWithMetadata = args["include_all_metadata"] === "true";
  const seen = all.filter(({ ts, isDeleted, onlyFor }) =>
    !isDeleted && onlyFor === undefined && (oldest === "" || Number(ts) > Number(oldest))
  );
  const { items, next } = sliced(args, seen);
  return {
    messages: items.map((message) => messageJson(message, scene, isWithMetadata)),
    has_more: next !== "",
    response_metadata: { next_cursor: next },
  };
}

function sliced<Item>(
  args: Args,
  all: readonly Item[],
): { readonly items: readonly Item[]; readonly next: string } {
  const limit = Math.min(Number(args["limit"] ?? "100"), PAGE_ITEMS_MAX);
  const start = Number(args["cursor"] ?? "0");
  const end = start + limit;
  return { items: all.slice(start, end), next: end < all.length ? String(end) : "" };
}

function listChannels(args: Args, { world }: MethodScene): JsonObject {
  const channels = [...world.conversations.values()].filter(({ kind }) => kind === "channel");
  const { items, next } = sliced(args, channels);
  return {
    channels: items.map(({ id, name }) => ({ id, name })),
    response_metadata: { next_cursor: next },
  };
}

function ownConversations(args: Args, { world }: MethodScene): JsonObject {
  const types = (args["types"] ?? "public_channel").split(",");
  const found = [...world.conversations.values()].filter(({ kind }) =>
    types.includes(kind === "im" ? "im" : "public_channel")
  );
  const { items, next } = sliced(args, found);
  return {
    channels: items.map(({ id }) => ({ id })),
    response_metadata: { next_cursor: next },
  };
}

function openChat(args: Args, { world }: MethodScene): JsonObject {
  const userId = args["users"] ?? "";
  if (!world.people.has(userId)) throw new Refusal("user_not_found");
  return { channel: { id: world.directChat(userId).id } };
}

function userInfo(args: Args, { world }: MethodScene): JsonObject {
  const person = world.people.get(args["user"] ?? "");
  if (person === undefined) throw new Refusal("user_not_found");
  return { user: personJson(person) };
}

function listUsers(args: Args, { world }: MethodScene): JsonObject {
  const { items, next } = sliced(args, [...world.people.values()]);
  return { members: items.map(personJson), response_metadata: { next_cursor: next } };
}

function personJson({ id, name, displayName }: Person): JsonObject {
  return {
    id,
    name,
    deleted: false,
    profile: {
      display_name: displayName,
      display_name_normalized: displayName,
      real_name: `${displayName} Real`,
      real_name_normalized: `${displayName} Real`,
    },
  };
}

function uploadAddress(args: Args, { world, url }: MethodScene): JsonObject {
  const length = Number(args["length"]);
  if (!(length > 0) || (args["filename"] ?? "") === "") throw new Refusal("invalid_arguments");
  const file = world.addFile(
    args["filename"] ?? "",
    "application/octet-stream",
    new Uint8Array(length),
  );
  return { upload_url: `${url}/upload/${file.id}`, file_id: file.id };
}

function completeUpload(args: Args, scene: MethodScene): JsonObject {
  const wanted = z.array(z.strictObject({ id: z.string(), title: z.string().optional() }))
    .parse(JSON.parse(args["files"] ?? "[]"));
  const channelId = args["channel_id"];
  const files = wanted.map(({ id }): StoredFile => {
    const file = scene.world.files.get(id);
    if (file === undefined || file.isShared) throw new Refusal("file_not_found");
    return file;
  });
  if (channelId !== undefined) {
    const channel = conversationOf({ channel: channelId }, scene);
    const threadTs = args["thread_ts"];
    for (const file of files) file.isShared = true;
    scene.world.add({
      channel: channel.id,
      user: scene.botUserId,
      files,
      ...(threadTs !== undefined && { threadTs }),
    });
  }
  return { files: files.map(({ id, name }) => ({ id, title: name })) };
}

function fileInfo(args: Args, scene: MethodScene): JsonObject {
  const file = scene.world.files.get(args["file"] ?? "");
  if (file === undefined) throw new Refusal("file_not_found");
  return { file: fileJson(file, scene) };
}

function conversationOf(args: Args, { world }: MethodScene): Conversation {
  const channel = world.conversations.get(args["channel"] ?? "");
  if (channel === undefined) throw new Refusal("channel_not_found");
  return channel;
}

type Content = Pick<StoredMessage, "text" | "blocks" | "metadata">;

/** What a message shows. @throws {Refusal} when Slack would not take it */
function contentOf(args: Args, { breach }: MethodScene, charsMax: number): Content {
  const text = args["text"] ?? "";
  const given: unknown = JSON.parse(args["blocks"] ?? "[]");
  const blocks = blocksSchema.safeParse(given);
  if (!blocks.success) {
    breach(`blocks that are none: ${blocks.error.message}`);
    throw new Refusal("invalid_blocks");
  }
  if (text === "" && blocks.data.length === 0) throw new Refusal("no_text");
  if (text.length > charsMax) {
    breach(`a text of ${text.length} characters: ${charsMax} is most`);
    throw new Refusal("msg_too_long");
  }
  const chars = JSON.stringify(
    blocks.data.flatMap((block) => block.type === "rich_text" ? block.elements : []),
  )
    .match(/"text":"(?:[^"\\]|\\.)*"/g)?.reduce((sum, found) => sum + found.length, 0) ?? 0;
  if (chars > BLOCK_CHARS_MAX) {
    breach(`blocks of ${chars} characters: ${BLOCK_CHARS_MAX} is most`);
    throw new Refusal("msg_blocks_too_long");
  }
  return {
    text,
    blocks: blocks.data.length === 0 ? undefined : blocks.data,
    metadata: args["metadata"] === undefined
      ? undefined
      : metadataSchema.parse(JSON.parse(args["metadata"])),
  };
}

/** A message as events and the history tell of it. */
export function messageJson(
  message: StoredMessage,
  scene: Pick<MethodScene, "botUserId" | "botId" | "url">,
  isWithMetadata = false,
): JsonObject {
  const { user, text, ts, threadTs, files, metadata } = message;
  return {
    type: "message",
    user,
    text,
    ts,
    ...(files.length > 0 && { subtype: "file_share" }),
    ...(user === scene.botUserId && { bot_id: scene.botId }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(files.length > 0 && { files: files.map((file): JsonValue => fileJson(file, scene)) }),
    ...(isWithMetadata && metadata !== undefined && { metadata }),
  };
}

function fileJson(file: StoredFile, { url }: Pick<MethodScene, "url">): JsonObject {
  const { id, name, mimetype, bytes } = file;
  const address = `${url}/files/${id}`;
  return {
    id,
    name,
    title: name,
    mimetype,
    size: bytes.length,
    mode: "hosted",
    file_access: "visible",
    url_private: address,
    url_private_download: `${address}/download`,
  };
}
