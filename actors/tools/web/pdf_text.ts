/**
 * The text of a PDF document.
 * @module
 */

/** Pages that are read; a document can name more than it has. */
const PAGES_MAX = 500;
/** Errors only: what is odd about a document is no news. */
const VERBOSITY = 0;

/**
 * Text page by page, under `--- Page n ---` lines, until `charsMax` are there.
 *
 * @throws whatever the library says of a document that is broken or locked
 */
export async function pdfText(
  bytes: Uint8Array,
  charsMax: number,
  signal: AbortSignal,
): Promise<string> {
  const { getDocumentProxy } = await import("./pdf_library.ts");
  const document = await getDocumentProxy(bytes, { verbosity: VERBOSITY });
  try {
    const pages: string[] = [];
    let chars = 0;
    for (let n = 1; n <= Math.min(document.numPages, PAGES_MAX) && chars < charsMax; n++) {
      signal.throwIfAborted();
      const { items } = await (await document.getPage(n)).getTextContent();
      const text = items.map(({ str = "", hasEOL }) => hasEOL ? `${str}\n` : str).join("");
      pages.push(`--- Page ${n} ---\n${text.trim()}`);
      chars += text.length;
    }
    return pages.join("\n\n");
  } finally {
    await document.loadingTask.destroy();
  }
}
