/**
 * Chooses how a text is shown: plain text, rich text (`post`) or a card.
 * @module
 */

/** A message form for text. */
export type TextForm = "text" | "post" | "interactive";

/** Longer plain texts read better as rich text, still longer ones as a card. */
const TEXT_CHARS_MAX = 200;
const POST_CHARS_MAX = 2_000;

const FENCE = /```|^ {0,3}~~~/m;
const BLOCK_MATH = /^ {0,3}(?:\$\$|\\\[)/m;
/** A picture that is no address: a file, or the key of one. */
const OWN_IMAGE = /!\[[^\]\n]*\]\((?!https?:)[^)\s]+\)/;
const TAG = /<\/?(?:at|a|b|i|u|s)\b/i;
const TABLE = /^[ \t]*\|.+\|[ \t]*\r?\n[ \t]*\|[ \t:|-]*-[ \t:|-]*\|[ \t]*$/m;
const HEADING = /^#{1,6}[ \t]+\S/m;
const LIST = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S/m;
const LINK = /\[[^\]\n]+\]\(https?:\/\/[^)\s]+\)/;
/** Marks must touch the words they mark, from outside of a word: `5*3*2` and `a * b` do not count. */
const EMPHASIS: readonly RegExp[] = [
  /\*\*(?=[^\s*])(?:[^*]|\*(?!\*))*?[^\s*]\*\*|\*\*[^\s*]\*\*/,
  /(?<![\w*])\*(?=[^\s*])(?:[^*\n]*[^\s*\n])?\*(?![\w*])/,
  /~~(?=\S)[^~]*[^\s~]~~/,
];
const UNDERSCORES = /(?<!\w)__(?=[^\s_])([^\n]*?[^\s_])__(?!\w)/g;
const IDENTIFIER = /^\w+$/;
const CODE_SPAN = /`[^`\n]+`/g;

/**
 * The form for `text`; the first rule that fits wins.
 *
 * @param text trimmed Markdown
 */
export function chooseForm(text: string): TextForm {
  if (FENCE.test(text) || BLOCK_MATH.test(text)) return "interactive";
  const prose = text.replace(CODE_SPAN, "`");
  if (TABLE.test(prose) || HEADING.test(prose)) return "interactive";
  if (text.length > POST_CHARS_MAX) return "interactive";
  if (hasEmphasis(prose) || LIST.test(prose) || OWN_IMAGE.test(prose)) return "interactive";
  if (LINK.test(prose) || holdsTags(text)) return "post";
  return text.length <= TEXT_CHARS_MAX ? "text" : "post";
}

/** Would the platform take some of it as a tag, were it a plain text? A call of everybody, say. */
export function holdsTags(text: string): boolean {
  return TAG.test(text);
}

function hasEmphasis(prose: string): boolean {
  if (EMPHASIS.some((pattern) => pattern.test(prose))) return true;
  // `__init__` is a name; words between underscores are bold.
  return prose.matchAll(UNDERSCORES).some(([, inner]) => !IDENTIFIER.test(inner ?? ""));
}
