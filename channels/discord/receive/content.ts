/**
 * What a message says, as text.
 * @module
 */

import { joinedLines } from "../../joined_lines.ts";
import type { Embed, Message, MessageContents, User } from "../wire.ts";

const NAME_CHARS_MAX = 64;
const USER_MENTION = /<@!?(\d+)>/g;
const CUSTOM_EMOJI = /<a?:(\w+):\d+>/g;
/** Previews of what the text links to anyway. */
const PREVIEW_TYPES: ReadonlySet<string> = new Set(["link", "image", "video", "gifv", "article"]);

/** Whether a message speaks to the bot; an answer to the bot's own words mentions it as a rule. */
export function mentions({ content, mentions: users }: Message, botId: string): boolean {
  return users.some(({ id }) => id === botId) ||
    content.includes(`<@${botId}>`) || content.includes(`<@!${botId}>`);
}

/** The person as others see them, on one line. */
export function nameOf({ username, global_name }: User, nick = ""): string {
  const name = nick || global_name || username;
  return [...name.replace(/[\p{Cc}\p{Cf}()<>\n]/gu, "").trim()].slice(0, NAME_CHARS_MAX).join("");
}

/** What people wrote, without a mention of the bot in front; others are called by their names. */
export function wordsOf(
  content: string,
  users: readonly User[],
  botId: string,
): string {
  const lead = new RegExp(`^(?:\\s*<@!?${botId}>)+\\s*`);
  return content.replace(lead, "").replace(USER_MENTION, (mention, id: string) => {
    const user = users.find((one) => one.id === id);
    return user === undefined ? mention : `@${nameOf(user)}`;
  }).replace(CUSTOM_EMOJI, ":$1:").trim();
}

/** What a message shows beside its words and files, a line for each thing. */
export function extrasOf({ embeds, stickers, poll }: MessageContents): readonly string[] {
  return [
    ...embeds.map(embedText).filter((text) => text !== ""),
    ...stickers.map((name) => `[sticker: ${name}]`),
    ...(poll === null ? [] : [`[poll: ${poll.question} ${poll.answers.join(" / ")}]`]),
  ];
}

function embedText({ type, title, description, url, fields }: Embed): string {
  if (PREVIEW_TYPES.has(type)) return "";
  const lines = [
    title,
    description,
    ...fields.map(({ name, value }) => `${name}: ${value}`),
    title === "" && description === "" ? "" : url,
  ].filter((line) => line !== "");
  return lines.length === 0 ? "" : `[${lines.join("\n")}]`;
}

/** Characters of quoted words. */
const QUOTE_CHARS_MAX = 500;

/** What a message answers, and whose words that is, in brackets; "" where that is not known. */
export function quotedWords({ quoted, author }: Message, botId: string): string {
  if (quoted === null) return "[Reply to: a message that is gone]";
  if (quoted === undefined) return "";
  const words = [wordsOf(quoted.content, quoted.mentions, botId), ...extrasOf(quoted)]
    .filter((line) => line !== "").join("\n");
  if (words === "") return "";
  const { id } = quoted.author;
  const who = id === botId ? " you" : id === author.id ? "" : ` ${nameOf(quoted.author)}`;
  return `[Reply to${who}: ${shortened(words)}]`;
}

/** On one line, and not too long. */
function shortened(text: string): string {
  const characters = [...joinedLines(text).trim()];
  if (characters.length <= QUOTE_CHARS_MAX) return characters.join("");
  return `${characters.slice(0, QUOTE_CHARS_MAX).join("")}...`;
}
