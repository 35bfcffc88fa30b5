/**
 * The `read_file` tool: text by pages with line numbers, images as images.
 * @module
 */

import { z } from "zod";
import { defineTool, textResult } from "./define_tool.ts";
import { sniffImage } from "./image_kind.ts";
import { readText } from "./text_file.ts";
import type { Tool, ToolResult } from "./tool.ts";

const LINES_DEFAULT = 2_000;
/** One page fits the size limit of a tool result (16,000), so it is never cut a second time. */
const PAGE_CHARS_MAX = 15_000;
const LINE_CHARS_MAX = 2_000;

/** The tool. */
export const readFileTool: Tool = defineTool({
  name: "read_file",
  description: "Read a file. Text comes with line numbers, page by page: the last line says how " +
    "to go on. Images are shown to you. Reading a file does not send it to anyone.",
  parameters: z.object({
    path: z.string().min(1).describe("Path, relative to the workspace or absolute"),
    offset: z.int().min(1).optional().describe("First line, counted from 1"),
    limit: z.int().min(1).optional().describe(`Lines at most (${LINES_DEFAULT})`),
  }),
  needs: { read: "workspace" },
  concurrency: "shared",
  timeoutMs: 30_000,
  run: async ({ path, offset = 1, limit = LINES_DEFAULT }, context) => {
    const { text, bytes } = await readText(path, context);
    const mime = sniffImage(bytes);
    if (mime !== undefined) return imageResult(await context.files.resolve(path), mime, bytes);
    if (text === undefined) {
      return error(`Cannot read "${path}": it is a binary file of ${bytes.length} bytes`);
    }
    if (text === "") return textResult(`(The file "${path}" is empty)`);
    return page(text, offset, limit);
  },
});

function page(text: string, offset: number, limit: number): ToolResult {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (offset > lines.length) {
    return error(`Cannot start at line ${offset}: the file has ${lines.length} lines`);
  }
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const numbered = `${offset + shown.length}| ${shorten(line)}`;
    if (size + numbered.length > PAGE_CHARS_MAX && shown.length > 0) break;
    shown.push(numbered);
    size += numbered.length + 1;
  }
  const last = offset + shown.length - 1;
  const footer = last < lines.length
    ? `(Lines ${offset}-${last} of ${lines.length}; go on with offset=${last + 1})`
    : `(End of file, ${lines.length} lines)`;
  return textResult([...shown, "", footer].join("\n"));
}

function shorten(line: string): string {
  if (line.length <= LINE_CHARS_MAX) return line;
  return `${line.slice(0, LINE_CHARS_MAX)}… (${line.length - LINE_CHARS_MAX} characters more)`;
}

function imageResult(path: string, mime: string, bytes: Uint8Array): ToolResult {
  const url = `data:${mime};base64,${bytes.toBase64()}`;
  return {
    content: [
      { type: "image_url", image_url: { url }, _meta: { path } },
      { type: "text", text: `(Image ${path})` },
    ],
    isError: false,
  };
}

function error(message: string): ToolResult {
  return { content: `Error: ${message}`, isError: true };
}
