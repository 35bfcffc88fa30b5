/**
 * What of a tool's result goes into the conversation: all of it, or a preview and the path of a
 * file that holds the rest.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ContentBlock } from "../../providers/provider.ts";
import type { NewId } from "../kernel/random.ts";
import type { ToolFiles, ToolResult } from "../tools/tool.ts";

const logger = getLogger(["troupe", "session", "tool_result"]);

/** Characters of an oversize result that the model sees at once. */
const PREVIEW_CHARS = 1_200;
/** Where oversize results lie, below the workspace. */
const RESULTS_FOLDER = ".nanobot/tool-results";

/** What fitting a result needs. */
export interface FitOptions {
  readonly toolName: string;
  readonly charsMax: number;
  readonly sessionKey: string;
  readonly workspace: string;
  readonly files: Pick<ToolFiles, "write">;
  readonly newId: NewId;
}

/**
 * The result as it goes into the conversation. Empty ones say that they are empty; text over
 * `charsMax` goes to a file of its own (a call id may come twice, so it is no name) and is
 * replaced by its beginning and the file's path. Results with images stay as they are.
 */
export async function fitResult(
  result: ToolResult,
  options: FitOptions,
): Promise<ToolResult["content"]> {
  const text = plainText(result.content);
  if (text === undefined) return result.content;
  if (text.trim() === "") return `(${options.toolName} finished without output)`;
  if (text.length <= options.charsMax) return result.content;
  const name = `${options.newId().replace(/[^A-Za-z0-9._-]/g, "_")}.txt`;
  const path = `${options.workspace}/${RESULTS_FOLDER}/${folderOf(options.sessionKey)}/${name}`;
  try {
    await options.files.write(path, new TextEncoder().encode(text));
  } catch (error) {
    logger.warn("Cannot keep a long result of {tool}: {reason}", {
      tool: options.toolName,
      reason: error instanceof Error ? error.message : String(error),
    });
    return `${text.slice(0, options.charsMax)}\n… (cut at ${options.charsMax} characters)`;
  }
  const shown = Math.min(PREVIEW_CHARS, options.charsMax);
  return [
    `[Long result of ${options.toolName}: ${text.length} characters, kept in ${path}]`,
    `The first ${shown} characters:`,
    "",
    text.slice(0, shown),
    "",
    `[${text.length - shown} characters more: read the file, or parts of it, if you need them]`,
  ].join("\n");
}

/** The text of a result that is nothing but text; undefined when it holds anything else. */
function plainText(content: string | readonly ContentBlock[]): string | undefined {
  if (typeof content === "string") return content;
  const texts: string[] = [];
  for (const block of content) {
    if (block.type !== "text") return undefined;
    texts.push(block.text);
  }
  return texts.join("\n");
}

function folderOf(sessionKey: string): string {
  return encodeURIComponent(sessionKey).replaceAll("%", "_").replaceAll("*", "_");
}
