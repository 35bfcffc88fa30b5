/**
 * Text out of HTML by its letters alone, in linear time: for snippets, and for pages that are too
 * large or too deep to be parsed.
 * @module
 */

const HIDDEN = ["script", "style", "template", "noscript", "svg", "head"];
const BLOCK_END =
  /^\/?(?:p|div|br|hr|li|tr|h[1-6]|section|article|header|footer|ul|ol|table|pre)\b/i;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  middot: "·",
  copy: "©",
  reg: "®",
};

/** The text of a page or piece of one; blocks stand on lines of their own. */
export function plainText(html: string): string {
  return tidyLines(decodeEntities(withoutTags(html)));
}

/** One line without tags, entities and double blanks, as a snippet is shown. */
export function plainLine(html: string): string {
  return decodeEntities(withoutTags(html)).replaceAll(/\s+/g, " ").trim();
}

/** No more than one blank line between paragraphs, none at the ends. */
export function tidyLines(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const kept = lines.filter((line, index) => line !== "" || lines[index - 1] !== "");
  return kept.join("\n").trim();
}

/** One pass from tag to tag: no expression that could walk back. */
function withoutTags(html: string): string {
  const lower = html.toLowerCase();
  const pieces: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open === -1) break;
    pieces.push(html.slice(at, open));
    if (!/[a-z/!?]/.test(lower[open + 1] ?? "")) {
      pieces.push("<");
      at = open + 1;
      continue;
    }
    const end = endOfTag(html, lower, open);
    if (BLOCK_END.test(lower.slice(open + 1, open + 12))) pieces.push("\n");
    if (end === -1) return pieces.join("");
    at = end;
  }
  pieces.push(html.slice(at));
  return pieces.join("");
}

/** Behind the tag, the comment, or all of an element that is not shown; -1: it has no end. */
function endOfTag(html: string, lower: string, open: number): number {
  if (lower.startsWith("<!--", open)) return after(lower, "-->", open);
  const close = after(html, ">", open);
  const hidden = HIDDEN.find((name) =>
    lower.startsWith(name, open + 1) && /[\s>/]/.test(lower[open + 1 + name.length] ?? "")
  );
  if (hidden === undefined || close === -1) return close;
  const endTag = lower.indexOf(`</${hidden}`, close);
  return endTag === -1 ? -1 : after(html, ">", endTag);
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at === -1 ? -1 : at + end.length;
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
      ? "\ufffd"
      : String.fromCodePoint(code);
  });
}
