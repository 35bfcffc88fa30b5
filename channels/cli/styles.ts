/**
 * How text looks on a terminal, and that it looks plain elsewhere.
 * @module
 */

import { COLUMNS_USUAL, type Terminal } from "./adapters/terminal.ts";
import { styled } from "./markdown/inline.ts";
import { type LineRenderer, MarkdownLines } from "./markdown/line_renderer.ts";

/** Makes text unobtrusive, where the terminal can. */
export function dimOn({ hasColors }: Terminal): (text: string) => string {
  return (text) => hasColors ? styled("dim", text) : text;
}

/** What shows answers as Markdown; undefined where the terminal cannot, or nobody wants it. */
export function markdownOn(
  { hasStyles = false, columns = () => COLUMNS_USUAL }: Terminal,
  isWanted: boolean,
): (() => LineRenderer) | undefined {
  return hasStyles && isWanted ? () => new MarkdownLines(columns) : undefined;
}
