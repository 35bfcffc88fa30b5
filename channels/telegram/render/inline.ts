/**
 * The inside of paragraphs, as styled text.
 * @module
 */

import { known, type MarkdownToken } from "../../markdown/markdown.ts";
import { joined, marked, plain, type StyledText } from "./styled.ts";

/** Addresses that Telegram opens. */
const ADDRESS = /^(?:https?:\/\/|tg:\/\/|mailto:)/i;
const LINE_BREAK = /^<br\s*\/?>$/i;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
};

/** The text of inline tokens. */
export function inlineText(tokens: readonly MarkdownToken[]): StyledText {
  return joined(tokens.map(tokenText));
}

function tokenText(token: MarkdownToken): StyledText {
  switch (token.type) {
    case "strong":
      return marked({ type: "bold" }, inlineText(known(token.tokens)));
    case "em":
      return marked({ type: "italic" }, inlineText(known(token.tokens)));
    case "del":
      return marked({ type: "strikethrough" }, inlineText(known(token.tokens)));
    case "codespan":
      return marked({ type: "code" }, plain(token.text));
    case "link":
      return linkText(token.href, inlineText(known(token.tokens)));
    case "image":
      return linkText(token.href, plain(token.text.trim() || "image"));
    case "br":
      return plain("\n");
    case "escape":
      return plain(token.text);
    case "html":
      return plain(LINE_BREAK.test(token.raw) ? "\n" : token.raw);
    case "checkbox":
      return plain(token.checked ? "☑ " : "☐ ");
    default: {
      const children = "tokens" in token ? known(token.tokens) : [];
      return children.length > 0 ? inlineText(children) : plain(decoded(token.raw));
    }
  }
}

/** An address that Telegram does not open stands behind its words. */
function linkText(href: string, words: StyledText): StyledText {
  if (words.text === href || `mailto:${words.text}` === href) return words;
  if (ADDRESS.test(href) && URL.canParse(href)) {
    return marked({ type: "text_link", url: href }, words);
  }
  return href === "" ? words : joined([words, plain(` (${href})`)]);
}

function decoded(text: string): string {
  return text.replace(ENTITY, (whole, digits?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const point = digits === undefined ? Number.parseInt(hex ?? "", 16) : Number(digits);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : whole;
  });
}
