/**
 * Files that stand in clients' messages.
 * @module
 */

import { Buffer } from "node:buffer";
import { z } from "zod";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { InboundContents } from "../../channel.ts";
import type { MediaStore } from "../../media/adapters/media_store.ts";
import { bracketed } from "../../media/bracketed.ts";
import { type MediaKind, mediaName, safeBase } from "../../media/media_name.ts";
import type { Speech } from "../../media/speech.ts";
import type { FileIn } from "../wire.ts";

const BY_NAME: readonly (readonly [MediaKind, RegExp])[] = [
  ["image", /\.(png|jpe?g|gif|webp|bmp|tiff?)$/i],
  ["audio", /\.(ogg|oga|opus|mp3|m4a|mpga|wav|flac|amr)$/i],
  ["video", /\.(mp4|mov|webm|mkv)$/i],
];

/** A file of a client's that is kept. */
export interface ReceivedFile {
  readonly path: string;
  readonly kind: MediaKind;
  /** As the client calls it, made safe. */
  readonly name: string;
}

/** A message with files. */
export interface ReceivedMessage {
  readonly content: string;
  readonly files: readonly ReceivedFile[];
}

const draftSchema: z.ZodType<ReceivedMessage> = z.object({
  content: z.string(),
  files: z.array(z.object({
    path: z.string(),
    kind: z.enum(["image", "file", "audio", "video"]),
    name: z.string(),
  })),
});

/** Keeps the files of a message. @throws {MediaError} */
export async function keepFiles(
  files: readonly FileIn[],
  store: MediaStore,
  messageId: string,
): Promise<readonly ReceivedFile[]> {
  const kept: ReceivedFile[] = [];
  for (const [index, { name, type, data }] of files.entries()) {
    const bytes = Uint8Array.from(Buffer.from(data, "base64"));
    const kind = kindOf(name, type);
    const names = [name];
    const base = mediaName({ messageId, index, kind, key: kind, names, contentType: type });
    const body = new Blob([bytes]).stream();
    const path = await store.save(base, body, { bytesMax: bytes.length });
    kept.push({ path, kind, name: safeBase(name) || base });
  }
  return kept;
}

/** What a draft keeps of a message whose recordings are to be written down. */
export function draftOf(message: ReceivedMessage): JsonObject {
  return asJson({ content: message.content, files: message.files.map((file) => ({ ...file })) });
}

/** Reads it back; null for what is no such thing. */
export function readDraft(draft: JsonObject): ReceivedMessage | null {
  return draftSchema.safeParse(draft).data ?? null;
}

/** A message as the model reads it, with recordings by their names. */
export function bareContents({ content, files }: ReceivedMessage): InboundContents {
  return contentsOf(content, files, files.map(({ kind, name }) => bracketed(kind, name)));
}

/** A message as the model reads it, with recordings written down. */
export async function spokenContents(
  { content, files }: ReceivedMessage,
  speech: Speech,
): Promise<InboundContents> {
  const words: string[] = [];
  for (const { kind, name, path } of files) {
    words.push(kind === "audio" ? await speech.textOf(path) : bracketed(kind, name));
  }
  return contentsOf(content, files, words);
}

function contentsOf(
  content: string,
  files: readonly ReceivedFile[],
  words: readonly string[],
): InboundContents {
  const lines = [content, ...words].filter((line) => line.trim() !== "");
  return { content: lines.join("\n"), media: files.map(({ path }) => path) };
}

function kindOf(name: string, type: string): MediaKind {
  const [told] = type.split("/");
  if (told === "image" || told === "audio" || told === "video") return told;
  return BY_NAME.find(([, pattern]) => pattern.test(name))?.[0] ?? "file";
}
