/**
 * Image files as models take them.
 * @module
 */

import { sniffImage } from "../../tools/image_kind.ts";
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
    const mime = sniffImage(bytes);
    return mime === undefined ? null : { mime, base64: bytes.toBase64() };
  } catch {
    return null; // the model is told that the file cannot be shown
  }
}
