/**
 * The Bot API by way of grammY's client, which runs on `fetch` and needs no rights but the network.
 * @module
 */

import type { GrammyError } from "grammy/web";
import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { buttonsOf } from "../choice_data.ts";
import { TelegramRefusedError, TelegramUnreachableError } from "../errors.ts";
import type {
  FileBody,
  FileKind,
  IncomingFile,
  MenuCommand,
  Place,
  SentMessage,
  TelegramLink,
  TextBody,
  UpdatesQuery,
} from "../link.ts";
import type { TelegramSection } from "../manifest.ts";
import {
  type BotInfo,
  botSchema,
  filePathSchema,
  sentSchema,
  type TelegramUpdate,
  updateSchema,
} from "../wire.ts";
import { answeringFetch, clientsFor, type HttpClients } from "./http.ts";

/** Calls for updates wait for 30 seconds; an answer that is later than that does not come. */
const POLL_S = 45;
const CALL_S = 30;
/** Large files over slow lines. */
const UPLOAD_S = 240;

const updatesSchema = z.array(updateSchema);

type Library = typeof import("grammy/web");

/** How long calls may take, by default half a minute and more. */
export interface BotApiLimits {
  readonly callSeconds?: number;
  readonly uploadSeconds?: number;
  readonly pollSeconds?: number;
}

/** Opens the Bot API for a section's token; nothing is called yet. */
export async function openBotApi(
  section: TelegramSection,
  limits: BotApiLimits = {},
): Promise<TelegramLink> {
  return new BotApi(await import("grammy/web"), section, limits);
}

class BotApi implements TelegramLink {
  readonly #library: Library;
  readonly #section: TelegramSection;
  readonly #clients: HttpClients;
  /** Calls that may be repeated. */
  readonly #calls: RawCalls;
  /** Sends: each on a connection of its own, so that no layer below repeats it. */
  readonly #sends: RawCalls;
  readonly #polls: RawCalls;

  constructor(
    library: Library,
    section: TelegramSection,
    { callSeconds = CALL_S, uploadSeconds = UPLOAD_S, pollSeconds = POLL_S }: BotApiLimits,
  ) {
    this.#library = library;
    this.#section = section;
    this.#clients = clientsFor(section.proxy);
    this.#calls = this.#open(this.#clients.kept, callSeconds);
    this.#sends = this.#open(this.#clients.once, uploadSeconds);
    this.#polls = this.#open(this.#clients.kept, pollSeconds);
  }

  async getMe(signal: AbortSignal): Promise<BotInfo> {
    return readAs(botSchema, "getMe", await this.#heard("getMe", this.#calls.getMe(signal)));
  }

  async getUpdates(
    { offset, timeoutSeconds }: UpdatesQuery,
    signal: AbortSignal,
  ): Promise<readonly TelegramUpdate[]> {
    const query = {
      timeout: timeoutSeconds,
      allowed_updates: ["message", "callback_query"],
      ...(offset !== undefined && { offset }),
    };
    const found = await this.#heard("getUpdates", this.#polls.getUpdates(query, signal));
    return readAs(updatesSchema, "getUpdates", found);
  }

  async deleteWebhook(signal: AbortSignal): Promise<void> {
    await this.#heard("deleteWebhook", this.#calls.deleteWebhook({}, signal));
  }

  async setMyCommands(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void> {
    await this.#heard("setMyCommands", this.#calls.setMyCommands({ commands }, signal));
  }

  async sendText(place: Place, body: TextBody, signal: AbortSignal): Promise<number> {
    const payload = { ...placeIn(place), ...textIn(body) };
    const sent = await this.#heard("sendMessage", this.#sends.sendMessage(payload, signal));
    return readAs(sentSchema, "sendMessage", sent).message_id;
  }

  async sendFile(place: Place, body: FileBody, signal: AbortSignal): Promise<number> {
    const { kind, bytes, name } = body;
    const file = new this.#library.InputFile(bytes, name);
    const method = FILE_METHODS[kind];
    const payload = { ...placeIn(place), [kind]: file };
    const sent = await this.#heard(method, this.#sends[method](payload, signal));
    return readAs(sentSchema, method, sent).message_id;
  }

  async editText(message: SentMessage, body: TextBody, signal: AbortSignal): Promise<void> {
    const payload = { ...messageIn(message), ...textIn(body) };
    await this.#heard("editMessageText", this.#calls.editMessageText(payload, signal));
  }

  async answerPress(pressId: string, signal: AbortSignal): Promise<void> {
    const payload = { callback_query_id: pressId };
    await this.#heard("answerCallbackQuery", this.#calls.answerCallbackQuery(payload, signal));
  }

  async deleteMessage(message: SentMessage, signal: AbortSignal): Promise<void> {
    await this.#heard("deleteMessage", this.#calls.deleteMessage(messageIn(message), signal));
  }

  async react(message: SentMessage, emoji: string | null, signal: AbortSignal): Promise<void> {
    const reaction = emoji === null ? [] : [{ type: "emoji", emoji }];
    const payload = { ...messageIn(message), reaction };
    await this.#heard("setMessageReaction", this.#calls.setMessageReaction(payload, signal));
  }

  async showTyping({ chatId, threadId }: Place, signal: AbortSignal): Promise<void> {
    const payload = { ...placeIn({ chatId, threadId }), action: "typing" };
    await this.#heard("sendChatAction", this.#calls.sendChatAction(payload, signal));
  }

  async openFile(fileId: string, signal: AbortSignal): Promise<IncomingFile> {
    const found = await this.#heard("getFile", this.#calls.getFile({ file_id: fileId }, signal));
    const { file_path } = readAs(filePathSchema, "getFile", found);
    const path = file_path.split("/").map(encodeURIComponent).join("/");
    const { apiRoot, token } = this.#section;
    const client = this.#clients.kept;
    const opening = fetch(`${apiRoot}/file/bot${token}/${path}`, {
      client,
      signal,
      redirect: "error",
    });
    const { ok, status, statusText, body, headers } = await this.#heard("fetch a file", opening);
    if (!ok || body === null) {
      await body?.cancel();
      const refusal = { platformCode: status, description: statusText || "no file" };
      throw new TelegramRefusedError("fetch a file", refusal);
    }
    return { body, contentType: headers.get("content-type") ?? "" };
  }

  [Symbol.dispose](): void {
    this.#clients.kept.close();
    this.#clients.once.close();
  }

  #open(client: Deno.HttpClient, timeoutSeconds: number): RawCalls {
    const { token, apiRoot } = this.#section;
    const options = { apiRoot, timeoutSeconds, fetch: answeringFetch(client) };
    return new this.#library.Api(token, options).raw;
  }

  /** The library's errors name the request's body, and those below it the token: ours do not. */
  async #heard<T>(method: string, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      const { GrammyError, HttpError } = this.#library;
      if (error instanceof GrammyError && isRefusal(error)) throw refusalOf(method, error);
      if (error instanceof GrammyError) throw misshapen(method);
      throw unreachable(method, error instanceof HttpError ? error.error : error);
    }
  }
}

