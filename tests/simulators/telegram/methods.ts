/**
 * The methods of the Bot API that change something, with the limits that its documentation names.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import { readEntities } from "./entities.ts";
import type { Rates } from "./rates.ts";
import { badRequest } from "./refusal.ts";
import type { Button, Chat, StoredFile, StoredMessage, World } from "./world.ts";

const TEXT_UNITS_MAX = 4_096;
const PHOTO_BYTES_MAX = 10 * 1024 * 1024;
const FILE_BYTES_MAX = 50 * 1024 * 1024;
const DOWNLOAD_BYTES_MAX = 20 * 1024 * 1024;
const COMMAND = /^[a-z0-9_]{1,32}$/;
const COMMANDS_MAX = 100;
const CALLBACK_BYTES_MAX = 64;
/** Reactions that a bot may set. */
const REACTIONS: ReadonlySet<string> = new Set(["👍", "👎", "❤", "🔥", "👀", "🤔", "👌", "🎉"]);
/** How pictures begin: PNG, JPEG, WebP. */
const PICTURE = /^(?:\x89PNG|\xFF\xD8\xFF|RIFF)/;

/** What methods work on. */
export interface MethodScene {
  readonly world: World;
  readonly rates: Rates;
  readonly botId: number;
  /** Something that the documentation forbids, though the platform lets it pass. */
  readonly onViolation: (what: string) => void;
}

/** A request, as JSON or as a form. */
export interface MethodRequest {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Files by the name of their part. */
  readonly files: ReadonlyMap<string, StoredFile>;
}

/** Handles a method; throws a refusal. */
export type Method = (request: MethodRequest, scene: MethodScene) => JsonValue;

/** The methods by name. */
export const METHODS: Readonly<Record<string, Method>> = {
  sendMessage,
  sendPhoto: sendFile("photo"),
  sendAnimation: sendFile("animation"),
  sendVideo: sendFile("video"),
  sendAudio: sendFile("audio"),
  sendVoice: sendFile("voice"),
  sendDocument: sendFile("document"),
  editMessageText,
  answerCallbackQuery,
  deleteMessage,
  setMessageReaction,
  sendChatAction,
  setMyCommands,
  getFile,
};

function sendMessage({ fields }: MethodRequest, scene: MethodScene): JsonValue {
  const chat = scene.world.chatForBot(fields["chat_id"]);
  const body = textIn(fields, scene);
  const place = placeIn(fields, chat, scene);
  scene.rates.send(chat.id);
  return sent(scene.world.add({ ...place, ...body, file: undefined, fileKind: undefined }), scene);
}

function sendFile(kind: string): Method {
  return ({ fields, files }, scene) => {
    const chat = scene.world.chatForBot(fields["chat_id"]);
    const place = placeIn(fields, chat, scene);
    const part = /^attach:\/\/(.+)$/.exec(String(fields[kind] ?? ""))?.[1];
    const file = part === undefined ? undefined : files.get(part);
    if (file === undefined) throw badRequest(`there is no ${kind} in the request`);
    if (file.bytes.length === 0) throw badRequest("file must be non-empty");
    if (file.bytes.length > FILE_BYTES_MAX) throw badRequest("file is too big");
    if (kind === "photo") checkPhoto(file);
    scene.rates.send(chat.id);
    const empty = { text: "", entities: [] };
    return sent(scene.world.add({ ...place, ...empty, file, fileKind: kind }), scene);
  };
}

function checkPhoto({ bytes }: StoredFile): void {
  if (bytes.length > PHOTO_BYTES_MAX) throw badRequest("photo is too big");
  const head = String.fromCharCode(...bytes.subarray(0, 4));
  if (!PICTURE.test(head)) throw badRequest("IMAGE_PROCESS_FAILED");
}

function editMessageText({ fields }: MethodRequest, scene: MethodScene): JsonValue {
  const chat = scene.world.chatForBot(fields["chat_id"]);
  const body = textIn(fields, scene);
  const message = scene.world.message(chat.id, Number(fields["message_id"]));
  if (message === undefined) throw badRequest("message to edit not found");
  if (!message.isFromBot) throw badRequest("message can't be edited");
  scene.rates.edit(chat.id);
  const isSame = message.text === body.text &&
    JSON.stringify([message.entities, message.buttons]) ===
      JSON.stringify([body.entities, body.buttons]);
  if (isSame) {
    throw badRequest("message is not modified: specified new message content is the same");
  }
  message.text = body.text;
  message.entities = body.entities;
  message.buttons = body.buttons;
  message.texts.push(body.text);
  return sent(message, scene);
}

function answerCallbackQuery({ fields }: MethodRequest, { world }: MethodScene): JsonValue {
  world.answeredPresses.push(String(fields["callback_query_id"]));
  return true;
}

function deleteMessage({ fields }: MethodRequest, { world }: MethodScene): JsonValue {
  const chat = world.chatForBot(fields["chat_id"]);
  const message = world.message(chat.id, Number(fields["message_id"]));
  if (message === undefined) throw badRequest("message to delete not found");
  message.isDeleted = true;
  return true;
}

