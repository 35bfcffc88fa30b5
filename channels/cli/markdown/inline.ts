/**
 * Emphasis, code and links of one line, as a terminal shows them.
 * @module
 */

import { styleText } from "node:util";
import { known, type MarkdownToken } from "../../markdown/markdown.ts";

/** Name of a look, as `styleText` has them. */
export type Look = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>;

/** Text with a look, whatever the stream of this process is; one look may stand in another. */
export function styled(look: Look, text: string): string {
  if (text === "") return "";
  const [open = "", close = ""] = styleText(look, "|", { validateStream: false }).split("|");
  // What ends a look inside ends this one as well.
  return `${open}${text.replaceAll(close, close + open)}${close}`;
}

/** Inline tokens as text with looks. */
export function inlineText(tokens: readonly MarkdownToken[]): string {
  return tokens.map(tokenText).join("");
}

function tokenText(token: MarkdownToken): string {
  switch (token.type) {
    case "strong":
      return styled("bold", inlineText(known(token.tokens)));
    case "em":
      return styled("italic", inlineText(known(token.tokens)));
    case "del":
      return styled("strikethrough", inlineText(known(token.tokens)));
    case "codespan":
      return styled("cyan", token.text);
    case "link":
      return linkText(inlineText(known(token.tokens)), token.text, token.href);
    case "image":
      return linkText(token.text, token.text, token.href);
    case "text":
      return token.tokens === undefined ? token.text : inlineText(known(token.tokens));
    case "escape":
      return token.text;
    case "br":
      return "\n";
    default:
      return token.raw;
  }
}

/** The address is shown, as it cannot be pressed everywhere; once, where it is the text too. */
function linkText(shown: string, text: string, href: string): string {
  const label = styled("underline", shown);
  const isSame = text === "" || href === text || href === `mailto:${text}`;
  return isSame ? styled("underline", href) : `${label} ${styled("dim", `(${href})`)}`;
}
