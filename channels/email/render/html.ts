/**
 * Markdown as the HTML of a mail: few elements, which every mail program shows, and styles beside
 * them, as most take no style sheets. All that is text is escaped.
 * @module
 */

import { known, type MarkdownToken, parseMarkdown } from "../../markdown/markdown.ts";

const FONT =
  "font-family:-apple-system,'Segoe UI',Roboto,sans-serif;font-size:15px;line-height:1.5";
const PRE = "background:#f4f4f4;padding:8px;overflow:auto;white-space:pre-wrap";
const QUOTE = "border-left:3px solid #ccc;margin:0 0 0 4px;padding-left:10px;color:#555";
const CELL = "border:1px solid #ccc;padding:4px 8px;text-align:left";
/** Where links may lead; others are shown as words. */
const LINK = /^(https?:\/\/|mailto:)/i;

/** A whole page. */
export function htmlPage(markdown: string): string {
  const body = blocks(parseMarkdown(markdown));
  return `<!DOCTYPE html>\n<html><head><meta charset="utf-8"></head>` +
    `<body style="${FONT}">\n${body}\n</body></html>\n`;
}

function blocks(tokens: readonly MarkdownToken[]): string {
  return tokens.map(block).filter((html) => html !== "").join("\n");
}

function block(token: MarkdownToken): string {
  switch (token.type) {
    case "space":
    case "def":
      return "";
    case "heading":
      return `<h${token.depth}>${inlines(known(token.tokens))}</h${token.depth}>`;
    case "code":
      return `<pre style="${PRE}"><code>${escaped(token.text)}</code></pre>`;
    case "blockquote":
      return `<blockquote style="${QUOTE}">${blocks(known(token.tokens))}</blockquote>`;
    case "hr":
      return "<hr>";
    case "list":
      return list(token);
    case "table":
      return table(token);
    case "html":
      return `<p>${lines(token.text.trim())}</p>`;
    default:
      return `<p>${inlines([token])}</p>`;
  }
}

function list(
  { ordered, start, items }: Extract<MarkdownToken, { readonly type: "list" }>,
): string {
  const rows = items.map(({ task, checked, tokens }) => {
    const box = task ? (checked === true ? "☑ " : "☐ ") : "";
    const content = known(tokens).filter(({ type }) => type !== "checkbox");
    return `<li>${box}${content.map(item).join("")}</li>`;
  }).join("\n");
  if (!ordered) return `<ul>\n${rows}\n</ul>`;
  const first = Number(start || 1);
  return `<ol${first === 1 ? "" : ` start="${first}"`}>\n${rows}\n</ol>`;
}

/** Words of an item stand without a paragraph of their own. */
function item(token: MarkdownToken): string {
  return token.type === "text" ? inlines([token]) : block(token);
}

function table({ header, rows }: Extract<MarkdownToken, { readonly type: "table" }>): string {
  const row = (cells: typeof header, tag: "th" | "td"): string =>
    `<tr>${
      cells.map(({ tokens }) => `<${tag} style="${CELL}">${inlines(known(tokens))}</${tag}>`).join(
        "",
      )
    }</tr>`;
  const body = rows.map((cells) => row(cells, "td")).join("\n");
  return `<table style="border-collapse:collapse">\n${row(header, "th")}\n${body}\n</table>`;
}

function inlines(tokens: readonly MarkdownToken[]): string {
  return tokens.map(inline).join("");
}

function inline(token: MarkdownToken): string {
  switch (token.type) {
    case "strong":
      return `<strong>${inlines(known(token.tokens))}</strong>`;
    case "em":
      return `<em>${inlines(known(token.tokens))}</em>`;
    case "del":
      return `<s>${inlines(known(token.tokens))}</s>`;
    case "codespan":
      return `<code>${escaped(token.text)}</code>`;
    case "br":
      return "<br>";
    case "link": {
      const words = inlines(known(token.tokens));
      return LINK.test(token.href) ? `<a href="${escaped(token.href)}">${words}</a>` : words;
    }
    case "image":
      return LINK.test(token.href)
        ? `<a href="${escaped(token.href)}">${escaped(token.text || token.href)}</a>`
        : `[${escaped(token.text || token.href)}]`;
    case "html":
      return escaped(token.raw);
    case "escape":
      return lines(token.text);
    default:
      return "tokens" in token && token.tokens !== undefined && token.tokens.length > 0
        ? inlines(known(token.tokens))
        : lines("text" in token ? token.text : token.raw);
  }
}

/** Line ends as people put them stay. */
function lines(text: string): string {
  return escaped(text).replaceAll("\n", "<br>\n");
}

const SIGNS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? sign);
}
