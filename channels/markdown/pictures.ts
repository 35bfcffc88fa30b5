/**
 * Pictures of the workspace that a text shows.
 * @module
 */

import { extname, isAbsolute, join } from "node:path";
import { known, type MarkdownToken, parseMarkdown } from "./markdown.ts";

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const PICTURE_EXTENSIONS: ReadonlySet<string> = new Set(
  [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".ico", ".tiff", ".tif"],
);

/**
 * The files behind the pictures in `text`, by the address there.
 *
 * @param folder where relative addresses begin; without it they name no file
 */
export function localPictures(
  text: string,
  folder: string | undefined,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  if (!text.includes("![")) return files;
  for (const address of addresses(parseMarkdown(text))) {
    const path = pathOf(address, folder);
    if (path !== undefined && PICTURE_EXTENSIONS.has(extname(path).toLowerCase())) {
      files.set(address, path);
    }
  }
  return files;
}

function* addresses(tokens: readonly MarkdownToken[]): Generator<string> {
  for (const token of tokens) {
    if (token.type === "image") yield token.href;
    if (token.type === "list") yield* addresses(token.items);
    if (token.type === "table") {
      for (const cell of [token.header, ...token.rows].flat()) yield* addresses(known(cell.tokens));
    }
    if ("tokens" in token) yield* addresses(known(token.tokens));
  }
}

function pathOf(address: string, folder: string | undefined): string | undefined {
  const isFile = address.startsWith("file://");
  if (SCHEME.test(address) && !isFile) return undefined;
  const path = decoded(isFile ? address.slice("file://".length) : address);
  if (isAbsolute(path)) return path;
  return folder === undefined || path === "" ? undefined : join(folder, path);
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address; // a percent sign that stands for itself
  }
}
