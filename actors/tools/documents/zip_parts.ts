/**
 * The parts of a document that is a ZIP archive, unpacked within bounds.
 * @module
 */

import { unzipSync } from "fflate";
import { DocumentError } from "./document_error.ts";

/** All parts of one document that are unpacked, in bytes: a bomb promises gigabytes. */
const UNPACKED_BYTES_MAX = 120_000_000;
const PARTS_MAX = 10_000;

/** An opened archive. */
export class ZipParts {
  readonly #bytes: Uint8Array;
  readonly #sizes = new Map<string, number>();
  #bytesLeft = UNPACKED_BYTES_MAX;

  /**
   * Reads the list of parts.
   *
   * @throws {DocumentError} for what is no archive, or holds too many parts
   */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#unzip(({ name, originalSize }) => {
      this.#sizes.set(name, originalSize);
      if (this.#sizes.size > PARTS_MAX) throw new DocumentError("it has too many parts");
      return false;
    });
  }

  /** The names of all parts. */
  get names(): readonly string[] {
    return [...this.#sizes.keys()];
  }

  /**
   * A part's text, or undefined where there is none of that name.
   *
   * @throws {DocumentError} when more would be unpacked than is allowed, or it is damaged
   */
  text(name: string): string | undefined {
    const size = this.#sizes.get(name);
    if (size === undefined) return undefined;
    this.#bytesLeft -= size;
    if (this.#bytesLeft < 0) throw new DocumentError("it unpacks to more than can be read");
    // The library fills a buffer of the size that the archive names, never more.
    const part = this.#unzip((file) => file.name === name)[name];
    return new TextDecoder().decode(part);
  }

  #unzip(filter: (file: { name: string; originalSize: number }) => boolean) {
    try {
      return unzipSync(this.#bytes, { filter });
    } catch (error) {
      if (error instanceof DocumentError) throw error;
      throw new DocumentError("it is damaged, or not what its name says", { cause: error });
    }
  }
}
