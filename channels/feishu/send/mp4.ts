/**
 * What an MP4 file tells of itself: how long it lasts, and its cover.
 * @module
 */

/** A cover's kind in `data` boxes, by the name that its upload gets. */
const COVER_NAMES: ReadonlyMap<number, string> = new Map([[13, "cover.jpg"], [14, "cover.png"]]);
/** Kind and language stand before a `data` box's contents. */
const DATA_HEAD_BYTES = 8;
/** `meta` has a version and flags before its boxes. */
const META_HEAD_BYTES = 4;

/** A picture that stands for the video. */
export interface Cover {
  readonly fileName: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Milliseconds, by the movie's head (`moov/mvhd`); undefined when there is none. */
export function mp4DurationMs(bytes: Uint8Array): number | undefined {
  const head = findBox(bytes, ["moov", "mvhd"]);
  if (head === undefined || head.length < 20) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isLong = view.getUint8(0) === 1;
  if (isLong && head.length < 32) return undefined;
  const perSecond = view.getUint32(isLong ? 20 : 12);
  const duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16);
  return perSecond === 0 ? undefined : Math.round(duration * 1_000 / perSecond);
}

/** The cover in the movie's own notes (`moov/udta/meta/ilst/covr/data`); undefined without. */
export function mp4Cover(bytes: Uint8Array): Cover | undefined {
  const meta = findBox(bytes, ["moov", "udta", "meta"]);
  const data = meta && findBox(meta.subarray(META_HEAD_BYTES), ["ilst", "covr", "data"]);
  if (data === undefined || data.length <= DATA_HEAD_BYTES) return undefined;
  const kind = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(0);
  const fileName = COVER_NAMES.get(kind);
  if (fileName === undefined) return undefined;
  return { fileName, bytes: new Uint8Array(data.subarray(DATA_HEAD_BYTES)) };
}

/** The contents of the first box at a path of types. */
function findBox(bytes: Uint8Array, path: readonly string[]): Uint8Array | undefined {
  let inside: Uint8Array | undefined = bytes;
  for (const type of path) inside = inside && findBoxIn(inside, type);
  return inside;
}

/** The contents of the first box of a type, at the top level of `bytes`. */
function findBoxIn(bytes: Uint8Array, type: string): Uint8Array | undefined {
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
