/**
 * MP4 files as small as they can be.
 * @module
 */

/** What a movie holds beside its head. */
export interface MovieContents {
  readonly cover?: Uint8Array;
  /** The cover's kind: 13 is JPEG, 14 PNG. */
  readonly kind?: number;
}

/** A box: its size, its type, what is in it. */
export function box(type: string, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const inside = contents.flatMap((bytes) => [...bytes]);
  const bytes = new Uint8Array([0, 0, 0, 0, ...new TextEncoder().encode(type), ...inside]);
  new DataView(bytes.buffer).setUint32(0, bytes.length);
  return bytes;
}

/** A movie of a second and a half. */
export function movieWith({ cover, kind = 14 }: MovieContents): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(100);
  new DataView(head.buffer).setUint32(12, 600);
  new DataView(head.buffer).setUint32(16, 900);
  const notes = cover === undefined ? [] : [coverNotes(cover, kind)];
  const movie = box("moov", box("mvhd", head), ...notes);
  return new Uint8Array([...box("ftyp", new Uint8Array(8)), ...movie]);
}

function coverNotes(cover: Uint8Array, kind: number): Uint8Array {
  const data = box("data", new Uint8Array([0, 0, 0, kind, 0, 0, 0, 0]), cover);
  const list = box("ilst", box("covr", data));
  return box("udta", box("meta", new Uint8Array(4), list));
}
