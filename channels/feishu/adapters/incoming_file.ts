/**
 * An answer of the platform that is a file.
 * @module
 */

import type { IncomingFile } from "../link.ts";

/** The file that `response` carries; null when it is an answer in JSON. */
export function incomingFile(response: Response): IncomingFile | null {
  const { headers, body } = response;
  const contentType = headers.get("content-type") ?? "";
  const disposition = headers.get("content-disposition");
  const isJson = disposition === null && contentType.includes("json");
  if (!response.ok || isJson || body === null) return null;
  const length = Number(headers.get("content-length") ?? NaN);
  return {
    body,
    name: nameIn(disposition ?? ""),
    contentType,
    length: Number.isSafeInteger(length) ? length : null,
  };
}

/** The file name of a `content-disposition` header; "" without one that can be read. */
function nameIn(disposition: string): string {
  const extended = /filename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const quoted = /filename\s*=\s*"([^"]*)"/i.exec(disposition)?.[1];
  const bare = /filename\s*=\s*([^;"\s]+)/i.exec(disposition)?.[1];
  return decoded(extended ?? quoted ?? bare ?? "");
}

/** Names travel percent-encoded, or as they are. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return name;
    throw error;
  }
}
