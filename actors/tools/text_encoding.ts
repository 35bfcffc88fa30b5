/**
 * The encodings of text files: found out from the bytes, and written back as they were found.
 * @module
 */

/** How a text is written. Single bytes and Chinese by their WHATWG names. */
export type TextEncodingName = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | LegacyEncoding;

/** What is left where nothing says UTF. */
export type LegacyEncoding = "gb18030" | "windows-1252";

/** A decoded text. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncodingName;
}

const SAMPLE_BYTES = 8_192;
/** More control characters than this are no text. */
const CONTROL_SHARE_MAX = 0.02;
/** Less Chinese than this is no Chinese: it only looks like pairs of bytes. */
const HAN_SHARE_MIN = 0.7;
/** UTF-16 of any language has its blanks, digits and line ends in half-empty pairs. */
const HALF_EMPTY_SHARE_MIN = 0.1;

/** The text, or undefined where the bytes are none. A mark at the beginning is no part of it. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const marked = decodeMarked(bytes);
  if (marked !== undefined) return marked;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.includes(0)) return decodeWide(bytes, sample);
  const utf8 = tryDecode(bytes, "utf-8");
  if (utf8 !== undefined) return hasControls(utf8) ? undefined : { text: utf8, encoding: "utf-8" };
  const chinese = tryDecode(bytes, "gb18030");
  if (chinese !== undefined && isHan(chinese)) return { text: chinese, encoding: "gb18030" };
  const latin = tryDecode(bytes, "windows-1252");
  if (latin === undefined || hasControls(latin)) return undefined;
  return { text: latin, encoding: "windows-1252" };
}

/**
 * The bytes of a text.
 *
 * @throws {RangeError} for a character that the encoding has no bytes for
 */
export function encodeText(text: string, encoding: TextEncodingName): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case "utf-8":
      return new TextEncoder().encode(text);
    case "utf-8-bom":
      return new TextEncoder().encode(`\ufeff${text}`);
    case "utf-16le":
    case "utf-16be":
      return encodeWide(`\ufeff${text}`, encoding === "utf-16le");
    case "gb18030":
    case "windows-1252":
      return encodeLegacy(text, encoding);
  }
}

function decodeMarked(bytes: Uint8Array): DecodedText | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return decoded(bytes.subarray(3), "utf-8", "-bom");
  if (a === 0xff && b === 0xfe) return decoded(bytes.subarray(2), "utf-16le");
  return a === 0xfe && b === 0xff ? decoded(bytes.subarray(2), "utf-16be") : undefined;
}

function decoded(
  bytes: Uint8Array,
  encoding: "utf-8" | "utf-16le" | "utf-16be",
  mark: "-bom" | "" = "",
): DecodedText | undefined {
  const text = tryDecode(bytes, encoding);
  if (text === undefined || hasControls(text)) return undefined;
  return { text, encoding: encoding === "utf-8" && mark === "-bom" ? "utf-8-bom" : encoding };
}

/** Pairs of bytes without a mark: the empty halves say which half comes first. */
function decodeWide(bytes: Uint8Array, sample: Uint8Array): DecodedText | undefined {
  let even = 0;
  let odd = 0;
  for (const [at, byte] of sample.entries()) {
    if (byte === 0) at % 2 === 0 ? even++ : odd++;
  }
  if (bytes.length % 2 === 1 || Math.min(even, odd) > 0) return undefined;
  if (Math.max(even, odd) < sample.length / 2 * HALF_EMPTY_SHARE_MIN) return undefined;
  return decoded(bytes, odd > 0 ? "utf-16le" : "utf-16be");
}

function tryDecode(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Begins the colours of terminals, which logs keep. */
const ESCAPE = "\u001b";

/** Control characters that no text file holds; tabs, line ends, form feeds and escapes are fine. */
function hasControls(text: string): boolean {
  const sample = text.slice(0, SAMPLE_BYTES);
  const controls = sample.match(/[^\P{Cc}\s]/gu)?.filter((char) => char !== ESCAPE).length ?? 0;
  return controls > sample.length * CONTROL_SHARE_MAX;
}

function isHan(text: string): boolean {
  const beyond = text.slice(0, SAMPLE_BYTES).match(/[^\0-\x7f]/gu) ?? [];
  const han = beyond.filter((char) => /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u.test(char));
  return beyond.length > 0 && han.length >= beyond.length * HAN_SHARE_MIN;
}

function encodeWide(text: string, isLittle: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
  return bytes;
}

/** The platform only decodes these; what it decodes, read backwards, encodes. */
const tables = new Map<LegacyEncoding, ReadonlyMap<string, readonly number[]>>();

function encodeLegacy(text: string, encoding: LegacyEncoding): Uint8Array<ArrayBuffer> {
  const table = tables.get(encoding) ?? makeTable(encoding);
  tables.set(encoding, table);
  const bytes: number[] = [];
  for (const char of text) {
    const code = table.get(char);
    if (code === undefined) throw new RangeError(`Cannot write "${char}" in ${encoding}`);
    for (const byte of code) bytes.push(byte);
  }
  return new Uint8Array(bytes);
}

function makeTable(encoding: LegacyEncoding): ReadonlyMap<string, readonly number[]> {
  const table = new Map<string, readonly number[]>();
  const isPaired = encoding === "gb18030";
  const add = (code: readonly number[]) => {
    const char = tryDecode(new Uint8Array(code), encoding);
    if (char !== undefined && !table.has(char)) table.set(char, code);
  };
  for (let byte = 0; byte < (isPaired ? 0x80 : 0x100); byte++) add([byte]);
  for (let lead = 0x81; isPaired && lead < 0xff; lead++) {
    for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail]);
  }
  return table;
}
