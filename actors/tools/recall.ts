/**
 * The `recall` tool: looks for words in everything that is remembered.
 * @module
 */

import { z } from "zod";
import { defineTool, errorResult, textResult } from "./define_tool.ts";
import type { Tool, ToolOrigin } from "./tool.ts";
import { markUntrusted } from "./untrusted.ts";

/** Name of the tool. */
export const RECALL_TOOL = "recall";

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 30;

/** What the tool is asked. */
export interface RecallRequest {
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly source: "all" | "conversations" | "summaries" | "facts";
}

/** What it found; `problem` says what is wrong with the question. */
export type Recalled =
  | {
    readonly state: "found";
    /** Dated, with sources, best first. */
    readonly passages: readonly string[];
    readonly hasMore: boolean;
    /** Not everything was looked through yet. */
    readonly isPartial: boolean;
  }
  | { readonly state: "problem"; readonly problem: string };

/** Looks, in the memory that the origin may see. */
export type RecallSearch = (
  request: RecallRequest,
  scene: { readonly origin: ToolOrigin; readonly signal: AbortSignal },
) => Promise<Recalled>;

/** Makes the tool. */
export function recallTool(search: RecallSearch): Tool {
  return defineTool({
    name: RECALL_TOOL,
    description:
      "Search everything remembered: past conversations, their summaries, and MEMORY.md and " +
      "USER.md. Finds passages by their words (any language), best first, with date and source. " +
      "Use it when the person refers to something that is not in this conversation.",
    parameters: z.object({
      query: z.string().min(1).describe("Words that stand in what is looked for, rare ones best"),
      limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT).describe("How many passages"),
      offset: z.int().min(0).default(0).describe("Passages to skip, for the next page"),
      since: z.string().optional().describe("Not older than: 2026-05-01, or 30d"),
      until: z.string().optional().describe("Not newer than: 2026-05-31"),
      source: z.enum(["all", "conversations", "summaries", "facts"]).default("all")
        .describe("Where to look"),
    }),
    needs: {},
    concurrency: "shared",
    timeoutMs: 20_000,
    run: async ({ query, limit, offset, since, until, source }, { origin, signal }) => {
      const request = { query, limit, offset, since, until, source };
      const found = await search(request, { origin, signal });
      if (found.state === "problem") return errorResult(found.problem);
      return textResult(resultText(found, request));
    },
  });
}

function resultText(
  { passages, hasMore, isPartial }: Extract<Recalled, { state: "found" }>,
  { query, offset }: RecallRequest,
): string {
  const notes: string[] = [];
  if (isPartial) notes.push("(Older files are still being looked through: try again in a while)");
  if (passages.length === 0) {
    notes.unshift(`Nothing${offset > 0 ? " more" : ""} is remembered with the words "${query}"`);
    return notes.join("\n");
  }
  if (hasMore) notes.unshift(`(There is more: offset ${offset + passages.length})`);
  const numbered = passages.map((passage, index) => `${offset + index + 1}. ${passage}`);
  return [markUntrusted(numbered.join("\n"), "memory"), ...notes].join("\n");
}
