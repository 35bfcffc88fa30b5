/**
 * The inside of a paragraph as runs in the platform's markup.
 * @module
 */

import { known, type MarkdownToken } from "../../markdown/markdown.ts";
import { cutRuns, type Fits, joinRuns, type Marks, type Run } from "../../markdown/runs.ts";
import { guardedLines, guardedStart, literal } from "./escape.ts";

const WEB_ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const LINE_BREAK = /^<br\s*\/?>$/i;
/** Mentions, emoji, times, links, addresses and escaped signs. */
const ATOMS =
  /<[@#:at][^<>\s]*>|!?\[[^\]\n]{0,1000}\]\([^)\s]{0,4000}\)|https?:\/\/[^\s<]+|\\[^\s\w]/;

/** What inline tokens show. */
export function inlineText(tokens: readonly MarkdownToken[]): string {
  return guardedLines(joinRuns(runsOf(tokens)));
}

/** The same in pieces that fit. */
export function cutInline(tokens: readonly MarkdownToken[], fits: Fits): readonly string[] {
  return cutText(runsOf(tokens), fits);
}

/** Runs in pieces that fit; no line begins with a mark. */
export function cutText(runs: readonly Run[], fits: Fits): readonly string[] {
  const guarded = (text: string): boolean => fits(guardedLines(text));
  return cutRuns(runs, { fits: guarded, atoms: ATOMS, guard: guardedStart })
    .map((piece) => piece.split("\n").map((line, at) => at === 0 ? line : guardedStart(line)))
    .map((lines) => lines.join("\n"));
}

/** The words alone, on one line. */
export function plainInline(tokens: readonly MarkdownToken[]): string {
  return tokens.map((token): string => {
    switch (token.type) {
      case "br":
        return " ";
      case "html":
        return LINE_BREAK.test(token.raw) ? " " : token.raw;
      case "checkbox":
        return token.checked ? "☑ " : "☐ ";
      case "codespan":
      case "escape":
        return token.text;
      case "image":
        return token.text || "image";
      default: {
        const children = childrenOf(token);
        return children.length > 0 ? plainInline(children) : token.raw;
      }
    }
  }).join("").replace(/\s+/g, " ").trim();
}

function runsOf(
  tokens: readonly MarkdownToken[],
  marks: readonly Marks[] = [],
): readonly Run[] {
  return tokens.flatMap((token): readonly Run[] => {
    switch (token.type) {
      case "strong":
      case "em":
      case "del": {
        const sign = { strong: "**", em: "*", del: "~~" }[token.type];
        const isOpen = marks.some(({ open }) => open === sign);
        const own = { open: sign, close: sign };
        return runsOf(childrenOf(token), isOpen ? marks : [...marks, own]);
      }
      case "link":
        return linkRuns(token, marks);
      case "codespan":
        return [codeRun(token.text, marks)];
      case "image":
        return imageRuns(token.text, token.href, marks);
      default: {
        const children = childrenOf(token);
        return children.length > 0
          ? runsOf(children, marks)
          : [{ text: leafText(token, marks), marks }];
      }
    }
  });
}

function childrenOf(token: MarkdownToken): readonly MarkdownToken[] {
  return "tokens" in token ? known(token.tokens) : [];
}

function leafText(token: MarkdownToken, marks: readonly Marks[]): string {
  switch (token.type) {
    case "br":
      return "\n";
    case "html":
      return LINE_BREAK.test(token.raw) ? "\n" : literal(token.raw);
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "escape":
      return literal(token.text);
    default: {
      const text = literal(token.raw);
      // Brackets would end the link.
      return marks.some(({ open }) => open === "[") ? text.replace(/[[\]]/g, "\\$&") : text;
    }
  }
}

function linkRuns(
  token: Extract<MarkdownToken, { type: "link" }>,
  marks: readonly Marks[],
): readonly Run[] {
  const { href, raw, text } = token;
  const children = known(token.tokens);
  if (!WEB_ADDRESS.test(href)) {
    const runs = runsOf(children, marks);
    const isNamed = href === "" || href === text;
    return isNamed ? runs : [...runs, { text: ` (${literal(href)})`, marks }];
  }
  if (raw === text || text === href) return [{ text: raw === text ? raw : href, marks }];
  // A link inside a link does not work: the picture's own one stands for both.
  if (children.some(({ type }) => type === "image")) return runsOf(children, marks);
  return runsOf(children, [...marks, { open: "[", close: `](${addressOf(href)})` }]);
}

/** A picture of the workspace goes along as a file; others are a link, or a word about the file. */
function imageRuns(alt: string, href: string, marks: readonly Marks[]): readonly Run[] {
  const label = literal(alt.replace(/\s+/g, " ").trim() || "image");
  if (!WEB_ADDRESS.test(href)) return [{ text: label, marks }];
  const own = { open: "[", close: `](${addressOf(href)})` };
  return [{ text: label.replace(/[[\]]/g, "\\$&"), marks: [...marks, own] }];
}

function addressOf(href: string): string {
  return href.replace(/[\s()<>]/g, (character) => encodeURIComponent(character))
    .replaceAll("(", "%28").replaceAll(")", "%29");
}

function codeRun(text: string, marks: readonly Marks[]): Run {
  // The platform knows one tick and two; three begin a block.
  const hasTicks = text.includes("`");
  const fence = hasTicks ? "``" : "`";
  const pad = hasTicks ? " " : "";
  const shown = hasTicks ? text.replace(/`{2,}/g, (ticks) => ticks.split("").join("\u200b")) : text;
  return { text: shown, marks: [...marks, { open: fence + pad, close: pad + fence }] };
}
