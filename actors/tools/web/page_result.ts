/**
 * The JSON that `web_fetch` answers with: one page of the text, marked as a stranger's.
 * @module
 */

import type { ToolResult } from "../tool.ts";
import { markUntrusted } from "../untrusted.ts";

/** A page as it was fetched and read. */
export interface FetchedPage {
  /** As it was asked for. */
  readonly url: string;
  readonly finalUrl: string;
  readonly status: number;
  readonly extractor: string;
  readonly text: string;
  /** The server sent more than is read of one answer. */
  readonly isCut: boolean;
}

/** Which part of the text is wanted. */
export interface PageWindow {
  readonly offset: number;
  readonly charsMax: number;
}

/** The result for a window of the page; `length` and `offset` count characters of the page. */
export function pageResult(page: FetchedPage, { offset, charsMax }: PageWindow): ToolResult {
  const end = wholeLetters(page.text, Math.min(page.text.length, offset + charsMax));
  const start = wholeLetters(page.text, Math.min(offset, end));
  const isLast = end >= page.text.length;
  const text = page.text.slice(start, end);
  const content = {
    url: page.url,
    finalUrl: page.finalUrl,
    status: page.status,
    extractor: page.extractor,
    truncated: !isLast || page.isCut,
    length: text.length,
    untrusted: true,
    ...(offset > 0 && { offset: start }),
    ...hint(page, end),
    text: markUntrusted(text, hostOf(page.finalUrl)),
  };
  return { content: JSON.stringify(content), isError: false };
}

/** What keeps the page from being shown, and what the server said, if it said anything. */
export function failedResult(
  url: string,
  error: string,
  answer: Partial<Pick<FetchedPage, "finalUrl" | "status" | "text">> = {},
): ToolResult {
  const { finalUrl, status, text = "" } = answer;
  const content = {
    error,
    url,
    ...(finalUrl !== undefined && { finalUrl }),
    ...(status !== undefined && { status }),
    ...(text !== "" && { untrusted: true, text: markUntrusted(text, hostOf(finalUrl ?? url)) }),
  };
  return { content: JSON.stringify(content), isError: true };
}

function hint({ text, isCut }: FetchedPage, end: number): { readonly hint?: string } {
  if (end < text.length) {
    return { hint: `Shown up to ${end} of ${text.length} characters: go on with offset=${end}` };
  }
  return isCut ? { hint: "The page is longer than what is read of one; the rest is left out" } : {};
}

/** Not between the halves of a letter. */
function wholeLetters(text: string, at: number): number {
  const isHalf = at > 0 && at < text.length && /[\udc00-\udfff]/.test(text[at] ?? "") &&
    /[\ud800-\udbff]/.test(text[at - 1] ?? "");
  return isHalf ? at - 1 : at;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "the web";
}
