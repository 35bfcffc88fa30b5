/**
 * The text of single pages of a PDF document.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import { DocumentError } from "./document_error.ts";

/** Errors only: what is odd about a document is no news. */
const VERBOSITY = 0;

/** Which pages are wanted, from 1. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** What was read. */
export interface PdfPages {
  readonly pageCount: number;
  /** Pages with any text, in order. */
  readonly pages: readonly { readonly number: number; readonly text: string }[];
  /** The last page that was looked at: the range may be longer than `charsMax`. */
  readonly lastRead: number;
}

/** How much is read. */
export interface PdfOptions {
  readonly range: PageRange;
  /** No further page is read once that much is there. */
  readonly charsMax: number;
  readonly signal: AbortSignal;
}

/**
 * Reads pages.
 *
 * @throws {DocumentError} for what is damaged or locked
 */
export async function readPdf(bytes: Uint8Array, options: PdfOptions): Promise<PdfPages> {
  const { range, charsMax, signal } = options;
  const { getDocumentProxy } = await import("../web/pdf_library.ts");
  try {
    const document = await getDocumentProxy(bytes, { verbosity: VERBOSITY });
    try {
      const pages: { number: number; text: string }[] = [];
      let chars = 0;
      let number = range.first;
      for (; number <= Math.min(range.last, document.numPages) && chars < charsMax; number++) {
        signal.throwIfAborted();
        const { items } = await (await document.getPage(number)).getTextContent();
        const text = items.map(({ str = "", hasEOL }) => hasEOL ? `${str}\n` : str).join("").trim();
        if (text !== "") pages.push({ number, text });
        chars += text.length;
      }
      return { pageCount: document.numPages, pages, lastRead: number - 1 };
    } finally {
      await document.loadingTask.destroy();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new DocumentError(`it is damaged or locked (${asError(error).message})`, {
      cause: error,
    });
  }
}