/**
 * The library's calls, as far as they are used. Its own types want a signal that is no platform's,
 * and emoji and marks out of its own lists; what it passes on is what it is given.
 */
interface RawCalls {
  getMe(signal?: unknown): Promise<unknown>;
  getUpdates(payload: unknown, signal?: unknown): Promise<unknown>;
  deleteWebhook(payload: unknown, signal?: unknown): Promise<unknown>;
  setMyCommands(payload: unknown, signal?: unknown): Promise<unknown>;
  sendMessage(payload: unknown, signal?: unknown): Promise<unknown>;
  sendPhoto(payload: unknown, signal?: unknown): Promise<unknown>;
  sendAnimation(payload: unknown, signal?: unknown): Promise<unknown>;
  sendVideo(payload: unknown, signal?: unknown): Promise<unknown>;
  sendAudio(payload: unknown, signal?: unknown): Promise<unknown>;
  sendVoice(payload: unknown, signal?: unknown): Promise<unknown>;
  sendDocument(payload: unknown, signal?: unknown): Promise<unknown>;
  editMessageText(payload: unknown, signal?: unknown): Promise<unknown>;
  answerCallbackQuery(payload: unknown, signal?: unknown): Promise<unknown>;
  deleteMessage(payload: unknown, signal?: unknown): Promise<unknown>;
  setMessageReaction(payload: unknown, signal?: unknown): Promise<unknown>;
  sendChatAction(payload: unknown, signal?: unknown): Promise<unknown>;
  getFile(payload: unknown, signal?: unknown): Promise<unknown>;
}

const FILE_METHODS = {
  photo: "sendPhoto",
  animation: "sendAnimation",
  video: "sendVideo",
  audio: "sendAudio",
  voice: "sendVoice",
  document: "sendDocument",
} as const satisfies Readonly<Record<FileKind, keyof RawCalls>>;

function textIn({ text, entities, choices = [] }: TextBody): JsonObject {
  const row = buttonsOf(choices).map((button) => ({ ...button }));
  return {
    text,
    entities: entities.map((entity) => ({ ...entity })),
    ...(row.length > 0 && { reply_markup: { inline_keyboard: [row] } }),
  };
}

function messageIn({ chatId, messageId }: SentMessage): JsonObject {
  return { chat_id: chatId, message_id: messageId };
}

function placeIn({ chatId, threadId, replyToId }: Place): JsonObject {
  return {
    chat_id: chatId,
    ...(threadId !== undefined && { message_thread_id: threadId }),
    ...(replyToId !== undefined && {
      reply_parameters: { message_id: replyToId, allow_sending_without_reply: true },
    }),
  };
}

/** What the answer says; one of another shape may come from a call that had its effect. */
function readAs<T>(schema: z.ZodType<T>, method: string, answer: unknown): T {
  const read = schema.safeParse(answer);
  if (!read.success) throw misshapen(method);
  return read.data;
}

function misshapen(method: string): TelegramUnreachableError {
  const reason = "the answer has another shape than the Bot API's";
  return new TelegramUnreachableError(method, { reason, isInDoubt: true });
}

/** The library takes any answer without `ok: true` for a refusal. */
function isRefusal({ error_code }: { readonly error_code: unknown }): boolean {
  return typeof error_code === "number";
}

function refusalOf(method: string, error: GrammyError): TelegramRefusedError {
  const { error_code: platformCode, description, parameters } = error;
  const { retry_after: seconds, migrate_to_chat_id: movedTo } = parameters;
  return new TelegramRefusedError(method, {
    platformCode,
    description,
    retryAfterMs: seconds === undefined ? undefined : seconds * 1_000,
    movedToChatId: movedTo === undefined ? undefined : String(movedTo),
  });
}

/** Never as a cause: the messages of `fetch` name the address, and that the token. */
function unreachable(method: string, error: unknown): TelegramUnreachableError {
  const words = error instanceof Error ? `${error.message} ${causeOf(error)}` : "";
  const isUnconnected = /client error \(Connect\)|dns error|are blocked|Requires net access/.test(
    words,
  );
  const reason = isUnconnected
    ? "no connection"
    : /timed? ?out/i.test(words)
    ? "no answer in time"
    : "the connection was lost before an answer came";
  return new TelegramUnreachableError(method, { reason, isInDoubt: !isUnconnected });
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : "";
}
