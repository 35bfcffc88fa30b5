/**
 * Turns the bytes of a page into text, in the encoding that its server or the page itself names,
 * or else the likeliest.
 * @module
 */

/** A page names its encoding within this much (HTML Standard, "prescan"). */
const PRESCAN_BYTES = 1_024;
/** Enough to guess by; more only takes longer. */
const GUESS_BYTES = 64 * 1_024;

/** Reads text. Bytes that are none in its encoding become U+FFFD. */
export async function decodeText(bytes: Uint8Array, contentType: string): Promise<string> {
  const named = byteOrderMark(bytes) ?? decoderOf(charsetOf(contentType)) ??
    decoderOf(metaCharset(bytes));
  if (named !== undefined) return named.decode(bytes);
  // UTF-8 proves itself: no other text happens to be well-formed. The end may be cut.
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    const { detect } = await import("./charset_library.ts");
    const guessed = decoderOf(detect(bytes.subarray(0, GUESS_BYTES)) ?? undefined);
    return (guessed ?? new TextDecoder("windows-1252")).decode(bytes);
  }
}

function byteOrderMark([a, b, c]: Uint8Array): TextDecoder | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder("utf-8");
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be");
  return a === 0xff && b === 0xfe ? new TextDecoder("utf-16le") : undefined;
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN_BYTES));
  const named = /<meta[^>]+charset\s*=\s*["']?([\w:-]+)/i.exec(head) ??
    /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w:-]+)/i.exec(head);
  const charset = named?.[1];
  // Who could be read this far is not UTF-16, whatever it says.
  return charset !== undefined && /^utf-?16/i.test(charset) ? "utf-8" : charset;
}

function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // an encoding that nobody knows
    throw error;
  }
}
