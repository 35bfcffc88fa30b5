/**
 * Characters that would act in a card's Markdown, and mentions of people, in the platform's
 * spelling and back.
 * @module
 */

/** `@Name (ou_x)`, as received mentions are told to the model. */
const MENTION = /@([^@()\n<>]{1,64}?) \((ou_[A-Za-z0-9_]+)(?:, user id: [^)\s]+)?\)/g;
/** What could begin a tag; `<3` and `a < b` are no tags. */
const TAG_START = /<(?=[A-Za-z/!?])/g;
/** Marks, and brackets that would be those of a link: closed in front of an address, or never. */
const ACTING =
  /[*`~\\]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\](?=[([:])|\[(?![^[\]]*\](?![([:]))/gu;
const ENTITY = /&#(\d{1,7});/g;
const AT_TAG = /<at id=(\w+)><\/at>/g;

/** A character as an entity, which every renderer shows as it is. */
export function entity(character: string): string {
  return `&#${character.codePointAt(0) ?? 0};`;
}

/** Text whose marks all stand for themselves. */
export function literalText(text: string): string {
  return text.replace(/[<>*_~`[\]\\]/g, entity);
}

/** Running text for a card: no tag of the platform gets through, and people are called. */
export function cardText(text: string): string {
  return replaceMentions(
    text.replace(TAG_START, "&#60;").replace(ACTING, entity),
    (_name, openId) => `<at id=${openId}></at>`,
  );
}

/** The text with each mention of a person replaced. */
export function replaceMentions(
  text: string,
  replacement: (name: string, openId: string) => string,
): string {
  return text.replace(MENTION, (_whole, name: string, openId: string) => replacement(name, openId));
}

/** A piece of text, or a mention in it. */
export type Spoken =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "mention"; readonly name: string; readonly openId: string };

/** The text cut at its mentions, in order; empty pieces are left out. */
export function cutAtMentions(text: string): readonly Spoken[] {
  const pieces: Spoken[] = [];
  let end = 0;
  for (const match of text.matchAll(MENTION)) {
    if (match.index > end) pieces.push({ type: "text", text: text.slice(end, match.index) });
    pieces.push({ type: "mention", name: match[1] ?? "", openId: match[2] ?? "" });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ type: "text", text: text.slice(end) });
  return pieces;
}

/** A card's Markdown as people write it, for a form that knows neither entities nor tags. */
export function readable(markdown: string): string {
  return markdown.replace(AT_TAG, "@$1").replace(
    ENTITY,
    (_whole, digits: string) => String.fromCodePoint(Number(digits)),
  );
}
