/**
 * An answer as messages of the robot's.
 * @module
 */

import { BACKSLASH_DIALECT } from "../../markdown/backslash_dialect.ts";
import { known, type MarkdownToken, parseMarkdown } from "../../markdown/markdown.ts";
import { markdownPieces } from "../../markdown/pieces.ts";
import { plainPieces } from "../../markdown/plain_text.ts";
import type { RobotContent } from "../api.ts";

/**
 * DingTalk takes 20,000 bytes in a message
 * (https://open.dingtalk.com/document/orgapp/robot-message-types), its JSON and all.
 */
const MESSAGE_BYTES_MAX = 18_000;
/** What is longer is folded by the apps. */
const MESSAGE_CHARS_MAX = 4_000;
/** Six bytes of JSON each, at worst. */
const PLAIN_CHARS_MAX = MESSAGE_BYTES_MAX / 6;
/** Stands for the message in lists of chats and in notifications. */
const TITLE_CHARS_MAX = 40;
const FALLBACK_TITLE = "…";

const encoder = new TextEncoder();

/** The messages that show a text, in order; none is blank. */
export function messagesOf(text: string, isPlain: boolean): readonly RobotContent[] {
  if (text.trim() === "") return [];
  if (isPlain) {
    return plainPieces(text, { isPlain, charsMax: PLAIN_CHARS_MAX })
      .map((content) => ({ msgKey: "sampleText", msgParam: { content } }));
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
