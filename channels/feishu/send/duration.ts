/**
 * How long sound lasts, read from the files' own heads.
 * @module
 */

/** Opus counts at 48 kHz whatever it was recorded at. */
const OPUS_PER_MS = 48n;
const OGG_PAGE = Uint8Array.from("OggS", (character) => character.charCodeAt(0));
const OPUS_HEAD = "OpusHead";
/** The granule position stands at byte 6 of a page, eight bytes long. */
const GRANULE_OFFSET = 6;
const PAGE_HEAD_BYTES = 27;

/** Is it Opus sound in an Ogg file? */
export function isOpus(bytes: Uint8Array): boolean {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 64));
  return head.startsWith("OggS") && head.includes(OPUS_HEAD);
}

/** Milliseconds, by the position of the last page; undefined when it is no Ogg file. */
export function opusDurationMs(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = bytes.length - PAGE_HEAD_BYTES; at >= 0; at--) {
    if (!OGG_PAGE.every((byte, index) => bytes[at + index] === byte)) continue;
    const granule = view.getBigInt64(at + GRANULE_OFFSET, true);
    if (granule >= 0n) return Number(granule / OPUS_PER_MS); // -1: no packet ends on the page
  }
  return undefined;
}
