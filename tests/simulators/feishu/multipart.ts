/**
 * Multipart bodies, byte for byte. The platform's form parser would decode a part without a file
 * name as text, and that is how the SDK uploads buffers.
 * @module
 */

import { Buffer } from "node:buffer";

/** One field of a form. */
export interface FormPart {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The parts of a `multipart/form-data` body, in order; none when the type is another one.
 *
 * @throws {SyntaxError} when the body does not keep to its boundary
 */
export function parseMultipart(contentType: string, body: Uint8Array<ArrayBuffer>): FormPart[] {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) return [];
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.length);
  const delimiter = `--${boundary}`;
  const parts: FormPart[] = [];
  let start = buffer.indexOf(delimiter);
  while (start >= 0) {
    const contentStart = start + delimiter.length;
    if (buffer.toString("latin1", contentStart, contentStart + 2) === "--") return parts;
    const next = buffer.indexOf(`\r\n${delimiter}`, contentStart);
    if (next < 0) break;
    parts.push(parsePart(body, buffer, contentStart + 2, next));
    start = next + 2;
  }
  throw new SyntaxError("Cannot read a form: its last boundary is missing");
}

function parsePart(
  body: Uint8Array<ArrayBuffer>,
  buffer: Buffer,
  start: number,
  end: number,
): FormPart {
  const headEnd = buffer.indexOf("\r\n\r\n", start);
  if (headEnd < 0 || headEnd > end) {
    throw new SyntaxError("Cannot read a form: a part has no head");
  }
  const head = buffer.toString("utf8", start, headEnd);
  const name = /content-disposition:[^\r\n]*[; ]name="([^"]*)"/i.exec(head)?.[1];
  if (name === undefined) throw new SyntaxError("Cannot read a form: a part has no name");
  const fileName = /content-disposition:[^\r\n]*filename="([^"]*)"/i.exec(head)?.[1];
  return { name, fileName, bytes: body.slice(headEnd + 4, end) };
}
