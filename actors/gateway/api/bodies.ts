/**
 * Bodies of requests: JSON, or a form with files. None is read further than its bound.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import { ApiError, invalid, tooLarge } from "./api_error.ts";
import { type AskedTurn, checkModel, readChatRequest, type Upload } from "./chat_request.ts";

/** Most bytes of a body. */
export const BODY_BYTES_MAX: number = 20 * 1024 * 1024;
/** Most bytes of one file. */
export const FILE_BYTES_MAX: number = 10 * 1024 * 1024;

/** What is asked with files and no words. */
const LOOK_AT_FILES = "Please look at the files that I have sent.";

/**
 * Reads what a request asks.
 *
 * @param model the only one that there is
 * @throws {ApiError} naming what is wrong
 */
export async function readAskedTurn(request: Request, model: string): Promise<AskedTurn> {
  const contentType = request.headers.get("content-type") ?? "";
  const bytes = await readBounded(request);
  const asked = /^multipart\/form-data\b/i.test(contentType)
    ? await readForm(bytes, contentType, model)
    : readChatRequest(parseJson(bytes), model);
  for (const upload of asked.uploads) {
    if (upload.bytes.length > FILE_BYTES_MAX) throw tooLarge("A file", FILE_BYTES_MAX);
  }
  return asked;
}

async function readBounded(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > BODY_BYTES_MAX) throw tooLarge("The body", BODY_BYTES_MAX);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size > BODY_BYTES_MAX) throw tooLarge("The body", BODY_BYTES_MAX);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalid(`The body broke off: ${asError(error).message}`);
  }
  const bytes = new Uint8Array(size);
  let place = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, place);
    place += chunk.length;
  }
  return bytes;
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
