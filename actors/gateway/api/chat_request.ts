/**
 * The body of `POST /v1/chat/completions`, and what of it is asked of the assistant.
 * @module
 */

import { z } from "zod";
import type { ClientFrame } from "../../session/client_frame.ts";
import { ApiError, invalid } from "./api_error.ts";
import { decodeDataUrl } from "./data_url.ts";

/** A file that came with a request. */
export interface Upload {
  /** As its sender calls it; "" where they do not. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a request asks. */
export interface AskedTurn {
  /** What is said now. */
  readonly content: string;
  readonly uploads: readonly Upload[];
  readonly frame: ClientFrame;
  /** The conversation's name by `session_id` or `user`; null without. */
  readonly session: string | null;
  readonly isStream: boolean;
  /** A stream ends with a chunk that tells what was used. */
  readonly wantsUsage: boolean;
}

const MESSAGES_MAX = 10_000;
const INSTRUCTIONS_CHARS_MAX = 200_000;
/** Of a conversation that a program brings along: the end of it. */
const EARLIER_CHARS_MAX = 200_000;

const part = z.looseObject({ type: z.string() });
type Part = z.infer<typeof part>;

const message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: z.union([z.string(), z.array(part)]).nullish(),
});
type Message = z.infer<typeof message>;

const bodySchema = z.looseObject({
  model: z.string().nullish(),
  messages: z.array(message).min(1).max(MESSAGES_MAX),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, { error: "only one answer can be had: n must be 1" }).nullish(),
  session_id: z.string().nullish(),
  user: z.string().nullish(),
});

const imagePart = z.object({
  image_url: z.union([
    z.string().transform((url) => ({ url })),
    z.looseObject({ url: z.string() }),
  ]),
});
const filePart = z.object({
  file: z.looseObject({ file_data: z.string(), filename: z.string().default("") }),
});

/**
 * Reads a body.
 *
 * @param model the only one that there is
 * @throws {ApiError} naming what is wrong
 */
export function readChatRequest(body: unknown, model: string): AskedTurn {
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success) throw complaint(parsed.error);
  const { messages, stream, stream_options: options, session_id: id, user } = parsed.data;
  checkModel(parsed.data.model ?? null, model);
  const start = messages.findLastIndex(({ role }) => !isSaidNow(role)) + 1;
  const now = messages.slice(start).filter(({ role }) => role === "user");
  if (now.length === 0) {
    throw invalid("There is nothing to answer: the last message must be of role user", "messages");
  }
  const content = now.map(textOf).filter((text) => text.trim() !== "").join("\n\n");
  const uploads = now.flatMap(uploadsOf);
  if (content === "" && uploads.length === 0) throw invalid("The message is empty", "messages");
  return {
    content,
    uploads,
    frame: { instructions: instructionsIn(messages), earlier: earlierIn(messages.slice(0, start)) },
    session: id ?? user ?? null,
    isStream: stream ?? false,
    wantsUsage: options?.include_usage ?? false,
  };
}

/** Instructions may stand anywhere; what follows the last answer is new. */
function isSaidNow(role: Message["role"]): boolean {
  return role === "user" || role === "system" || role === "developer";
}

/** @throws {ApiError} for another model than the one that there is */
export function checkModel(asked: string | null, model: string): void {
  if (asked === null || asked === "" || asked === model) return;
  const text = `The model "${asked}" is not to be had here: the model is "${model}"`;
  throw new ApiError("model_not_found", text, { status: 400, param: "model" });
}

function complaint(error: z.ZodError): ApiError {
  const [issue] = error.issues;
  const param = issue?.path.map(String).join(".") ?? "";
  const where = param === "" ? "The body" : `"${param}"`;
  return invalid(
    `${where} cannot be used: ${issue?.message ?? "it is not valid"}`,
    param || undefined,
  );
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((one) => {
    const { text } = one;
    return one.type === "text" && typeof text === "string" ? [text] : [];
  }).join(" ");
}

function uploadsOf({ content }: Message): readonly Upload[] {
  if (typeof content === "string") return [];
  return (content ?? []).flatMap((one) => one.type === "text" ? [] : [uploadOf(one)]);
}

function uploadOf(one: Part): Upload {
  if (one.type === "image_url") {
    const image = imagePart.safeParse(one);
    if (!image.success) throw invalid("An image_url has no url", "messages");
    return { name: "", ...fileIn(image.data.image_url.url, "An image") };
  }
  if (one.type === "file") {
    const file = filePart.safeParse(one);
    if (!file.success) throw invalid("A file has no file_data", "messages");
    const { file_data: url, filename: name } = file.data.file;
    return { name, ...fileIn(url, "A file") };
  }
  throw invalid(`Content of type "${one.type}" is not understood here`, "messages");
}

function fileIn(url: string, what: string): Pick<Upload, "contentType" | "bytes"> {
  const decoded = decodeDataUrl(url);
  if (decoded !== null) return decoded;
  const text = `${what} must come as a data URL with base64, such as data:image/png;base64,…: ` +
    "nothing is fetched from other places";
  throw invalid(text, "messages");
}

function instructionsIn(messages: readonly Message[]): string {
  const instructions = messages
    .filter(({ role }) => role === "system" || role === "developer")
    .map(textOf).filter((text) => text.trim() !== "").join("\n\n");
  if (instructions.length <= INSTRUCTIONS_CHARS_MAX) return instructions;
  throw invalid(`Instructions may have ${INSTRUCTIONS_CHARS_MAX} characters at most`, "messages");
}

function earlierIn(messages: readonly Message[]): ClientFrame["earlier"] {
  const earlier: { role: "user" | "assistant"; text: string }[] = [];
  let charsLeft = EARLIER_CHARS_MAX;
  for (const one of messages.toReversed()) {
    if (one.role !== "user" && one.role !== "assistant") continue;
    const text = textOf(one);
    charsLeft -= text.length;
    if (charsLeft < 0) break;
    if (text.trim() !== "") earlier.unshift({ role: one.role, text });
  }
  return earlier;
}
