/**
 * What of a tool's result goes into the conversation: all of it, or a preview and the path of a
 * file that holds the rest.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ContentBlock } from "../../providers/provider.ts";
import type { NewId } from "../kernel/random.ts";
import { bucketName, RESULTS_FOLDER } from "../tools/result_folder.ts";
import type { ToolFiles, ToolResult } from "../tools/tool.ts";
import type { SessionServices } from "./ports.ts";
import { cleanBuckets } from "./result_buckets.ts";

const logger = getLogger(["troupe", "session", "tool_result"]);

/** Characters of an oversize result that the model sees at once. */
const PREVIEW_CHARS = 1_200;
/** As much of a line as read_file shows, where more of it follows; or else what is left of it. */
const LINE_PARTS = /([^\n]{2000})(?=[^\n])|[^\n]+/gu;

/** Images of one result that the model sees; more are only counted. */
const IMAGES_MAX = 8;
/** All images of one result, as they are sent. */
const IMAGE_CHARS_MAX = 14_000_000;

/** What fitting a result needs. */
export interface FitOptions {
  readonly toolName: string;
  readonly charsMax: number;
  readonly sessionKey: string;
  readonly workspace: string;
  readonly files: Pick<ToolFiles, "write" | "list" | "info" | "remove">;
  readonly newId: NewId;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/** Those of a session's results. */
export function fitOptions(
  { settings, toolContext, newId, clock }: Pick<
    SessionServices,
    "settings" | "toolContext" | "newId" | "clock"
  >,
  of: Pick<FitOptions, "toolName" | "sessionKey">,
): FitOptions {
  const { workspace, files } = toolContext;
  const charsMax = settings.toolResultCharsMax;
  return { ...of, charsMax, workspace, files, newId, nowMs: clock.now() };
}

/**
 * The result as it goes into the conversation. Empty ones say that they are empty; text over
 * `charsMax` goes to a file of its own (a call id may come twice, so it is no name) and is
 * replaced by its beginning and the file's path; images are kept as far as they are few.
 */
export async function fitResult(
  result: ToolResult,
  options: FitOptions,
): Promise<ToolResult["content"]> {
  const text = plainText(result.content);
  if (text === undefined) return await fitBlocks(result.content, options);
  if (text.trim() === "") return `(${options.toolName} finished without output)`;
  if (text.length <= options.charsMax) return result.content;
  return await spill(text, options);
}

/** Texts between images are fitted as one; images past the limits become a word about them. */
async function fitBlocks(
  content: ToolResult["content"],
  options: FitOptions,
): Promise<ToolResult["content"]> {
  if (typeof content === "string") return content;
  const images: ContentBlock[] = [];
  const texts: string[] = [];
  let chars = 0;
  let dropped = 0;
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
    else if (images.length < IMAGES_MAX && chars + block.image_url.url.length <= IMAGE_CHARS_MAX) {
      images.push(block);
      chars += block.image_url.url.length;
    } else dropped++;
  }
  const text = texts.join("\n");
  if (dropped === 0 && text.length <= options.charsMax) return content;
  const fitted = text.length <= options.charsMax ? text : await spill(text, options);
  const note = dropped === 0 ? [] : [`(${dropped} more images are not shown)`];
  return [...images, { type: "text", text: [fitted, ...note].join("\n").trim() }];
}

async function spill(text: string, options: FitOptions): Promise<string> {
  const name = `${options.newId().replace(/[^A-Za-z0-9._-]/g, "_")}.txt`;
  const folder = `${options.workspace}/${RESULTS_FOLDER}`;
  const bucket = bucketName(options.sessionKey);
  const path = `${folder}/${bucket}/${name}`;
  try {
    await options.files.write(path, new TextEncoder().encode(wrapped(text)));
  } catch (error) {
    logger.warn("Cannot keep a long result of {tool}: {reason}", {
      tool: options.toolName,
      reason: error instanceof Error ? error.message : String(error),
    });
    return `${text.slice(0, options.charsMax)}\n… (cut at ${options.charsMax} characters)`;
  }
  await cleanBuckets(options.files, { folder, keep: bucket, nowMs: options.nowMs });
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

/** Pages of a file show whole lines, so endless ones are broken. */
function wrapped(text: string): string {
  return text.replaceAll(
    LINE_PARTS,
    (part, full?: string) => full === undefined ? part : `${full}\n`,
  );
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
