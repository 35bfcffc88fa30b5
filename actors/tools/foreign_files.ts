/**
 * Reading what others sent: files of the folders in which attachments are kept are marked as
 * strangers' words, like pages of the web.
 * @module
 */

import { isAbsolute, join } from "node:path";
import { contains } from "./path_policy.ts";
import type { Tool } from "./tool.ts";
import { markUntrusted } from "./untrusted.ts";

/** Tools that show what stands in a file. */
const READERS: ReadonlySet<string> = new Set(["read_file", "grep"]);

/**
 * The tool, whose results are marked where they come from one of `folders`. Told by the path that
 * the model gives: it is the one that it was told with the message.
 *
 * @param folders absolute paths, as they are named and as they really are
 */
export function foreignFilesTool(tool: Tool, folders: readonly string[]): Tool {
  if (!READERS.has(tool.name)) return tool;
  return {
    ...tool,
    call: async (args, context) => {
      const result = await tool.call(args, context);
      const { path } = args;
      if (typeof path !== "string" || result.isError) return result;
      const whole = isAbsolute(path) ? join(path) : join(context.workspace, path);
      if (!folders.some((folder) => contains(folder, whole))) return result;
      const { content } = result;
      if (typeof content !== "string") return result;
      return { ...result, content: markUntrusted(content, `a file that was sent: ${path}`) };
    },
  };
}