function setMessageReaction({ fields }: MethodRequest, { world }: MethodScene): JsonValue {
  const chat = world.chatForBot(fields["chat_id"]);
  const message = world.message(chat.id, Number(fields["message_id"]));
  if (message === undefined) throw badRequest("message to react not found");
  const reactions: unknown = fields["reaction"];
  const [first] = Array.isArray(reactions) ? reactions : [];
  const emoji = first === undefined ? null : String(first.emoji);
  if (emoji !== null && !REACTIONS.has(emoji)) throw badRequest("REACTION_INVALID");
  message.reaction = emoji;
  return true;
}

function sendChatAction({ fields }: MethodRequest, { world }: MethodScene): JsonValue {
  world.chatForBot(fields["chat_id"]);
  if (fields["action"] !== "typing") throw badRequest("wrong parameter action in request");
  return true;
}

function setMyCommands({ fields }: MethodRequest, { world }: MethodScene): JsonValue {
  const commands: unknown = fields["commands"];
  if (!Array.isArray(commands) || commands.length > COMMANDS_MAX) {
    throw badRequest("BOT_COMMANDS_TOO_MUCH");
  }
  for (const { command, description } of commands) {
    if (!COMMAND.test(String(command))) throw badRequest("BOT_COMMAND_INVALID");
    const units = String(description).length;
    if (units < 1 || units > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
  }
  world.commands = commands.map(({ command, description }): JsonObject => ({
    command: String(command),
    description: String(description),
  }));
  return true;
}

function getFile({ fields }: MethodRequest, { world }: MethodScene): JsonValue {
  const file = world.files.get(String(fields["file_id"]));
  if (file === undefined) throw badRequest("wrong file_id or the file is temporarily unavailable");
  if (file.size > DOWNLOAD_BYTES_MAX) throw badRequest("file is too big");
  return {
    file_id: String(fields["file_id"]),
    file_unique_id: "u",
    file_size: file.size,
    file_path: file.path,
  };
}

function textIn(
  fields: MethodRequest["fields"],
  { onViolation }: MethodScene,
): Pick<StoredMessage, "text" | "entities" | "buttons"> {
  const text = String(fields["text"] ?? "");
  if (text.trim() === "") throw badRequest("message text is empty");
  if (!text.isWellFormed()) throw badRequest("strings must be encoded in UTF-8");
  if (text.length > TEXT_UNITS_MAX) {
    onViolation(`a text of ${text.length} units`);
    throw badRequest("message is too long");
  }
  const { entities, fault } = readEntities(fields["entities"], text);
  if (fault !== null) onViolation(fault);
  const marksFrom = Math.min(text.length, ...entities.map(({ offset }) => offset));
  if (text.trimStart().length < text.length && marksFrom > 0) onViolation("blanks at the start");
  return { text: text.trimEnd(), entities, buttons: buttonsIn(fields["reply_markup"]) };
}

const markupSchema = z.object({
  inline_keyboard: z.array(z.array(z.object({
    text: z.string().min(1),
    callback_data: z.string().min(1),
  }))),
});

function buttonsIn(markup: unknown): readonly Button[] {
  if (markup === undefined) return [];
  const read = markupSchema.safeParse(markup).data;
  if (read === undefined) throw badRequest("object expected as reply markup");
  return read.inline_keyboard.flat().map(({ text, callback_data: data }) => {
    const { length } = new TextEncoder().encode(data);
    if (length > CALLBACK_BYTES_MAX) throw badRequest("BUTTON_DATA_INVALID");
    return { text, data };
  });
}

function placeIn(
  fields: MethodRequest["fields"],
  chat: Chat,
  { world }: MethodScene,
): Pick<StoredMessage, "chatId" | "isFromBot" | "threadId" | "replyToId"> {
  const threadId = fields["message_thread_id"];
  if (threadId !== undefined && !chat.topics.has(Number(threadId))) {
    throw badRequest("message thread not found");
  }
  const reply = fields["reply_parameters"];
  const { message_id: replyToId = undefined, allow_sending_without_reply: mayLack = false } =
    typeof reply === "object" && reply !== null ? Object.fromEntries(Object.entries(reply)) : {};
  const answered = replyToId === undefined ? undefined : world.message(chat.id, Number(replyToId));
  if (replyToId !== undefined && answered === undefined && mayLack !== true) {
    throw badRequest("message to be replied not found");
  }
  return {
    chatId: chat.id,
    isFromBot: true,
    threadId: threadId === undefined ? undefined : Number(threadId),
    replyToId: answered?.id,
  };
}

function sent({ id, chatId, text }: StoredMessage, { world, botId }: MethodScene): JsonValue {
  return {
    message_id: id,
    date: Math.floor(world.clock.now() / 1_000),
    chat: { id: chatId, type: chatId < 0 ? "supergroup" : "private" },
    from: { id: botId, is_bot: true, first_name: "Troupe" },
    ...(text !== "" && { text }),
  };
}
