/**
 * Rich text (`post`): lines of words, links and mentions; for prose with links, and where a card is
 * refused.
 * @module
 */

import { cutAtMentions } from "./escape.ts";
import { largest } from "../../markdown/largest.ts";
import { POST_BYTES_MAX } from "./limits.ts";
import { known, lineParser, type MarkdownToken } from "../../markdown/markdown.ts";

/** A piece of a line. */
type PostElement =
  | { readonly tag: "text"; readonly text: string }
  | { readonly tag: "a"; readonly text: string; readonly href: string }
  | { readonly tag: "at"; readonly user_id: string };

type PostLine = readonly PostElement[];

/** One post: its content as JSON, and the Markdown it shows. */
export interface PostBody {
  readonly content: string;
  readonly source: string;
}

/**
 * The posts that show `text`.
 *
 * @param isPlain every mark stands for itself
 */
export function layOutPosts(
  text: string,
  isPlain: boolean,
  bytesMax: number = POST_BYTES_MAX,
): readonly PostBody[] {
  const posts: PostBody[] = [];
  const parse = lineParser();
  const read = new Map<string, PostLine>();
  const lineOf = (line: string): PostLine => {
    const elements = read.get(line) ?? (isPlain ? words(line) : elementsIn(line, parse(line)));
    read.set(line, elements);
    return elements;
  };
  const contentOf = (lines: readonly string[]): string =>
    JSON.stringify({ zh_cn: { content: lines.map(lineOf) } });
  const fits = (lines: readonly string[]): boolean =>
    new TextEncoder().encode(contentOf(lines)).length <= bytesMax;
  for (let lines: readonly string[] = text.split("\n"); lines.length > 0;) {
    const count = largest(lines.length, (many) => fits(lines.slice(0, many)));
    if (count === 0) {
      lines = [...cutLine(lines[0] ?? "", (line) => fits([line])), ...lines.slice(1)];
      continue;
    }
    const taken = lines.slice(0, count);
    const source = taken.join("\n");
    if (source.trim() !== "") posts.push({ content: contentOf(taken), source });
    lines = lines.slice(count);
  }
  return posts;
}

/** The line in two, the first of which fits; at a word where there is one. */
function cutLine(line: string, fits: (line: string) => boolean): readonly [string, string] {
  const characters = [...line];
  const most = Math.max(
    1,
    largest(characters.length - 1, (many) => fits(characters.slice(0, many).join(""))),
  );
  const space = characters.lastIndexOf(" ", most - 1) + 1;
  const count = space > most / 2 ? space : most;
  return [characters.slice(0, count).join(""), characters.slice(count).join("")];
}

function elementsIn(line: string, tokens: readonly MarkdownToken[]): PostLine {
  const elements = tokens.flatMap(elementsOf);
  const merged: PostElement[] = [];
  for (const element of elements) {
    const last = merged.at(-1);
    if (element.tag === "text" && last?.tag === "text") {
      merged[merged.length - 1] = { tag: "text", text: last.text + element.text };
    } else merged.push(element);
  }
  // The parser drops the space around a line; in a post it may be an indent.
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  const isLost = merged[0]?.tag !== "text" || !merged[0].text.startsWith(indent);
  if (indent !== "" && isLost) merged.unshift({ tag: "text", text: indent });
  return merged.length === 0 ? [{ tag: "text", text: "" }] : merged;
}

function elementsOf(token: MarkdownToken): readonly PostElement[] {
  switch (token.type) {
    case "link":
      return /^https?:\/\//i.test(token.href)
        ? [{ tag: "a", text: linkText(token), href: token.href }]
        : words(token.raw);
    case "image":
      return /^https?:\/\//i.test(token.href)
        ? [{ tag: "a", text: token.text === "" ? "image" : token.text, href: token.href }]
        : words(token.raw);
    case "escape":
      return [{ tag: "text", text: token.text }];
    default:
      return words(token.raw);
  }
}

function linkText(token: Extract<MarkdownToken, { type: "link" }>): string {
  const text = known(token.tokens).map((child) => {
    if (child.type === "escape" || child.type === "codespan") return child.text;
    return child.raw;
  }).join("");
  return text === "" ? token.href : text;
}

function words(text: string): PostLine {
  const pieces = cutAtMentions(text).map((piece): PostElement =>
    piece.type === "text" ? { tag: "text", text: piece.text } : { tag: "at", user_id: piece.openId }
  );
  return pieces.length === 0 ? [{ tag: "text", text: "" }] : pieces;
}
