/**
 * Image files as models take them.
 * @module
 */

import { IMAGE_BYTES_MAX, type ImageData } from "../runtime_context.ts";

/**
 * Reads an image file; null when it cannot be read, is over {@link IMAGE_BYTES_MAX}, or does not
 * begin like a PNG, JPEG, GIF or WebP, whatever its name says.
 */
export async function readImage(path: string): Promise<ImageData | null> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile || size > IMAGE_BYTES_MAX) return null;
    const bytes = await Deno.readFile(path);
    const mime = imageMime(bytes);
    return mime === null ? null : { mime, base64: bytes.toBase64() };
  } catch {
    return null; // the model is told that the file cannot be shown
  }
}

/** The kind of image that bytes begin like; null for none of those that models take. */
export function imageMime(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  return null;
}
