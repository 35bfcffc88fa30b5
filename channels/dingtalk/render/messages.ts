/**
 * An answer as messages of the robot's.
 * @module
 */

import { BACKSLASH_DIALECT } from "../../markdown/backslash_dialect.ts";
import { largest } from "../../markdown/largest.ts";
import { known, type MarkdownToken, parseMarkdown } from "../../markdown/markdown.ts";
import { markdownPieces } from "../../markdown/pieces.ts";
import type { RobotContent } from "../api.ts";

/**
 * DingTalk takes 20,000 bytes in a message
 * (https://open.dingtalk.com/document/orgapp/robot-message-types), its JSON and all.
 */
const MESSAGE_BYTES_MAX = 18_000;
/** What is longer is folded by the apps. */
const MESSAGE_CHARS_MAX = 4_000;
/** Stands for the message in lists of chats and in notifications. */
const TITLE_CHARS_MAX = 40;
const FALLBACK_TITLE = "…";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const encoder = new TextEncoder();

/** The messages that show a text, in order; none is blank. */
export function messagesOf(text: string, isPlain: boolean): readonly RobotContent[] {
  if (text.trim() === "") return [];
  if (isPlain) {
    return plainPieces(text).map((content) => ({ msgKey: "sampleText", msgParam: { content } }));
  }
  return markdownPieces(text, { dialect: BACKSLASH_DIALECT, fits }).map(markdownMessage);
}

/** A message of Markdown that fits. */
export function markdownMessage(text: string): RobotContent {
  return { msgKey: "sampleMarkdown", msgParam: { title: titleOf(text), text } };
}

function fits(text: string): boolean {
  return text.length <= MESSAGE_CHARS_MAX &&
    encoder.encode(JSON.stringify(text)).length + 4 * TITLE_CHARS_MAX <= MESSAGE_BYTES_MAX;
}

/** At lines, then words, then characters. */
function plainPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  while (!fits(rest)) {
    const signs = [...graphemes.segment(rest.slice(0, MESSAGE_CHARS_MAX))].map((
      { index, segment },
    ) => index + segment.length);
    const whole = signs.slice(0, -1); // the last may be cut itself
    const count = largest(whole.length, (many) => fits(rest.slice(0, whole[many - 1])));
    const end = whole[count - 1] ?? MESSAGE_CHARS_MAX;
    const head = rest.slice(0, end);
    const border = Math.max(head.lastIndexOf("\n"), head.lastIndexOf(" "));
    const cut = border > end / 2 ? border : end;
    pieces.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).replace(/^[ \n]/, "");
  }
  return rest.trim() === "" ? pieces : [...pieces, rest];
}

/** The first words of a text, without marks. */
function titleOf(text: string): string {
  const [first] = parseMarkdown(text.slice(0, 1_000));
  const words = first === undefined ? "" : wordsIn(first).replace(/\s+/g, " ").trim();
  const characters = [...words];
  if (characters.length === 0) return FALLBACK_TITLE;
  return characters.length <= TITLE_CHARS_MAX
    ? words
    : `${characters.slice(0, TITLE_CHARS_MAX - 1).join("")}…`;
}

function wordsIn(token: MarkdownToken): string {
  switch (token.type) {
    case "code":
    case "codespan":
    case "escape":
      return token.text;
    case "list":
      return token.items.map(wordsIn).join(" ");
    case "table":
      return token.header.map(({ text }) => text).join(" ");
    default: {
      const inner = "tokens" in token ? known(token.tokens) : [];
      return inner.length > 0 ? inner.map(wordsIn).join("") : token.raw;
    }
  }
}
