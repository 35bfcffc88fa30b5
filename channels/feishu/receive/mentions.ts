/**
 * Mentions in received text: placeholders such as `@_user_1`, explained by a list beside the text.
 * @module
 */

import type { Mention } from "../wire.ts";

/** The placeholder for everybody. */
export const EVERYBODY_KEY = "@_all";

/** Ends a placeholder: `@_user_1` must not match in `@_user_10`. */
const BORDER = "(?![0-9A-Za-z_])";

/** `@_all` as a word of its own, also beside Chinese text, which has no blanks. */
const EVERYBODY = /(?<![0-9A-Za-z_])@_all(?![0-9A-Za-z_])/;

/** Does the message speak to the bot: by a mention of it, or of everybody? */
export function isAddressed(
  text: string,
  mentions: readonly Mention[],
  botOpenId: string,
): boolean {
  return EVERYBODY.test(text) ||
    mentions.some((mention) => mention.key === EVERYBODY_KEY || isBot(mention, botOpenId));
}

/** `text` without mentions of the bot at its start, so that `@Bot /stop` is a command. */
export function withoutLeadingBot(
  text: string,
  mentions: readonly Mention[],
  botOpenId: string,
): string {
  const keys = mentions.filter((mention) => isBot(mention, botOpenId)).map((mention) =>
    mention.key
  );
  if (keys.length === 0) return text;
  return text.replace(new RegExp(`^(?:\\s*${alternatives(keys)}${BORDER})+\\s*`), "");
}

/** `text` with names (and ids, for tools that need them) in place of the placeholders. */
export function withNames(
  text: string,
  mentions: readonly Mention[],
  botOpenId: string,
): string {
  const names = new Map<string, string>();
  for (const mention of mentions) {
    if (mention.id !== null && mention.key !== "") {
      names.set(mention.key, nameOf(mention, botOpenId));
    }
  }
  names.set(EVERYBODY_KEY, "@all");
  const pattern = new RegExp(`${alternatives([...names.keys()])}${BORDER}`, "g");
  return text.replace(pattern, (key) => names.get(key) ?? key);
}

function isBot(mention: Mention, botOpenId: string): boolean {
  const openId = mention.id?.open_id ?? "";
  return mention.key !== "" && openId !== "" && openId === botOpenId;
}

function nameOf(mention: Mention, botOpenId: string): string {
  const name = `@${mention.name || mention.key}`;
  const { open_id: openId, user_id: userId } = mention.id ?? { open_id: "", user_id: "" };
  if (openId === "" || openId === botOpenId) return name;
  return userId === "" ? `${name} (${openId})` : `${name} (${openId}, user id: ${userId})`;
}

function alternatives(keys: readonly string[]): string {
  const longestFirst = keys.toSorted((left, right) => right.length - left.length);
  return `(?:${longestFirst.map((key) => RegExp.escape(key)).join("|")})`;
}
