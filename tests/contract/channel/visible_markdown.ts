/**
 * What a person sees where a platform renders Markdown itself.
 * @module
 */

import { Marked, type MarkedToken, type Token } from "marked";

/** Markdown as it looks. */
export interface VisibleMarkdown {
  /** Marks rendered away; code line by line; cells apart by a bar. */
  readonly text: string;
  /** The blocks of code. */
  readonly code: readonly string[];
}

const standard = new Marked({ gfm: true });

/** Reads Markdown as the standard says, without what our own parser knows beyond it. */
export function visibleMarkdown(markdown: string): VisibleMarkdown {
  const code: string[] = [];
  const tokens = standard.lexer(markdown);
  return { text: blocks(tokens, code).join("\n").trim(), code };
}

function blocks(tokens: readonly Token[], code: string[]): readonly string[] {
  return tokens.filter(isStandard).flatMap((token): readonly string[] => {
    switch (token.type) {
      case "space":
      case "def":
        return [];
      case "code":
        code.push(token.text);
        return [token.text];
      case "blockquote":
        return blocks(token.tokens, code);
      case "list":
        return token.items.flatMap((item, index) => {
          const bullet = token.ordered ? `${Number(token.start || 1) + index}.` : "•";
          const [first = "", ...rest] = blocks(item.tokens, code);
          return [`${bullet} ${first}`, ...rest.map((line) => `  ${line}`)];
        });
      case "table": {
        const rows = [token.header, ...token.rows];
        return rows.map((row) => row.map((cell) => inline(cell.tokens)).join(" | "));
      }
      case "hr":
        return ["---"];
      default:
        return [inline([token])];
    }
  });
}

function inline(tokens: readonly Token[]): string {
  return tokens.filter(isStandard).map((token): string => {
    switch (token.type) {
      case "br":
        return "\n";
      case "codespan":
      case "escape":
        return token.text;
      case "html":
        return token.raw;
      case "image":
        return `[${token.text}]`;
      default:
        return "tokens" in token && token.tokens !== undefined && token.tokens.length > 0
          ? inline(token.tokens)
          : decoded(token.raw);
    }
  }).join("");
}

/** No extension adds a type. */
function isStandard(token: Token): token is MarkedToken {
  return token.type !== "";
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d+)|(amp|lt|gt|quot));/g,
    (_whole, digits, name) =>
      digits === undefined ? NAMED[name] ?? "" : String.fromCodePoint(Number(digits)),
  );
}
