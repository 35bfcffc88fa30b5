/**
 * The inside of a paragraph as pieces of rich text.
 * @module
 */

import { known, type MarkdownToken } from "../../markdown/markdown.ts";
import type { Inline, Style } from "./rich.ts";

const WEB_ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const LINE_BREAK = /^<br\s*\/?>$/i;
/** `@Name (U012ABC)`, as people are told to the model, and Slack's own spelling of both. */
const CALLED =
  /@([^@()\n<>]{1,64}?) \(([UW][A-Z0-9]{2,})\)|<@([UW][A-Z0-9]{2,})(?:\|[^>\n]*)?>|<#(C[A-Z0-9]{2,})(?:\|[^>\n]*)?>/g;

/** The pieces that show inline tokens. */
export function inlinesOf(
  tokens: readonly MarkdownToken[],
  style: Style = {},
): readonly Inline[] {
  return tokens.flatMap((token): readonly Inline[] => {
    switch (token.type) {
      case "strong":
        return inlinesOf(childrenOf(token), { ...style, bold: true });
      case "em":
        return inlinesOf(childrenOf(token), { ...style, italic: true });
      case "del":
        return inlinesOf(childrenOf(token), { ...style, strike: true });
      case "codespan":
        return textInlines(token.text, { ...style, code: true });
      case "link":
        return linkInlines(token, style);
      case "image":
        return imageInlines(token.text, token.href, style);
      case "br":
        return textInlines("\n", style);
      case "checkbox":
        return textInlines(token.checked ? "☑ " : "☐ ", style);
      case "html":
        return LINE_BREAK.test(token.raw) ? textInlines("\n", style) : spoken(token.raw, style);
      case "escape":
        return textInlines(token.text, style);
      default: {
        const children = childrenOf(token);
        return children.length > 0 ? inlinesOf(children, style) : spoken(token.raw, style);
      }
    }
  });
}

/** Text as it is, neighbours of the same look joined; none when there is no text. */
export function joined(inlines: readonly Inline[]): readonly Inline[] {
  const pieces: Inline[] = [];
  for (const inline of inlines) {
    const last = pieces.at(-1);
    const isSame = last?.type === "text" && inline.type === "text" &&
      JSON.stringify(last.style) === JSON.stringify(inline.style);
    if (isSame) pieces[pieces.length - 1] = { ...last, text: last.text + inline.text };
    else pieces.push(inline);
  }
  return pieces;
}

/** Text as it is. */
export function textInlines(text: string, style: Style = {}): readonly Inline[] {
  if (text === "") return [];
  return [{ type: "text", text, ...(Object.keys(style).length > 0 && { style }) }];
}

/** Text in which people and channels are called. */
export function spoken(text: string, style: Style = {}): readonly Inline[] {
  const pieces: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(CALLED)) {
    pieces.push(...textInlines(text.slice(end, match.index), style));
    const user = match[2] ?? match[3];
    if (user !== undefined) pieces.push({ type: "user", user_id: user });
    else pieces.push({ type: "channel", channel_id: match[4] ?? "" });
    end = match.index + match[0].length;
  }
  return [...pieces, ...textInlines(text.slice(end), style)];
}

function linkInlines(
  token: Extract<MarkdownToken, { type: "link" }>,
  style: Style,
): readonly Inline[] {
  const { href, text } = token;
  const inner = inlinesOf(childrenOf(token), style);
  if (!WEB_ADDRESS.test(href)) {
    const isNamed = href === "" || href === text;
    return isNamed ? inner : [...inner, ...textInlines(` (${href})`, style)];
  }
  const words = inner.map((inline) => "text" in inline ? inline.text : "").join("") || href;
  const hasStyle = Object.keys(style).length > 0;
  return [{ type: "link", url: href, text: words, ...(hasStyle && { style }) }];
}

function imageInlines(alt: string, href: string, style: Style): readonly Inline[] {
  const label = alt.replace(/\s+/g, " ").trim() || "image";
  if (WEB_ADDRESS.test(href)) return [{ type: "link", url: href, text: label }];
  return textInlines(href === "" ? label : `${label} (${href})`, style);
}

function childrenOf(token: MarkdownToken): readonly MarkdownToken[] {
  return "tokens" in token ? known(token.tokens) : [];
}
