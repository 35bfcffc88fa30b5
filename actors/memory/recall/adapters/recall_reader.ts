/**
 * Brings the index up to the files, a slice at a time: what was appended is read from where the
 * last look ended, what was replaced is read anew.
 * @module
 */

import { keyOfMetadata, ownerOf, passageOf, type ReadingRules } from "../passages.ts";
import type { RecallSource } from "../passages.ts";
import type { RecallFiles } from "./recall_files.ts";
import type { FileState, RecallIndex } from "./recall_index.ts";

/** Bytes that one slice reads and indexes: some 10 ms. */
const SLICE_BYTES = 64 * 1024;
/** A line longer than this is skipped: no message is. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;
/** What of the text before the end is compared, to see whether a file only grew. */
const TAIL_BYTES = 96;

const NEW_LINE = 0x0a;

/** A piece of a file. */
interface Piece {
  readonly path: string;
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** What the reader works with. */
export interface RecallReaderOptions {
  readonly index: RecallIndex;
  readonly files: RecallFiles;
  readonly rules: ReadingRules;
}

/** Reads files into an index. */
export class RecallReader {
  readonly #index: RecallIndex;
  readonly #files: RecallFiles;
  readonly #rules: ReadingRules;
  readonly #decoder = new TextDecoder();
  /** Of the file whose slice is read: one look at the disk gives all that is needed of it. */
  #piece: Piece | undefined;

  constructor({ index, files, rules }: RecallReaderOptions) {
    this.#index = index;
    this.#files = files;
    this.#rules = rules;
  }

  /**
   * Reads the next slice of a file, or forgets what is gone.
   *
   * @returns whether there is more to read
   */
  readSlice(source: RecallSource): boolean {
    const facts = this.#files.facts(source.path);
    const known = this.#index.file(source.path);
    if (facts === null) {
      if (known !== undefined) this.#index.atOnce(() => this.#index.removeFile(source.path));
      return false;
    }
    const { size, modifiedMs } = facts;
    if (known?.size === size && known.modified_ms === modifiedMs) return false;
    let hasMore = false;
    this.#piece = this.#pieceOf(source.path, known?.offset ?? 0, size);
    this.#index.atOnce(() => {
      const file = this.#continued(source, known, size);
      const read = this.#readFrom(source, file, size);
      hasMore = read.hasMore;
      const isDone = !hasMore;
      this.#index.saveFile({
        ...read.file,
        size: isDone ? size : -1,
        modified_ms: isDone ? modifiedMs : 0,
      });
    });
    this.#piece = undefined;
    return hasMore;
  }

  /** Whether the places that are known of a file are still right. */
  isCurrent(path: string): boolean {
    const known = this.#index.file(path);
    const size = this.#files.facts(path)?.size ?? -1;
    return known !== undefined && this.#hasGrown(known, size);
  }

  /** The state of a file that only grew; a new one for any other. */
  #continued(source: RecallSource, known: FileState | undefined, size: number): FileState {
    if (known !== undefined && source.kind !== "facts" && this.#hasGrown(known, size)) return known;
    // A file of facts is read in slices too, as long as it stays what it was.
    if (known !== undefined && known.size === -1 && this.#hasGrown(known, size)) return known;
    if (known !== undefined) this.#index.removeFile(source.path);
    return this.#index.addFile(source.path, source.sessionKey);
  }

  #hasGrown({ path, offset, tail }: FileState, size: number): boolean {
    if (size < offset) return false;
    return this.#tailBefore(path, offset) === tail;
  }

  #tailBefore(path: string, offset: number): string {
    const start = Math.max(0, offset - TAIL_BYTES);
    return this.#decoder.decode(this.#read(path, start, offset - start) ?? undefined);
  }

  /** The slice from `offset` on, with what is compared before it. */
  #pieceOf(path: string, offset: number, size: number): Piece | undefined {
    const start = Math.max(0, offset - TAIL_BYTES);
    const bytesMax = Math.min(offset + SLICE_BYTES, size) - start;
    const bytes = bytesMax > 0 ? this.#files.read(path, start, bytesMax) : null;
    return bytes === null ? undefined : { path, start, bytes };
  }

  #read(path: string, start: number, bytesMax: number): Uint8Array | null {
    const from = start - (this.#piece?.start ?? Infinity);
    const isInPiece = this.#piece?.path === path && from >= 0 &&
      from + bytesMax <= this.#piece.bytes.length;
    if (isInPiece) return this.#piece?.bytes.subarray(from, from + bytesMax) ?? null;
    return this.#files.read(path, start, bytesMax);
  }

  #readFrom(
    source: RecallSource,
    file: FileState,
    size: number,
  ): { readonly file: FileState; readonly hasMore: boolean } {
    const bytesMax = Math.min(SLICE_BYTES, Math.max(0, size - file.offset));
    let bytes = this.#read(file.path, file.offset, bytesMax) ?? new Uint8Array();
    let end = bytes.lastIndexOf(NEW_LINE) + 1;
    let hasMore = bytes.length === SLICE_BYTES;
    if (end === 0 && hasMore) {
      bytes = this.#files.read(file.path, file.offset, LINE_BYTES_MAX) ?? bytes;
      end = bytes.indexOf(NEW_LINE) + 1;
      hasMore = end > 0 || bytes.length === LINE_BYTES_MAX;
      if (end === 0 && hasMore) return { file: this.#skipped(file), hasMore };
    }
    // The last line of a file by hand need not be ended; one that is being written is cut.
    if (!hasMore && source.kind === "facts") end = bytes.length;
    let state: FileState = file;
    let start = 0;
    while (start < end) {
      const next = bytes.indexOf(NEW_LINE, start);
      const stop = next === -1 || next >= end ? end : next;
      state = this.#readLine(source, state, bytes.subarray(start, stop), file.offset + start);
      start = stop + 1;
    }
    const offset = file.offset + end;
    return { file: { ...state, offset, tail: this.#tailBefore(file.path, offset) }, hasMore };
  }

  /** Goes on behind a piece of a line that is too long to be a message. */
  #skipped(file: FileState): FileState {
    const offset = file.offset + LINE_BYTES_MAX;
    return { ...file, offset, tail: this.#tailBefore(file.path, offset) };
  }

  #readLine(
    source: RecallSource,
    file: FileState,
    bytes: Uint8Array,
    start: number,
  ): FileState {
    const text = this.#decoder.decode(bytes);
    const line = file.lines + 1;
    const place = { fileId: file.id, start, bytes: bytes.length, line, kind: source.kind };
    if (source.scope !== null) {
      const passage = passageOf(text, source, this.#rules);
      if (passage !== null) this.#index.add({ ...passage, ...place, scope: source.scope });
      return { ...file, lines: line };
    }
    const sessionKey = keyOfMetadata(text) ?? file.session_key;
    const { setting } = this.#rules;
    if (sessionKey === null && setting !== "global") return { ...file, lines: line };
    const before = { turnId: file.turn_id, scope: file.turn_scope };
    const owner = ownerOf(text, sessionKey ?? "", before, setting);
    const passage = passageOf(text, source, this.#rules);
    if (passage !== null && owner.scope !== null) {
      this.#index.add({ ...passage, ...place, scope: owner.scope });
    }
    return {
      ...file,
      lines: line,
      session_key: sessionKey,
      turn_id: owner.turnId,
      turn_scope: owner.scope,
    };
  }
}
