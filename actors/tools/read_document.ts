/**
 * Documents in `read_file`: their text, page by page.
 * @module
 */

import { errorResult, textResult } from "./define_tool.ts";
import { DocumentError } from "./documents/document_error.ts";
import { type DocumentKind, looksLike } from "./documents/document_kind.ts";
import type { PageRange } from "./documents/pdf_pages.ts";
import { linesOf, pageChars, pageOf } from "./text_page.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/** Larger documents are not opened. */
export const DOCUMENT_BYTES_MAX = 50_000_000;
const PDF_PAGES_MAX = 20;
/** Text of an Office document that can be paged through. */
const OFFICE_CHARS_MAX = 5_000_000;

/** What is wanted of a document. */
export interface DocumentReading {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly kind: DocumentKind;
  readonly offset: number;
  readonly limit: number;
  /** Only for PDF. */
  readonly pages: string | undefined;
}

/** A page of the document's text; undefined where the file is none of its name's kind. */
export async function readDocument(
  reading: DocumentReading,
  context: Pick<ToolContext, "signal" | "resultCharsMax">,
): Promise<ToolResult | undefined> {
  const { path, bytes, kind } = reading;
  if (!looksLike(bytes, kind)) return undefined;
  try {
    return kind === "pdf"
      ? await readPdfPages(reading, context)
      : await readOffice(reading, kind, context);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return errorResult(`Cannot read "${path}": ${error.message}`);
  }
}

async function readOffice(
  { path, bytes, offset, limit }: DocumentReading,
  kind: Exclude<DocumentKind, "pdf">,
  { resultCharsMax }: Pick<ToolContext, "resultCharsMax">,
): Promise<ToolResult> {
  const { officeText } = await import("./documents/office_text.ts");
  const lines = linesOf(officeText(bytes, kind, OFFICE_CHARS_MAX).join("\n"));
  if (lines.length === 0) return textResult(`(There is no text in "${path}")`);
  const charsMax = pageChars(resultCharsMax);
  const page = pageOf(lines, { offset, limit, charsMax, isNumbered: false });
  return "problem" in page ? errorResult(page.problem) : textResult(page.text);
}

async function readPdfPages(
  { path, bytes, pages, offset, limit }: DocumentReading,
  { signal, resultCharsMax }: Pick<ToolContext, "signal" | "resultCharsMax">,
): Promise<ToolResult> {
  const range = parseRange(pages);
  if (range === undefined) {
    return errorResult(`Cannot read pages "${pages}": give "3" or "2-5", at most ${PDF_PAGES_MAX}`);
  }
  const charsMax = pageChars(resultCharsMax);
  const { readPdf } = await import("./documents/pdf_pages.ts");
  const read = await readPdf(bytes, { range, charsMax, signal });
  const { pageCount } = read;
  if (range.first > pageCount) {
    return errorResult(`Cannot read page ${range.first}: "${path}" has ${pageCount} pages`);
  }
  // The last page may be more than fits: then it waits for the next call, unless it is the first.
  let size = 0;
  const fitting = read.pages.filter(({ text }, index) =>
    (size += text.length) <= charsMax || index === 0
  );
  const lastShown = fitting.length < read.pages.length
    ? fitting.at(-1)?.number ?? range.first
    : read.lastRead;
  const lines = fitting.flatMap(({ number, text }) => [
    `--- Page ${number} ---`,
    ...linesOf(text),
    "",
  ]);
  const next = lastShown < pageCount
    ? `go on with pages="${rangeAfter(lastShown, pageCount)}"`
    : "this is the end";
  const footer = `(Pages ${range.first}-${lastShown} of ${pageCount}; ${next})`;
  if (lines.length === 0) return textResult(`(There is no text on these pages)\n${footer}`);
  const page = pageOf(lines, { offset, limit, charsMax, isNumbered: false });
  if ("problem" in page) return errorResult(page.problem);
  const isWhole = page.text.includes("(End of file,");
  return textResult(isWhole ? [...lines, footer].join("\n") : `${page.text}\n${footer}`);
}

function parseRange(pages: string | undefined): PageRange | undefined {
  if (pages === undefined || pages.trim() === "") return { first: 1, last: PDF_PAGES_MAX };
  const match = /^\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?$/.exec(pages);
  if (match === null) return undefined;
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  if (first < 1 || last < first) return undefined;
  return { first, last: Math.min(last, first + PDF_PAGES_MAX - 1) };
}

function rangeAfter(last: number, pageCount: number): string {
  return `${last + 1}-${Math.min(last + PDF_PAGES_MAX, pageCount)}`;
}
