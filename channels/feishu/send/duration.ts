/**
 * How long sound and video last, read from the files' own heads.
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

/** Milliseconds, by the movie's head (`moov/mvhd`); undefined when there is none. */
export function mp4DurationMs(bytes: Uint8Array): number | undefined {
  const movie = findBox(bytes, "moov");
  const head = movie === undefined ? undefined : findBox(movie, "mvhd");
  if (head === undefined || head.length < 20) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isLong = view.getUint8(0) === 1;
  if (isLong && head.length < 32) return undefined;
  const perSecond = view.getUint32(isLong ? 20 : 12);
  const duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16);
  return perSecond === 0 ? undefined : Math.round(duration * 1_000 / perSecond);
}

/** The contents of the first box of a type, at the top level of `bytes`. */
function findBox(bytes: Uint8Array, type: string): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 8 <= bytes.length;) {
    const short = view.getUint32(at);
    const isLong = short === 1 && at + 16 <= bytes.length;
    const size = isLong ? Number(view.getBigUint64(at + 8)) : short;
    const end = short === 0 ? bytes.length : at + size;
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (name === type) return bytes.subarray(at + (isLong ? 16 : 8), end);
    if (size < 8) return undefined;
    at = end;
  }
  return undefined;
}
