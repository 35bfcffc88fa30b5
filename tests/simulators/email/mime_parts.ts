/**
 * The parts of a mail, read without the library that the channel reads mails by.
 * @module
 */

import { headerValue, latin1 } from "./folder.ts";

/** A part that holds something. */
export interface MimePart {
  readonly type: string;
  /** The file's name; "" for words. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** All parts of a mail, in order. */
export function mimeParts(mail: Uint8Array): readonly MimePart[] {
  const contentType = headerValue(mail, "content-type");
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const [, boundary] = /boundary="?([^";]+)"?/i.exec(contentType) ?? [];
  const text = latin1(mail);
  const body = text.slice(text.indexOf("\r\n\r\n") + 4);
  if (boundary === undefined) return [{ type, name: nameOf(mail), bytes: decoded(mail, body) }];
  return body.split(`--${boundary}`).slice(1, -1)
    .flatMap((part) => mimeParts(bytesOf(part.replace(/^\r\n|\r\n$/g, ""))));
}

function nameOf(part: Uint8Array): string {
  const disposition = headerValue(part, "content-disposition");
  const [, extended] = /filename\*(?:0\*)?=utf-8''([^;]+)/i.exec(disposition) ?? [];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="?([^";]+)"?/i.exec(disposition)?.[1] ?? "";
}

function decoded(part: Uint8Array, body: string): Uint8Array {
  switch (headerValue(part, "content-transfer-encoding").toLowerCase()) {
    case "base64":
      return Uint8Array.fromBase64(body.replace(/\s+/g, ""));
    case "quoted-printable":
      return bytesOf(
        body.replace(/=\r\n/g, "")
          .replace(/=([0-9A-F]{2})/g, (_whole, hex) => String.fromCharCode(parseInt(hex, 16))),
      );
    default:
      return bytesOf(body);
  }
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
