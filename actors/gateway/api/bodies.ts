/**
 * Bodies of requests: JSON, or a form with files. None is read further than its bound.
 * @module
 */

import { untilAborted } from "../../kernel/aborting.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Deadline } from "../../kernel/deadline.ts";
import { asError } from "../../kernel/errors.ts";
import { ApiError, invalid, tooLarge, tooLong } from "./api_error.ts";
import { type AskedTurn, checkModel, readChatRequest, type Upload } from "./chat_request.ts";

/** Most bytes of a body. */
export const BODY_BYTES_MAX: number = 20 * 1024 * 1024;
/** Most bytes of one file. */
export const FILE_BYTES_MAX: number = 10 * 1024 * 1024;

/** Most files of a message: each is written to the disk, and told to the model. */
export const FILES_MAX: number = 100;

/** Longest text of a message. No model reads more, and it would keep everybody else waiting. */
const CONTENT_CHARS_MAX = 2_000_000;
/** Whoever sends slower than this takes the place of others. */
const BODY_MS = 120_000;

/** What is asked with files and no words. */
const LOOK_AT_FILES = "Please look at the files that I have sent.";

/**
 * Reads what a request asks.
 *
 * @param options `model` is the only one that there is
 * @throws {ApiError} naming what is wrong
 */
export async function readAskedTurn(
  request: Request,
  { model, clock }: { readonly model: string; readonly clock: Clock },
): Promise<AskedTurn> {
  const contentType = request.headers.get("content-type") ?? "";
  const bytes = await readBounded(request, clock);
  const asked = /^multipart\/form-data\b/i.test(contentType)
    ? await readForm(bytes, contentType, model)
    : readChatRequest(parseJson(bytes), model);
  if (asked.content.length > CONTENT_CHARS_MAX) throw tooLong("The message", CONTENT_CHARS_MAX);
  checkCount(asked.uploads);
  for (const upload of asked.uploads) {
    if (upload.bytes.length > FILE_BYTES_MAX) throw tooLarge("A file", FILE_BYTES_MAX);
  }
  return asked;
}

async function readBounded(request: Request, clock: Clock): Promise<Uint8Array<ArrayBuffer>> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > BODY_BYTES_MAX) throw tooLarge("The body", BODY_BYTES_MAX);
  if (request.body === null) return new Uint8Array();
  using deadline = new Deadline(clock, BODY_MS, { makeReason: tooSlow });
  const reader = request.body.getReader();
  try {
    return await readWhole(reader, deadline.signal);
  } catch (error) {
    reader.cancel(error).catch(() => {}); // what is still to come is nobody's business
    if (error instanceof ApiError) throw error;
    throw invalid(`The body broke off: ${asError(error).message}`);
  }
}

async function readWhole(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { value: chunk, done } = await untilAborted(reader.read(), signal);
    if (done) break;
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw tooLarge("The body", BODY_BYTES_MAX);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let place = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, place);
    place += chunk.length;
  }
  return bytes;
}

function tooSlow(): ApiError {
  const text = `The body did not come within ${BODY_MS / 1_000} s`;
  return new ApiError("timeout", text, { status: 408 });
}

function parseJson(bytes: Uint8Array<ArrayBuffer>): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) {
      throw invalid("The body is not JSON");
    }
    throw error;
  }
}

async function readForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  model: string,
): Promise<AskedTurn> {
  const form = await parseForm(bytes, contentType);
  const field = (name: string): string | null => {
    const value = form.get(name);
    return typeof value === "string" ? value : null;
  };
  checkModel(field("model"), model);
  const files = form.getAll("files").filter((value) => value instanceof File);
  checkCount(files);
  const uploads = await Promise.all(files.map(uploadOf));
  const words = field("message")?.trim() ?? "";
  if (words === "" && uploads.length === 0) throw invalid("The message is empty", "message");
  return {
    content: words === "" ? LOOK_AT_FILES : words,
    uploads,
    frame: { instructions: "", earlier: [] },
    session: field("session_id") ?? field("user"),
    isStream: false,
    wantsUsage: false,
  };
}

function checkCount({ length }: readonly unknown[]): void {
  if (length > FILES_MAX) throw invalid(`These are ${length} files; ${FILES_MAX} is most`);
}

async function parseForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { "content-type": contentType } }).formData();
  } catch (error) {
    throw invalid(`The form cannot be read: ${asError(error).message}`);
  }
}

async function uploadOf(file: File): Promise<Upload> {
  return { name: file.name, contentType: file.type, bytes: await file.bytes() };
}
