/**
 * The `read_file` tool: text by pages with line numbers, documents as text, images as images.
 * @module
 */

import { errorResult, textResult } from "./define_tool.ts";
import { documentKind } from "./documents/document_kind.ts";
import { sniffImage } from "./image_kind.ts";
import { DOCUMENT_BYTES_MAX, readDocument } from "./read_document.ts";
import { fingerprint, pageKey, type ReadFile, readWhole } from "./text_file.ts";
import { linesOf, pageChars, pageOf } from "./text_page.ts";
import { CALLS_REMEMBERED, callsCounted } from "./read_notes.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { planTool, type ToolPlan } from "./tool_plan.ts";

const LINES_DEFAULT = 2_000;
/** What models take. */
const IMAGE_BYTES_MAX = 10 * 1_024 * 1_024;

interface Reading {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
  readonly force: boolean;
}

/** The tool. */
export const readFile: ToolPlan = planTool({
  name: "read_file",
  description: "Read a file. Text comes with line numbers, page by page: the last line says how " +
    "to go on. PDF, Word, Excel and PowerPoint documents come as text, images are shown to you. " +
    "Reading a file does not send it to anyone.",
  parameters: (z) =>
    z.object({
      path: z.string().min(1).describe("Path, relative to the workspace or absolute"),
      offset: z.int().min(1).optional().describe("First line, counted from 1"),
      limit: z.int().min(1).optional().describe(`Lines at most (${LINES_DEFAULT})`),
      pages: z.string().optional().describe('Pages of a PDF: "3" or "2-5", at most 20'),
      force: z.boolean().optional().describe("Show it again, although it has not changed"),
    }),
  needs: { read: "workspace" },
  concurrency: "shared",
  timeoutMs: 60_000,
  run: async (
    { path, offset = 1, limit = LINES_DEFAULT, pages, force = false },
    context,
  ): Promise<ToolResult> => {
    const kind = documentKind(path);
    if (kind !== undefined) {
      const bytes = await context.files.read(path, DOCUMENT_BYTES_MAX);
      const document = await readDocument({ path, bytes, kind, offset, limit, pages }, context);
      if (document !== undefined) return document;
    }
    const file = await readWhole(path, context);
    const mime = sniffImage(file.bytes);
    if (mime !== undefined) return imageResult(file, mime);
    if (file.text === undefined) {
      return errorResult(
        `Cannot read "${path}": it is a binary file of ${file.bytes.length} bytes`,
      );
    }
    if (file.text === "") return textResult(`(The file "${path}" is empty)`);
    return await textPage(file.text, file, { path, offset, limit, force }, context);
  },
});

async function textPage(
  text: string,
  { resolved, bytes, encoding }: ReadFile,
  { path, offset, limit, force }: Reading,
  context: ToolContext,
): Promise<ToolResult> {
  const { reads, resultCharsMax } = context;
  const key = pageKey(resolved, offset, limit);
  const mark = await fingerprint(bytes);
  const calls = callsCounted(reads);
  const [shownMark, shownAt = ""] = reads.get(key)?.split("@") ?? [];
  if (!force && shownMark === mark && calls - Number(shownAt) <= CALLS_REMEMBERED) {
    return textResult(
      `(The file "${path}" has not changed since you read these lines: see above. ` +
        "Set force to have them again)",
    );
  }
  const charsMax = pageChars(resultCharsMax);
  const page = pageOf(linesOf(text), { offset, limit, charsMax, isNumbered: true });
  if ("problem" in page) return errorResult(page.problem);
  reads.set(resolved, mark);
  reads.set(key, `${mark}@${calls}`);
  const note = encoding === "utf-8" || encoding === "utf-8-bom" ? "" : ` (written in ${encoding})`;
  return textResult(page.text + note);
}

function imageResult({ resolved: path, bytes }: ReadFile, mime: string): ToolResult {
  if (bytes.length > IMAGE_BYTES_MAX) {
    const most = `${IMAGE_BYTES_MAX} are the most that can be shown`;
    return errorResult(`Cannot show "${path}": an image of ${bytes.length} bytes; ${most}`);
  }
  const url = `data:${mime};base64,${bytes.toBase64()}`;
  return {
    content: [
      { type: "image_url", image_url: { url }, _meta: { path } },
      { type: "text", text: `(Image ${path})` },
    ],
    isError: false,
  };
}
