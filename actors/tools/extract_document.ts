/**
 * The text of a file that a person sent, for the words of their message. Models have read_file.
 * @module
 */

import { errorResult, textResult } from "./define_tool.ts";
import { DocumentError } from "./documents/document_error.ts";
import { type DocumentKind, documentKind, looksLike } from "./documents/document_kind.ts";
import { DOCUMENT_BYTES_MAX } from "./read_document.ts";
import { decodeText } from "./text_encoding.ts";
import { planTool, type ToolPlan } from "./tool_plan.ts";

const PDF_PAGES_MAX = 200;

/** The tool. Its result is the text, which may be longer than asked for by a part or page. */
export const extractDocument: ToolPlan = planTool({
  name: "extract_document",
  description: "Gives the text of a document.",
  parameters: (z) => z.object({ path: z.string(), chars_max: z.int().min(1) }),
  needs: { read: "workspace" },
  concurrency: "shared",
  timeoutMs: 60_000,
  run: async ({ path, chars_max: charsMax }, { files, signal }) => {
    const bytes = await files.read(path, DOCUMENT_BYTES_MAX);
    const kind = documentKind(path);
    if (kind === undefined || !looksLike(bytes, kind)) {
      const text = decodeText(bytes)?.text;
      return text === undefined ? errorResult("it is no text") : textResult(text);
    }
    try {
      return textResult(await documentText(bytes, kind, { charsMax, signal }));
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      return errorResult(error.message);
    }
  },
});

async function documentText(
  bytes: Uint8Array,
  kind: DocumentKind,
  { charsMax, signal }: { readonly charsMax: number; readonly signal: AbortSignal },
): Promise<string> {
  if (kind !== "pdf") {
    const { officeText } = await import("./documents/office_text.ts");
    return officeText(bytes, kind, charsMax).join("\n");
  }
  const { readPdf } = await import("./documents/pdf_pages.ts");
  const range = { first: 1, last: PDF_PAGES_MAX };
  const { pages, lastRead, pageCount } = await readPdf(bytes, { range, charsMax, signal });
  const texts = pages.map(({ number, text }) => `--- Page ${number} ---\n${text}`);
  if (lastRead < pageCount) texts.push(`(${pageCount - lastRead} more pages)`);
  return texts.join("\n\n");
}
